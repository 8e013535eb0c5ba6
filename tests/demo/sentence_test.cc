#include "demo/sentence.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "demo/calendar.h"

namespace memsizer::demo {
namespace {

// Pairs checked by hand, one for each construction of the grammar.

void expect(const Phrase& sentence, std::string_view english_text, std::string_view german_text) {
  EXPECT_EQ(sentence.english, english_text);
  EXPECT_EQ(sentence.german, german_text);
}

NounPhrase pro(Pronoun pronoun) {
  return NounPhrase::of(pronoun);
}
NounPhrase named(std::string_view name) {
  return NounPhrase::of(find_name(name));
}

NounPhrase one(Determiner determiner, std::string_view noun, std::string_view adjective = "") {
  NounPhrase phrase{.noun = &find_noun(noun), .determiner = determiner};
  if (!adjective.empty()) phrase.adjective = &find_adjective(adjective);
  return phrase;
}
NounPhrase the(std::string_view noun, std::string_view adjective = "") {
  return one(Determiner::Definite, noun, adjective);
}
NounPhrase a(std::string_view noun, std::string_view adjective = "") {
  return one(Determiner::Indefinite, noun, adjective);
}
NounPhrase many(Determiner determiner, std::string_view noun, std::string_view adjective = "") {
  NounPhrase phrase = one(determiner, noun, adjective);
  phrase.plural = true;
  return phrase;
}
NounPhrase counted(int number, std::string_view noun, std::string_view adjective = "") {
  NounPhrase phrase = many(Determiner::Number, noun, adjective);
  phrase.number = number;
  return phrase;
}

const Verb* verb(std::string_view base) {
  return &find_verb(base);
}

Phrase on(int weekday) {
  return on_weekday(weekdays()[weekday]);
}
Phrase at(int hour, int minute) {
  const Phrase time = clock_time(hour, minute);
  return {"at " + time.english, "um " + time.german};
}

const Phrase kToday = {"today", "heute"};
const Phrase kTomorrow = {"tomorrow", "morgen"};
const Phrase kYesterday = {"yesterday", "gestern"};
const Phrase kNow = {"now", "jetzt"};
const Phrase kInTheGarden = {"in the garden", "im Garten"};
const Phrase kAtHome = {"at home", "zu Hause"};

TEST(Sentence, VerbSecond) {
  Clause buying{.subject = the("teacher"),
                .verb = verb("buy"),
                .tense = Tense::Progressive,
                .object = a("book"),
                .time = on(0)};
  expect(statement(buying), "The teacher is buying a book on Monday.",
         "Der Lehrer kauft am Montag ein Buch.");
  buying.time_first = true;
  expect(statement(buying), "On Monday the teacher is buying a book.",
         "Am Montag kauft der Lehrer ein Buch.");
  buying.time = on_date(3, 5);
  buying.tense = Tense::Past;
  expect(statement(buying), "On the third of May the teacher bought a book.",
         "Am dritten Mai hat der Lehrer ein Buch gekauft.");
  expect(statement({.subject = pro(Pronoun::I), .verb = verb("see"), .object = the("dog", "small")}),
         "I see the small dog.", "Ich sehe den kleinen Hund.");
  expect(statement({.subject = pro(Pronoun::You),
                    .verb = verb("drink"),
                    .object = one(Determiner::None, "water", "cold")}),
         "You drink cold water.", "Du trinkst kaltes Wasser.");
  expect(statement({.subject = the("woman"), .verb = verb("need"), .object = counted(23, "egg", "fresh")}),
         "The woman needs twenty-three fresh eggs.", "Die Frau braucht dreiundzwanzig frische Eier.");
}

TEST(Sentence, SeparableVerbs) {
  const NounPhrase her_brother = one(Determiner::Her, "brother");
  Clause calling{.subject = pro(Pronoun::She), .verb = verb("call"), .object = her_brother};
  expect(statement(calling), "She calls her brother.", "Sie ruft ihren Bruder an.");
  calling.tense = Tense::Past;
  expect(statement(calling), "She called her brother.", "Sie hat ihren Bruder angerufen.");
  calling.tense = Tense::Future;
  expect(statement(calling), "She will call her brother.", "Sie wird ihren Bruder anrufen.");
  calling.tense = Tense::Modal;
  expect(statement(calling), "She must call her brother.", "Sie muss ihren Bruder anrufen.");
  expect(yes_no_question({.subject = pro(Pronoun::You),
                          .verb = verb("open"),
                          .tense = Tense::Progressive,
                          .object = many(Determiner::Definite, "window")}),
         "Are you opening the windows?", "Machst du die Fenster auf?");
  expect(statement({.subject = the("train"), .verb = verb("leave"), .time = at(3, 10)}),
         "The train leaves at ten past three.", "Der Zug fährt um zehn nach drei ab.");
  expect(statement({.subject = the("film"), .verb = verb("start"), .time = at(8, 45)}),
         "The film starts at a quarter to nine.", "Der Film fängt um Viertel vor neun an.");
  expect(
      statement({.subject = pro(Pronoun::I), .verb = verb("get"), .tense = Tense::Past, .time = at(7, 30)}),
      "I got up at half past seven.", "Ich bin um halb acht aufgestanden.");
  expect(statement({.subject = the("man"),
                    .verb = verb("shop"),
                    .tense = Tense::Past,
                    .place = {"at the market", "auf dem Markt"}}),
         "The man shopped at the market.", "Der Mann hat auf dem Markt eingekauft.");
  expect(statement({.subject = named("Paul"),
                    .verb = verb("pick"),
                    .tense = Tense::Progressive,
                    .object = pro(Pronoun::She),
                    .place = {"at the station", "am Bahnhof"},
                    .time = kToday}),
         "Paul is picking her up at the station today.", "Paul holt sie heute am Bahnhof ab.");
  expect(statement(
             {.subject = named("Paul"), .verb = verb("pick"), .object = many(Determiner::Definite, "child")}),
         "Paul picks up the children.", "Paul holt die Kinder ab.");
}

TEST(Sentence, Tenses) {
  Clause eating{.subject = named("Anna"), .verb = verb("eat"), .object = a("apple", "red")};
  expect(statement(eating), "Anna eats a red apple.", "Anna isst einen roten Apfel.");
  eating.tense = Tense::Progressive;
  expect(statement(eating), "Anna is eating a red apple.", "Anna isst einen roten Apfel.");
  eating.tense = Tense::Past;
  expect(statement(eating), "Anna ate a red apple.", "Anna hat einen roten Apfel gegessen.");
  eating.tense = Tense::Future;
  eating.time = kTomorrow;
  expect(statement(eating), "Anna will eat a red apple tomorrow.",
         "Anna wird morgen einen roten Apfel essen.");
  expect(statement({.subject = pro(Pronoun::We),
                    .verb = &verb_travel(),
                    .tense = Tense::Past,
                    .complement = {"to Berlin", "nach Berlin"},
                    .means = {"by train", "mit dem Zug"},
                    .time = kYesterday}),
         "We traveled to Berlin by train yesterday.", "Wir sind gestern mit dem Zug nach Berlin gefahren.");
  expect(statement({.subject = pro(Pronoun::They), .verb = verb("swim"), .tense = Tense::Past}), "They swam.",
         "Sie sind geschwommen.");
  expect(
      statement({.subject = pro(Pronoun::I), .verb = verb("stay"), .tense = Tense::Past, .place = kAtHome}),
      "I stayed at home.", "Ich bin zu Hause geblieben.");
  expect(statement({.subject = named("Tom"),
                    .verb = verb("repair"),
                    .tense = Tense::Past,
                    .object = one(Determiner::His, "bike")}),
         "Tom repaired his bike.", "Tom hat sein Fahrrad repariert.");
  expect(statement(
             {.subject = pro(Pronoun::We), .verb = &verb_have(), .tense = Tense::Past, .object = a("cat")}),
         "We had a cat.", "Wir hatten eine Katze.");
  expect(statement({.subject = pro(Pronoun::You),
                    .verb = &verb_be(),
                    .tense = Tense::Past,
                    .complement = {"tired", "müde"}}),
         "You were tired.", "Du warst müde.");
}

TEST(Sentence, Modals) {
  Clause reading{
      .subject = pro(Pronoun::I), .verb = verb("read"), .tense = Tense::Modal, .object = the("newspaper")};
  const auto with = [&](Modal modal) {
    reading.modal = modal;
    return statement(reading);
  };
  expect(with(Modal::Must), "I must read the newspaper.", "Ich muss die Zeitung lesen.");
  expect(with(Modal::Can), "I can read the newspaper.", "Ich kann die Zeitung lesen.");
  expect(with(Modal::Want), "I want to read the newspaper.", "Ich will die Zeitung lesen.");
  expect(with(Modal::Should), "I should read the newspaper.", "Ich sollte die Zeitung lesen.");
  expect(with(Modal::May), "I may read the newspaper.", "Ich darf die Zeitung lesen.");
  reading.subject = the("girl");
  expect(with(Modal::Want), "The girl wants to read the newspaper.", "Das Mädchen will die Zeitung lesen.");
  reading.modal = Modal::Can;
  expect(yes_no_question(reading), "Can the girl read the newspaper?", "Kann das Mädchen die Zeitung lesen?");
  reading.modal = Modal::Want;
  expect(yes_no_question(reading), "Does the girl want to read the newspaper?",
         "Will das Mädchen die Zeitung lesen?");
}

TEST(Sentence, Negation) {
  Clause buying{
      .subject = pro(Pronoun::He), .verb = verb("buy"), .negated = true, .object = a("dog", "small")};
  expect(statement(buying), "He does not buy a small dog.", "Er kauft keinen kleinen Hund.");
  buying.object = many(Determiner::None, "apple");
  expect(statement(buying), "He does not buy apples.", "Er kauft keine Äpfel.");
  buying.object = one(Determiner::None, "bread");
  buying.tense = Tense::Past;
  buying.time = kYesterday;
  expect(statement(buying), "He did not buy bread yesterday.", "Er hat gestern kein Brot gekauft.");
  buying.object = the("bread");
  expect(statement(buying), "He did not buy the bread yesterday.", "Er hat das Brot gestern nicht gekauft.");
  expect(statement({.subject = the("bus"), .verb = verb("leave"), .tense = Tense::Past, .negated = true}),
         "The bus did not leave.", "Der Bus ist nicht abgefahren.");
  expect(statement({.subject = pro(Pronoun::I),
                    .verb = &verb_go(),
                    .tense = Tense::Modal,
                    .modal = Modal::Can,
                    .negated = true,
                    .complement = {"to the market", "zum Markt"},
                    .time = kToday}),
         "I cannot go to the market today.", "Ich kann heute nicht zum Markt gehen.");
  expect(statement({.subject = named("Lena"),
                    .verb = verb("wait"),
                    .tense = Tense::Progressive,
                    .negated = true,
                    .object = the("bus")}),
         "Lena is not waiting for the bus.", "Lena wartet nicht auf den Bus.");
  expect(statement({.subject = pro(Pronoun::We),
                    .verb = verb("call"),
                    .tense = Tense::Future,
                    .negated = true,
                    .object = pro(Pronoun::He),
                    .time = on(6)}),
         "We will not call him on Sunday.", "Wir werden ihn am Sonntag nicht anrufen.");
  expect(statement(
             {.subject = the("milk"), .verb = &verb_be(), .negated = true, .complement = {"cold", "kalt"}}),
         "The milk is not cold.", "Die Milch ist nicht kalt.");
}

TEST(Sentence, DativeObjects) {
  expect(statement({.subject = named("Felix"),
                    .verb = verb("help"),
                    .tense = Tense::Progressive,
                    .object = one(Determiner::His, "grandmother"),
                    .place = kInTheGarden}),
         "Felix is helping his grandmother in the garden.", "Felix hilft seiner Großmutter im Garten.");
  expect(statement({.subject = pro(Pronoun::You),
                    .verb = verb("help"),
                    .object = many(Determiner::Definite, "child")}),
         "You help the children.", "Du hilfst den Kindern.");
  expect(statement({.subject = pro(Pronoun::He),
                    .verb = verb("give"),
                    .receiver = the("woman"),
                    .object = a("flower")}),
         "He gives the woman a flower.", "Er gibt der Frau eine Blume.");
  expect(statement({.subject = pro(Pronoun::I),
                    .verb = verb("send"),
                    .tense = Tense::Past,
                    .receiver = one(Determiner::My, "aunt"),
                    .object = a("letter"),
                    .time = on(4)}),
         "I sent my aunt a letter on Friday.", "Ich habe meiner Tante am Freitag einen Brief geschickt.");
  expect(statement({.subject = pro(Pronoun::They),
                    .verb = verb("show"),
                    .receiver = pro(Pronoun::They),
                    .object = many(Determiner::Your, "picture")}),
         "They show them your pictures.", "Sie zeigen ihnen deine Bilder.");
}

TEST(Sentence, Prepositions) {
  expect(statement({.subject = pro(Pronoun::She),
                    .verb = verb("buy"),
                    .object = the("coat", "blue"),
                    .beneficiary = {"for her brother",
                                    german("für", one(Determiner::Her, "brother"), Case::Accusative)}}),
         "She buys the blue coat for her brother.", "Sie kauft den blauen Mantel für ihren Bruder.");
  expect(statement({.subject = the("child"),
                    .verb = &verb_play(),
                    .tense = Tense::Progressive,
                    .complement = {"soccer", "Fußball"},
                    .companion = {"with the dog", german("mit", the("dog"), Case::Dative)},
                    .place = kInTheGarden,
                    .time = kNow}),
         "The child is playing soccer with the dog in the garden now.",
         "Das Kind spielt jetzt mit dem Hund im Garten Fußball.");
  expect(statement({.subject = pro(Pronoun::We),
                    .verb = verb("wait"),
                    .tense = Tense::Past,
                    .object = pro(Pronoun::You),
                    .place = {"at the station", "am Bahnhof"}}),
         "We waited for you at the station.", "Wir haben am Bahnhof auf dich gewartet.");
  expect(
      statement({.subject = the("key"),
                 .verb = &verb_be(),
                 .complement = {"under the old table", german("unter", the("table", "old"), Case::Dative)}}),
      "The key is under the old table.", "Der Schlüssel ist unter dem alten Tisch.");
}

TEST(Sentence, NewObjectsFollowThePlace) {
  Clause eating{.subject = pro(Pronoun::He), .verb = verb("eat"), .object = a("cake"), .place = kInTheGarden};
  expect(statement(eating), "He eats a cake in the garden.", "Er isst im Garten einen Kuchen.");
  eating.object = the("cake");
  expect(statement(eating), "He eats the cake in the garden.", "Er isst den Kuchen im Garten.");
}

TEST(Sentence, FrequencyAndLiking) {
  expect(statement({.subject = pro(Pronoun::They),
                    .verb = verb("drink"),
                    .object = a("cup of tea"),
                    .frequency = {"often", "oft"}}),
         "They often drink a cup of tea.", "Sie trinken oft eine Tasse Tee.");
  expect(statement({.subject = named("Emma"), .verb = verb("dance"), .tense = Tense::Liking}),
         "Emma likes to dance.", "Emma tanzt gern.");
  expect(yes_no_question({.subject = pro(Pronoun::You),
                          .verb = verb("read"),
                          .tense = Tense::Liking,
                          .object = many(Determiner::None, "story")}),
         "Do you like to read stories?", "Liest du gern Geschichten?");
}

TEST(Sentence, Questions) {
  expect(yes_no_question({.subject = many(Determiner::Your, "friend"),
                          .verb = verb("work"),
                          .tense = Tense::Past,
                          .time = kYesterday}),
         "Did your friends work yesterday?", "Haben deine Freunde gestern gearbeitet?");
  expect(yes_no_question({.subject = the("house"), .verb = &verb_be(), .complement = {"big", "groß"}}),
         "Is the house big?", "Ist das Haus groß?");
  expect(wh_question({"what", "was"},
                     {.subject = the("teacher"), .verb = verb("buy"), .tense = Tense::Progressive}),
         "What is the teacher buying?", "Was kauft der Lehrer?");
  expect(wh_question({"where", "wo"}, {.subject = pro(Pronoun::He), .verb = &verb_live()}),
         "Where does he live?", "Wo wohnt er?");
  expect(wh_question({"where", "wohin"},
                     {.subject = pro(Pronoun::You), .verb = &verb_go(), .tense = Tense::Progressive}),
         "Where are you going?", "Wohin gehst du?");
  expect(wh_question({"when", "wann"}, {.subject = the("game"), .verb = verb("start"), .tense = Tense::Past}),
         "When did the game start?", "Wann hat das Spiel angefangen?");
  expect(wh_question({"why", "warum"},
                     {.subject = the("cat"), .verb = verb("sleep"), .tense = Tense::Progressive}),
         "Why is the cat sleeping?", "Warum schläft die Katze?");
  const NounPhrase books = many(Determiner::HowMany, "book");
  expect(wh_question({english_object(books), german(books, Case::Accusative)},
                     {.subject = pro(Pronoun::You), .verb = verb("find"), .tense = Tense::Past}),
         "How many books did you find?", "Wie viele Bücher hast du gefunden?");
  expect(who_question({.subject = pro(Pronoun::Who),
                       .verb = verb("call"),
                       .tense = Tense::Progressive,
                       .object = named("Anna")}),
         "Who is calling Anna?", "Wer ruft Anna an?");
  expect(
      who_question(
          {.subject = pro(Pronoun::Who), .verb = verb("close"), .tense = Tense::Past, .object = the("door")}),
      "Who closed the door?", "Wer hat die Tür zugemacht?");
}

TEST(Sentence, SubordinateClauses) {
  const Phrase rain = {"it is raining", "es regnet"};
  const Clause staying{
      .subject = pro(Pronoun::We), .verb = verb("stay"), .tense = Tense::Future, .place = kAtHome};
  expect(because_sentence(staying, rain), "We will stay at home because it is raining.",
         "Wir werden zu Hause bleiben, weil es regnet.");
  expect(if_first(rain, staying), "If it is raining, we will stay at home.",
         "Wenn es regnet, werden wir zu Hause bleiben.");
  expect(if_last(staying, rain), "We will stay at home if it is raining.",
         "Wir werden zu Hause bleiben, wenn es regnet.");
  const Clause sleeping{.subject = named("Tom"), .verb = verb("sleep"), .tense = Tense::Progressive};
  const auto why = [&](const Clause& clause) { return because_sentence(sleeping, subordinate(clause)); };
  expect(why({.subject = pro(Pronoun::He), .verb = &verb_be(), .complement = {"tired", "müde"}}),
         "Tom is sleeping because he is tired.", "Tom schläft, weil er müde ist.");
  expect(why({.subject = pro(Pronoun::He), .verb = verb("work"), .tense = Tense::Past}),
         "Tom is sleeping because he worked.", "Tom schläft, weil er gearbeitet hat.");
  expect(why({.subject = pro(Pronoun::He), .verb = verb("get"), .tense = Tense::Modal, .time = at(6, 0)}),
         "Tom is sleeping because he must get up at six o'clock.",
         "Tom schläft, weil er um sechs Uhr aufstehen muss.");
  const auto believe = [](const Clause& what) {
    return that_sentence({.subject = pro(Pronoun::I), .verb = &opinion_verbs()[1]}, what);
  };
  expect(believe({.subject = the("woman"), .verb = verb("call"), .object = pro(Pronoun::We)}),
         "I believe that the woman calls us.", "Ich glaube, dass die Frau uns anruft.");
  expect(believe({.subject = the("train"), .verb = verb("leave"), .tense = Tense::Past}),
         "I believe that the train left.", "Ich glaube, dass der Zug abgefahren ist.");
  expect(believe({.subject = named("Lena"), .verb = verb("know"), .negated = true, .object = the("doctor")}),
         "I believe that Lena does not know the doctor.", "Ich glaube, dass Lena den Arzt nicht kennt.");
  expect(
      that_sentence({.subject = pro(Pronoun::I), .verb = &opinion_verbs()[0]},
                    {.subject = pro(Pronoun::You), .verb = &verb_live(), .place = {"in Vienna", "in Wien"}}),
      "I know that you live in Vienna.", "Ich weiß, dass du in Wien wohnst.");
}

TEST(Sentence, Purposes) {
  const auto going = [](std::string_view english_goal, std::string_view german_goal) {
    return Clause{.subject = pro(Pronoun::She),
                  .verb = &verb_go(),
                  .tense = Tense::Progressive,
                  .complement = {std::string(english_goal), std::string(german_goal)}};
  };
  expect(purpose_sentence(
             going("to the market", "zum Markt"),
             {.subject = pro(Pronoun::She), .verb = verb("buy"), .object = many(Determiner::None, "tomato")}),
         "She is going to the market to buy tomatoes.", "Sie geht zum Markt, um Tomaten zu kaufen.");
  expect(purpose_sentence(going("to the station", "zum Bahnhof"),
                          {.subject = pro(Pronoun::She), .verb = verb("pick"), .object = pro(Pronoun::He)}),
         "She is going to the station to pick him up.", "Sie geht zum Bahnhof, um ihn abzuholen.");
  expect(
      purpose_sentence(going("to the lake", "zum See"), {.subject = pro(Pronoun::She), .verb = verb("swim")}),
      "She is going to the lake to swim.", "Sie geht zum See, um zu schwimmen.");
}

TEST(Sentence, TwoMainClauses) {
  const Clause reading{.subject = named("Anna"), .verb = verb("read"), .object = a("book")};
  const Clause sleeping{.subject = named("Paul"), .verb = verb("sleep")};
  expect(and_sentence(reading, sleeping), "Anna reads a book and Paul sleeps.",
         "Anna liest ein Buch und Paul schläft.");
  expect(but_sentence(reading, sleeping), "Anna reads a book, but Paul sleeps.",
         "Anna liest ein Buch, aber Paul schläft.");
}

TEST(Sentence, PlaceTimeAndPrice) {
  expect(there_is(counted(12, "chair"), {"in the kitchen", "in der Küche"}),
         "There are twelve chairs in the kitchen.", "In der Küche gibt es zwölf Stühle.");
  expect(there_is(a("table", "big"), {"in the office", "im Büro"}), "There is a big table in the office.",
         "Im Büro gibt es einen großen Tisch.");
  expect(is_there(a("lamp"), {"in the library", "in der Bibliothek"}), "Is there a lamp in the library?",
         "Gibt es in der Bibliothek eine Lampe?");
  expect(it_is(clock_time(12, 30)), "It is half past twelve.", "Es ist halb eins.");
  expect(statement({.subject = many(Determiner::Definite, "shoe", "new"),
                    .verb = &verb_cost(),
                    .complement = {"ninety euros", "neunzig Euro"}}),
         "The new shoes cost ninety euros.", "Die neuen Schuhe kosten neunzig Euro.");
  expect(statement({.subject = one(Determiner::My, "hat", "red"),
                    .verb = &verb_cost(),
                    .complement = {"two hundred euros", "zweihundert Euro"}}),
         "My red hat costs two hundred euros.", "Mein roter Hut kostet zweihundert Euro.");
}

}  // namespace
}  // namespace memsizer::demo
