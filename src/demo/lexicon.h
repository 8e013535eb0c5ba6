#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace memsizer::demo {

enum class Gender { Masculine, Feminine, Neuter };
enum class Case { Nominative, Accusative, Dative, Genitive };

// What a noun can be or can have done to it, so that sentences make sense. A set of bits.
using Kinds = uint32_t;
inline constexpr Kinds kPerson = 1U << 0;
inline constexpr Kinds kFamily = 1U << 1;  // said with a possessive: "my brother"
inline constexpr Kinds kAnimal = 1U << 2;
inline constexpr Kinds kFood = 1U << 3;
inline constexpr Kinds kDrink = 1U << 4;
inline constexpr Kinds kClothing = 1U << 5;
inline constexpr Kinds kReadable = 1U << 6;
inline constexpr Kinds kWritable = 1U << 7;
inline constexpr Kinds kOpenable = 1U << 8;
inline constexpr Kinds kRepairable = 1U << 9;
inline constexpr Kinds kDrawable = 1U << 10;
inline constexpr Kinds kGift = 1U << 11;
inline constexpr Kinds kPortable = 1U << 12;
inline constexpr Kinds kFurniture = 1U << 13;
inline constexpr Kinds kVehicle = 1U << 14;  // follows a timetable
inline constexpr Kinds kEvent = 1U << 15;
inline constexpr Kinds kBaked = 1U << 16;
inline constexpr Kinds kForSale = 1U << 17;
inline constexpr Kinds kSized = 1U << 18;
inline constexpr Kinds kAged = 1U << 19;
inline constexpr Kinds kColoured = 1U << 20;
inline constexpr Kinds kLovely = 1U << 21;
inline constexpr Kinds kSupport = 1U << 22;       // things lie on, under or beside it
inline constexpr Kinds kMass = 1U << 23;          // no plural, no "a"
inline constexpr Kinds kOnlySingular = 1U << 24;  // one has one of it
inline constexpr Kinds kOnlyPlural = 1U << 25;    // comes in pairs
inline constexpr Kinds kPortion = 1U << 26;       // "cup of tea"
inline constexpr Kinds kClosable = 1U << 27;
inline constexpr Kinds kYoung = 1U << 28;  // of any age one tells

struct Noun {
  std::string_view english;
  std::string_view english_plural;
  Gender gender;
  std::string_view german;
  std::string_view german_plural;  // nominative; the dative follows from it
  Kinds kinds;
};

struct Adjective {
  std::string_view english;
  std::string_view german;  // as a predicate
  std::string_view stem;    // before endings
  Kinds kinds;              // of the nouns it goes with
  std::string_view english_comparative = "";
  std::string_view german_comparative = "";
};

struct Name {
  std::string_view name;
  Gender gender;
};

// Where things happen, and for which activities the place makes sense.
using Activities = uint32_t;
inline constexpr Activities kPlay = 1U << 0;
inline constexpr Activities kRest = 1U << 1;
inline constexpr Activities kWork = 1U << 2;
inline constexpr Activities kShop = 1U << 3;
inline constexpr Activities kMeet = 1U << 4;
inline constexpr Activities kCook = 1U << 5;
inline constexpr Activities kSwim = 1U << 6;
inline constexpr Activities kStay = 1U << 7;
inline constexpr Activities kDwell = 1U << 8;
inline constexpr Activities kRead = 1U << 9;
inline constexpr Activities kIndoors = 1U << 10;

struct Place {
  std::string_view english;
  std::string_view german;
  Activities activities;
};

struct EnglishVerb {
  std::string_view base;
  std::string_view third;  // "she reads"
  std::string_view past = "";
  std::string_view ing = "";
  std::string_view particle = "";     // "picks him up"
  std::string_view preposition = "";  // "waits for him"
};

struct GermanVerb {
  std::string_view ich;
  std::string_view du;
  std::string_view er;
  std::string_view infinitive;  // without the prefix; also the plural
  std::string_view participle = "";
  std::string_view prefix = "";       // "ruft ihn an"
  std::string_view preposition = "";  // "wartet auf ihn"
  bool with_sein = false;             // "ist gekommen"
};

enum class Usage {
  Any,
  NoProgressive,  // "lives"
  PresentOnly,    // "needs"
  Imperfect,      // present, and the past without a participle: "hatte", "war"
};

struct Verb {
  EnglishVerb english;
  GermanVerb german;
  Kinds objects = 0;
  Case object_case = Case::Accusative;
  bool has_receiver = false;  // "gives him a book"
  bool for_someone = false;   // "buys a book for him"
  bool likable = false;       // "likes to swim", "schwimmt gern"
  bool sociable = false;      // "swims with him"
  Activities places = 0;
  Usage usage = Usage::Any;
  Kinds subjects = kPerson | kFamily;
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Adjective> moods();  // of persons, as predicates only: "tired"
std::span<const Name> names();

std::span<const Place> places();           // "in the garden", "im Garten"
std::span<const Place> destinations();     // on foot: "to the market", "zum Markt"
std::span<const Place> travel_goals();     // by train and the like: "to Berlin", "nach Berlin"
std::span<const Place> means_of_travel();  // "by train", "mit dem Zug"
std::span<const Place> dwellings();        // "in Berlin"

// What one plays or learns, without an article: "soccer", "Fußball".
std::span<const Place> pastimes();
std::span<const Place> subjects_learned();

std::span<const Verb> verbs();          // with the objects of their kinds, or none
std::span<const Verb> opinion_verbs();  // before "that"
// Verbs of sentences with a form of their own.
const Verb& verb_be();
const Verb& verb_have();
const Verb& verb_cost();
const Verb& verb_go();
const Verb& verb_travel();
const Verb& verb_live();
const Verb& verb_play();
const Verb& verb_learn();

// By their English base form or singular; a word the lexicon lacks is a std::logic_error.
const Verb& find_verb(std::string_view base);
const Noun& find_noun(std::string_view english);
const Adjective& find_adjective(std::string_view english);
const Name& find_name(std::string_view name);

}  // namespace memsizer::demo
