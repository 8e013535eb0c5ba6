#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "demo/lexicon.h"

namespace memsizer::demo {
namespace {

constexpr std::array kAdjectives = {
    Adjective{"big", "groß", "groß", kSized, "bigger", "größer"},
    Adjective{"small", "klein", "klein", kSized, "smaller", "kleiner"},
    Adjective{"old", "alt", "alt", kPerson | kAged, "older", "älter"},
    Adjective{"young", "jung", "jung", kPerson | kFamily | kAnimal, "younger", "jünger"},
    Adjective{"new", "neu", "neu", kAged},
    Adjective{"beautiful", "schön", "schön", kLovely, "more beautiful", "schöner"},
    Adjective{"friendly", "freundlich", "freundlich", kPerson | kFamily},
    Adjective{"red", "rot", "rot", kColoured},
    Adjective{"blue", "blau", "blau", kColoured},
    Adjective{"expensive", "teuer", "teur", kForSale, "more expensive", "teurer"},
    Adjective{"cold", "kalt", "kalt", kDrink},
    Adjective{"fresh", "frisch", "frisch", kFood | kDrink},
};

constexpr std::array kMoods = {
    Adjective{"tired", "müde", "", 0},      Adjective{"hungry", "hungrig", "", 0},
    Adjective{"sick", "krank", "", 0},      Adjective{"sad", "traurig", "", 0},
    Adjective{"happy", "glücklich", "", 0}, Adjective{"friendly", "freundlich", "", 0},
};

constexpr std::array kNames = {
    Name{"Anna", Gender::Feminine}, Name{"Paul", Gender::Masculine}, Name{"Lena", Gender::Feminine},
    Name{"Tom", Gender::Masculine}, Name{"Emma", Gender::Feminine},  Name{"Felix", Gender::Masculine},
};

constexpr std::array kPlaces = {
    Place{"at home", "zu Hause", kRest | kWork | kCook | kStay | kRead},
    Place{"in the garden", "im Garten", kPlay | kRest | kWork | kStay | kRead},
    Place{"in the kitchen", "in der Küche", kCook | kWork | kStay | kRead | kIndoors},
    Place{"in the park", "im Park", kPlay | kRest | kMeet | kRead},
    Place{"in the forest", "im Wald", kPlay},
    Place{"at the lake", "am See", kPlay | kRest | kMeet},
    Place{"in the lake", "im See", kSwim},
    Place{"in the office", "im Büro", kWork | kStay | kRead | kIndoors},
    Place{"at school", "in der Schule", kPlay | kWork | kMeet | kRead | kIndoors},
    Place{"in the library", "in der Bibliothek", kWork | kMeet | kRead | kIndoors},
    Place{"in the supermarket", "im Supermarkt", kShop | kWork | kMeet},
    Place{"at the market", "auf dem Markt", kShop | kWork | kMeet},
    Place{"in the city", "in der Stadt", kShop | kWork | kMeet},
    Place{"at the station", "am Bahnhof", kMeet},
    Place{"in the restaurant", "im Restaurant", kWork | kMeet | kCook},
    Place{"in the hotel", "im Hotel", kWork | kRest | kStay},
};

constexpr std::array kDestinations = {
    Place{"to the market", "zum Markt", kShop},
    Place{"to the supermarket", "zum Supermarkt", kShop},
    Place{"to the station", "zum Bahnhof", kMeet},
    Place{"to school", "zur Schule", kMeet},
    Place{"to the library", "in die Bibliothek", kRead},
    Place{"to the park", "in den Park", kPlay},
    Place{"to the lake", "zum See", kSwim},
    Place{"into the garden", "in den Garten", kPlay},
    Place{"into the kitchen", "in die Küche", kCook},
    Place{"into the forest", "in den Wald", kPlay},
    Place{"into the house", "ins Haus", kRest},
    Place{"to the restaurant", "ins Restaurant", 0},
    Place{"to the doctor", "zum Arzt", 0},
    Place{"home", "nach Hause", kRest | kCook},
};

constexpr std::array kTravelGoals = {
    Place{"to Berlin", "nach Berlin", 0},      Place{"to Hamburg", "nach Hamburg", 0},
    Place{"to Munich", "nach München", 0},     Place{"to Vienna", "nach Wien", 0},
    Place{"to the station", "zum Bahnhof", 0}, Place{"to the lake", "zum See", 0},
    Place{"to the city", "in die Stadt", 0},
};

constexpr std::array kMeansOfTravel = {
    Place{"by train", "mit dem Zug", 0},
    Place{"by bus", "mit dem Bus", 0},
    Place{"by car", "mit dem Auto", 0},
    Place{"by bike", "mit dem Fahrrad", 0},
};

constexpr std::array kDwellings = {
    Place{"in Berlin", "in Berlin", kDwell},      Place{"in Hamburg", "in Hamburg", kDwell},
    Place{"in Munich", "in München", kDwell},     Place{"in Vienna", "in Wien", kDwell},
    Place{"in the city", "in der Stadt", kDwell}, Place{"in the village", "im Dorf", kDwell},
    Place{"at the lake", "am See", kDwell},
};

constexpr std::array kPastimes = {
    Place{"soccer", "Fußball", kPlay},
    Place{"cards", "Karten", kPlay},
    Place{"chess", "Schach", kPlay},
    Place{"the piano", "Klavier", 0},
};

constexpr std::array kSubjectsLearned = {
    Place{"German", "Deutsch", kWork},
    Place{"English", "Englisch", kWork},
};

template <typename T>
const T& find(std::span<const T> words, std::string_view wanted, std::string_view (*key)(const T&)) {
  const auto found = std::ranges::find_if(words, [&](const T& word) { return key(word) == wanted; });
  if (found == words.end()) throw std::logic_error(fmt::format("the lexicon lacks '{}'", wanted));
  return *found;
}

}  // namespace

std::span<const Adjective> adjectives() {
  return kAdjectives;
}
std::span<const Adjective> moods() {
  return kMoods;
}
std::span<const Name> names() {
  return kNames;
}
std::span<const Place> places() {
  return kPlaces;
}
std::span<const Place> destinations() {
  return kDestinations;
}
std::span<const Place> travel_goals() {
  return kTravelGoals;
}
std::span<const Place> means_of_travel() {
  return kMeansOfTravel;
}
std::span<const Place> dwellings() {
  return kDwellings;
}
std::span<const Place> pastimes() {
  return kPastimes;
}
std::span<const Place> subjects_learned() {
  return kSubjectsLearned;
}

const Verb& find_verb(std::string_view base) {
  return find<Verb>(verbs(), base, [](const Verb& verb) { return verb.english.base; });
}
const Noun& find_noun(std::string_view english) {
  return find<Noun>(nouns(), english, [](const Noun& noun) { return noun.english; });
}
const Adjective& find_adjective(std::string_view english) {
  return find<Adjective>(adjectives(), english, [](const Adjective& adjective) { return adjective.english; });
}
const Name& find_name(std::string_view name) {
  return find<Name>(names(), name, [](const Name& entry) { return entry.name; });
}

}  // namespace memsizer::demo
