#include <array>

#include "demo/lexicon.h"

namespace memsizer::demo {
namespace {

constexpr Gender kM = Gender::Masculine;
constexpr Gender kF = Gender::Feminine;
constexpr Gender kN = Gender::Neuter;

// Nouns of the weak declension (der Junge, der Student, der Nachbar) are left out, and English nouns whose
// plural looks like the singular, as the sentence would not say which is meant.
constexpr std::array kNouns = {
    Noun{"teacher", "teachers", kM, "Lehrer", "Lehrer", kPerson},
    Noun{"doctor", "doctors", kM, "Arzt", "Ärzte", kPerson},
    Noun{"man", "men", kM, "Mann", "Männer", kPerson},
    Noun{"woman", "women", kF, "Frau", "Frauen", kPerson},
    Noun{"child", "children", kN, "Kind", "Kinder", kPerson | kYoung},
    Noun{"girl", "girls", kN, "Mädchen", "Mädchen", kPerson | kYoung},

    Noun{"brother", "brothers", kM, "Bruder", "Brüder", kFamily | kYoung},
    Noun{"sister", "sisters", kF, "Schwester", "Schwestern", kFamily | kYoung},
    Noun{"aunt", "aunts", kF, "Tante", "Tanten", kFamily | kOnlySingular},
    Noun{"uncle", "uncles", kM, "Onkel", "Onkel", kFamily | kOnlySingular},
    Noun{"friend", "friends", kM, "Freund", "Freunde", kFamily | kYoung},
    Noun{"mother", "mothers", kF, "Mutter", "Mütter", kFamily | kOnlySingular},
    Noun{"father", "fathers", kM, "Vater", "Väter", kFamily | kOnlySingular},
    Noun{"grandmother", "grandmothers", kF, "Großmutter", "Großmütter", kFamily | kOnlySingular},

    Noun{"dog", "dogs", kM, "Hund", "Hunde", kAnimal | kDrawable | kSized | kAged | kLovely},
    Noun{"cat", "cats", kF, "Katze", "Katzen", kAnimal | kDrawable | kSized | kAged | kLovely},
    Noun{"horse", "horses", kN, "Pferd", "Pferde", kAnimal | kDrawable | kSized | kAged | kLovely},
    Noun{"bird", "birds", kM, "Vogel", "Vögel", kAnimal | kDrawable | kColoured | kSized | kLovely},
    Noun{"cow", "cows", kF, "Kuh", "Kühe", kAnimal | kDrawable | kSized | kAged},

    Noun{"apple", "apples", kM, "Apfel", "Äpfel", kFood | kForSale | kDrawable | kSized},
    Noun{"banana", "bananas", kF, "Banane", "Bananen", kFood | kForSale | kDrawable | kSized},
    Noun{"tomato", "tomatoes", kF, "Tomate", "Tomaten", kFood | kForSale | kSized},
    Noun{"egg", "eggs", kN, "Ei", "Eier", kFood | kForSale | kSized},
    Noun{"cake", "cakes", kM, "Kuchen", "Kuchen", kFood | kForSale | kBaked | kSized},
    Noun{"pizza", "pizzas", kF, "Pizza", "Pizzas", kFood | kForSale | kBaked | kSized},
    Noun{"bread", "", kN, "Brot", "", kFood | kForSale | kBaked | kMass},
    Noun{"cheese", "", kM, "Käse", "", kFood | kForSale | kMass},
    Noun{"milk", "", kF, "Milch", "", kDrink | kForSale | kMass},
    Noun{"water", "", kN, "Wasser", "", kDrink | kForSale | kMass},
    Noun{"juice", "", kM, "Saft", "", kDrink | kForSale | kMass},
    Noun{"coffee", "", kM, "Kaffee", "", kDrink | kForSale | kMass},
    Noun{"tea", "", kM, "Tee", "", kDrink | kForSale | kMass},
    Noun{"cup of coffee", "cups of coffee", kF, "Tasse Kaffee", "Tassen Kaffee",
         kDrink | kPortion | kOnlySingular},
    Noun{"cup of tea", "cups of tea", kF, "Tasse Tee", "Tassen Tee", kDrink | kPortion | kOnlySingular},
    Noun{"glass of milk", "glasses of milk", kN, "Glas Milch", "Gläser Milch",
         kDrink | kPortion | kOnlySingular},
    Noun{"glass of water", "glasses of water", kN, "Glas Wasser", "Gläser Wasser",
         kDrink | kPortion | kOnlySingular},

    Noun{"coat", "coats", kM, "Mantel", "Mäntel", kClothing | kForSale | kAged | kColoured | kLovely | kGift},
    Noun{"dress", "dresses", kN, "Kleid", "Kleider",
         kClothing | kForSale | kAged | kColoured | kLovely | kGift | kDrawable},
    Noun{"hat", "hats", kM, "Hut", "Hüte", kClothing | kForSale | kAged | kColoured | kLovely | kGift},
    Noun{"shirt", "shirts", kN, "Hemd", "Hemden", kClothing | kForSale | kAged | kColoured},
    Noun{"shoe", "shoes", kM, "Schuh", "Schuhe", kClothing | kForSale | kAged | kColoured | kOnlyPlural},

    Noun{"book", "books", kN, "Buch", "Bücher",
         kReadable | kWritable | kGift | kPortable | kForSale | kSized | kAged | kColoured},
    Noun{"letter", "letters", kM, "Brief", "Briefe", kReadable | kWritable | kGift | kOpenable | kAged},
    Noun{"newspaper", "newspapers", kF, "Zeitung", "Zeitungen", kReadable | kPortable | kForSale | kAged},
    Noun{"story", "stories", kF, "Geschichte", "Geschichten", kReadable | kWritable | kAged | kLovely},
    Noun{"postcard", "postcards", kF, "Postkarte", "Postkarten",
         kReadable | kWritable | kGift | kForSale | kAged | kLovely},

    Noun{"bag", "bags", kF, "Tasche", "Taschen",
         kPortable | kOpenable | kClosable | kForSale | kSized | kAged | kColoured | kSupport},
    Noun{"box", "boxes", kF, "Kiste", "Kisten",
         kPortable | kOpenable | kClosable | kSized | kAged | kColoured | kSupport},
    Noun{"bottle", "bottles", kF, "Flasche", "Flaschen",
         kPortable | kOpenable | kClosable | kSized | kColoured},
    Noun{"door", "doors", kF, "Tür", "Türen",
         kOpenable | kClosable | kRepairable | kSized | kAged | kColoured | kFurniture},
    Noun{"window", "windows", kN, "Fenster", "Fenster",
         kOpenable | kClosable | kRepairable | kSized | kAged | kFurniture},
    Noun{"key", "keys", kM, "Schlüssel", "Schlüssel", kPortable | kSized | kAged},
    Noun{"ball", "balls", kM, "Ball", "Bälle", kPortable | kGift | kForSale | kSized | kAged | kColoured},
    Noun{"flower", "flowers", kF, "Blume", "Blumen",
         kGift | kForSale | kDrawable | kSized | kColoured | kLovely},
    Noun{"picture", "pictures", kN, "Bild", "Bilder",
         kGift | kPortable | kForSale | kDrawable | kSized | kAged | kLovely | kFurniture},
    Noun{"lamp", "lamps", kF, "Lampe", "Lampen",
         kRepairable | kForSale | kSized | kAged | kColoured | kLovely | kFurniture},
    Noun{"computer", "computers", kM, "Computer", "Computer",
         kRepairable | kForSale | kAged | kColoured | kFurniture},
    Noun{"clock", "clocks", kF, "Uhr", "Uhren",
         kRepairable | kForSale | kSized | kAged | kLovely | kFurniture},
    Noun{"table", "tables", kM, "Tisch", "Tische",
         kRepairable | kForSale | kDrawable | kColoured | kSized | kAged | kFurniture | kSupport},
    Noun{"chair", "chairs", kM, "Stuhl", "Stühle",
         kRepairable | kForSale | kDrawable | kColoured | kSized | kAged | kFurniture | kSupport},
    Noun{"car", "cars", kN, "Auto", "Autos",
         kRepairable | kForSale | kDrawable | kSized | kAged | kColoured | kSupport},
    Noun{"bike", "bikes", kN, "Fahrrad", "Fahrräder", kRepairable | kForSale | kDrawable | kAged | kColoured},
    Noun{"house", "houses", kN, "Haus", "Häuser",
         kForSale | kDrawable | kSized | kAged | kColoured | kLovely | kSupport},

    Noun{"bus", "buses", kM, "Bus", "Busse", kVehicle | kOnlySingular},
    Noun{"train", "trains", kM, "Zug", "Züge", kVehicle | kOnlySingular},
    Noun{"film", "films", kM, "Film", "Filme", kEvent | kOnlySingular},
    Noun{"game", "games", kN, "Spiel", "Spiele", kEvent | kOnlySingular},
};

}  // namespace

std::span<const Noun> nouns() {
  return kNouns;
}

}  // namespace memsizer::demo
