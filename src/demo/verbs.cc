#include <array>

#include "demo/lexicon.h"

namespace memsizer::demo {
namespace {

constexpr Kinds kPeople = kPerson | kFamily;
constexpr Activities kAnywhere = kPlay | kShop | kMeet;

constexpr std::array kVerbs = {
    Verb{.english = {"buy", "buys", "bought", "buying"},
         .german = {"kaufe", "kaufst", "kauft", "kaufen", "gekauft"},
         .objects = kForSale,
         .for_someone = true,
         .places = kShop},
    Verb{.english = {"see", "sees", "saw", "seeing"},
         .german = {"sehe", "siehst", "sieht", "sehen", "gesehen"},
         .objects = kPeople | kAnimal | kPortable,
         .places = kMeet | kPlay,
         .usage = Usage::NoProgressive},
    Verb{.english = {"read", "reads", "read", "reading"},
         .german = {"lese", "liest", "liest", "lesen", "gelesen"},
         .objects = kReadable,
         .likable = true,
         .places = kRead},
    Verb{.english = {"write", "writes", "wrote", "writing"},
         .german = {"schreibe", "schreibst", "schreibt", "schreiben", "geschrieben"},
         .objects = kWritable,
         .for_someone = true,
         .likable = true,
         .places = kRead},
    Verb{.english = {"eat", "eats", "ate", "eating"},
         .german = {"esse", "isst", "isst", "essen", "gegessen"},
         .objects = kFood,
         .likable = true,
         .places = kCook | kRest},
    Verb{.english = {"drink", "drinks", "drank", "drinking"},
         .german = {"trinke", "trinkst", "trinkt", "trinken", "getrunken"},
         .objects = kDrink,
         .likable = true,
         .places = kCook | kRest},
    Verb{.english = {"bake", "bakes", "baked", "baking"},
         .german = {"backe", "backst", "backt", "backen", "gebacken"},
         .objects = kBaked,
         .for_someone = true,
         .likable = true,
         .places = kCook},
    Verb{.english = {"find", "finds", "found", "finding"},
         .german = {"finde", "findest", "findet", "finden", "gefunden"},
         .objects = kPortable,
         .places = kAnywhere,
         .usage = Usage::NoProgressive},
    Verb{.english = {"need", "needs"},
         .german = {"brauche", "brauchst", "braucht", "brauchen"},
         .objects = kForSale | kPortable,
         .usage = Usage::PresentOnly},
    Verb{.english = {"know", "knows"},
         .german = {"kenne", "kennst", "kennt", "kennen"},
         .objects = kPeople,
         .usage = Usage::PresentOnly},
    Verb{.english = {"visit", "visits", "visited", "visiting"},
         .german = {"besuche", "besuchst", "besucht", "besuchen", "besucht"},
         .objects = kPeople,
         .likable = true},
    Verb{.english = {"help", "helps", "helped", "helping"},
         .german = {"helfe", "hilfst", "hilft", "helfen", "geholfen"},
         .objects = kPeople,
         .object_case = Case::Dative,
         .places = kWork | kCook},
    Verb{.english = {"give", "gives", "gave", "giving"},
         .german = {"gebe", "gibst", "gibt", "geben", "gegeben"},
         .objects = kGift | kPortable,
         .has_receiver = true},
    Verb{.english = {"show", "shows", "showed", "showing"},
         .german = {"zeige", "zeigst", "zeigt", "zeigen", "gezeigt"},
         .objects = kGift | kPortable | kDrawable,
         .has_receiver = true},
    Verb{.english = {"send", "sends", "sent", "sending"},
         .german = {"schicke", "schickst", "schickt", "schicken", "geschickt"},
         .objects = kGift,
         .has_receiver = true},
    Verb{.english = {"call", "calls", "called", "calling"},
         .german = {"rufe", "rufst", "ruft", "rufen", "angerufen", "an"},
         .objects = kPeople},
    Verb{.english = {"pick", "picks", "picked", "picking", "up"},
         .german = {"hole", "holst", "holt", "holen", "abgeholt", "ab"},
         .objects = kPeople,
         .places = kMeet},
    Verb{.english = {"open", "opens", "opened", "opening"},
         .german = {"mache", "machst", "macht", "machen", "aufgemacht", "auf"},
         .objects = kOpenable},
    Verb{.english = {"close", "closes", "closed", "closing"},
         .german = {"mache", "machst", "macht", "machen", "zugemacht", "zu"},
         .objects = kClosable},
    Verb{.english = {"draw", "draws", "drew", "drawing"},
         .german = {"zeichne", "zeichnest", "zeichnet", "zeichnen", "gezeichnet"},
         .objects = kDrawable,
         .for_someone = true,
         .likable = true,
         .places = kPlay | kRead},
    Verb{.english = {"repair", "repairs", "repaired", "repairing"},
         .german = {"repariere", "reparierst", "repariert", "reparieren", "repariert"},
         .objects = kRepairable,
         .likable = true},
    Verb{.english = {"look", "looks", "looked", "looking", "", "for"},
         .german = {"suche", "suchst", "sucht", "suchen", "gesucht"},
         .objects = kPortable | kAnimal | kPeople | kClothing,
         .places = kAnywhere},
    Verb{.english = {"wait", "waits", "waited", "waiting", "", "for"},
         .german = {"warte", "wartest", "wartet", "warten", "gewartet", "", "auf"},
         .objects = kPeople | kVehicle,
         .places = kMeet},
    Verb{.english = {"feed", "feeds", "fed", "feeding"},
         .german = {"füttere", "fütterst", "füttert", "füttern", "gefüttert"},
         .objects = kAnimal,
         .likable = true},
    Verb{.english = {"sleep", "sleeps", "slept", "sleeping"},
         .german = {"schlafe", "schläfst", "schläft", "schlafen", "geschlafen"},
         .likable = true,
         .places = kRest,
         .subjects = kPeople | kAnimal},
    Verb{.english = {"work", "works", "worked", "working"},
         .german = {"arbeite", "arbeitest", "arbeitet", "arbeiten", "gearbeitet"},
         .likable = true,
         .sociable = true,
         .places = kWork},
    Verb{.english = {"swim", "swims", "swam", "swimming"},
         .german = {"schwimme", "schwimmst", "schwimmt", "schwimmen", "geschwommen", "", "", true},
         .likable = true,
         .sociable = true,
         .places = kSwim},
    Verb{.english = {"dance", "dances", "danced", "dancing"},
         .german = {"tanze", "tanzt", "tanzt", "tanzen", "getanzt"},
         .likable = true,
         .sociable = true,
         .places = kPlay | kCook},
    Verb{.english = {"stay", "stays", "stayed", "staying"},
         .german = {"bleibe", "bleibst", "bleibt", "bleiben", "geblieben", "", "", true},
         .places = kStay},
    Verb{.english = {"shop", "shops", "shopped", "shopping"},
         .german = {"kaufe", "kaufst", "kauft", "kaufen", "eingekauft", "ein"},
         .likable = true,
         .sociable = true,
         .places = kShop},
    Verb{.english = {"get", "gets", "got", "getting", "up"},
         .german = {"stehe", "stehst", "steht", "stehen", "aufgestanden", "auf", "", true}},
    Verb{.english = {"leave", "leaves", "left", "leaving"},
         .german = {"fahre", "fährst", "fährt", "fahren", "abgefahren", "ab", "", true},
         .subjects = kVehicle},
    Verb{.english = {"start", "starts", "started", "starting"},
         .german = {"fange", "fängst", "fängt", "fangen", "angefangen", "an"},
         .subjects = kEvent},
};

constexpr std::array kOpinionVerbs = {
    Verb{.english = {"know", "knows"},
         .german = {"weiß", "weißt", "weiß", "wissen"},
         .usage = Usage::PresentOnly},
    Verb{.english = {"believe", "believes"},
         .german = {"glaube", "glaubst", "glaubt", "glauben"},
         .usage = Usage::PresentOnly},
    Verb{.english = {"hope", "hopes"},
         .german = {"hoffe", "hoffst", "hofft", "hoffen"},
         .usage = Usage::PresentOnly},
    Verb{.english = {"say", "says"},
         .german = {"sage", "sagst", "sagt", "sagen"},
         .usage = Usage::PresentOnly},
};

// The forms of "to be" follow a pattern of their own (clause.cc).
constexpr Verb kBe = {
    .english = {"be", "is"}, .german = {"bin", "bist", "ist", "sind", "war"}, .usage = Usage::Imperfect};
constexpr Verb kHave = {.english = {"have", "has", "had"},
                        .german = {"habe", "hast", "hat", "haben", "hatte"},
                        .objects = kAnimal | kForSale | kPortable,
                        .usage = Usage::Imperfect};
constexpr Verb kCost = {.english = {"cost", "costs"},
                        .german = {"koste", "kostest", "kostet", "kosten"},
                        .usage = Usage::PresentOnly,
                        .subjects = kForSale};
constexpr Verb kGo = {.english = {"go", "goes", "went", "going"},
                      .german = {"gehe", "gehst", "geht", "gehen", "gegangen", "", "", true},
                      .sociable = true};
constexpr Verb kTravel = {.english = {"travel", "travels", "traveled", "traveling"},
                          .german = {"fahre", "fährst", "fährt", "fahren", "gefahren", "", "", true},
                          .sociable = true};
constexpr Verb kLive = {.english = {"live", "lives", "lived", "living"},
                        .german = {"wohne", "wohnst", "wohnt", "wohnen", "gewohnt"},
                        .places = kDwell,
                        .usage = Usage::NoProgressive};
constexpr Verb kPlayGame = {.english = {"play", "plays", "played", "playing"},
                            .german = {"spiele", "spielst", "spielt", "spielen", "gespielt"},
                            .likable = true,
                            .sociable = true,
                            .places = kPlay};
constexpr Verb kLearn = {.english = {"learn", "learns", "learned", "learning"},
                         .german = {"lerne", "lernst", "lernt", "lernen", "gelernt"},
                         .likable = true,
                         .sociable = true,
                         .places = kRead};

}  // namespace

std::span<const Verb> verbs() {
  return kVerbs;
}
std::span<const Verb> opinion_verbs() {
  return kOpinionVerbs;
}
const Verb& verb_be() {
  return kBe;
}
const Verb& verb_have() {
  return kHave;
}
const Verb& verb_cost() {
  return kCost;
}
const Verb& verb_go() {
  return kGo;
}
const Verb& verb_travel() {
  return kTravel;
}
const Verb& verb_live() {
  return kLive;
}
const Verb& verb_play() {
  return kPlayGame;
}
const Verb& verb_learn() {
  return kLearn;
}

}  // namespace memsizer::demo
