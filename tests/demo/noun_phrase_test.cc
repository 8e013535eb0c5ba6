#include "demo/noun_phrase.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace memsizer::demo {
namespace {

constexpr Case kNom = Case::Nominative;
constexpr Case kAcc = Case::Accusative;
constexpr Case kDat = Case::Dative;

NounPhrase one(Determiner determiner, std::string_view noun, std::string_view adjective = "") {
  NounPhrase phrase{.noun = &find_noun(noun), .determiner = determiner};
  if (!adjective.empty()) phrase.adjective = &find_adjective(adjective);
  return phrase;
}

NounPhrase many(Determiner determiner, std::string_view noun, std::string_view adjective = "") {
  NounPhrase phrase = one(determiner, noun, adjective);
  phrase.plural = true;
  return phrase;
}

TEST(NounPhrase, WeakEndings) {
  const NounPhrase dog = one(Determiner::Definite, "dog", "small");
  EXPECT_EQ(english_subject(dog), "the small dog");
  EXPECT_EQ(german(dog, kNom), "der kleine Hund");
  EXPECT_EQ(german(dog, kAcc), "den kleinen Hund");
  EXPECT_EQ(german(dog, kDat), "dem kleinen Hund");
  const NounPhrase cat = one(Determiner::Definite, "cat", "small");
  EXPECT_EQ(german(cat, kNom), "die kleine Katze");
  EXPECT_EQ(german(cat, kAcc), "die kleine Katze");
  EXPECT_EQ(german(cat, kDat), "der kleinen Katze");
  const NounPhrase car = one(Determiner::Definite, "car", "expensive");
  EXPECT_EQ(german(car, kNom), "das teure Auto");
  EXPECT_EQ(german(car, kAcc), "das teure Auto");
  EXPECT_EQ(german(car, kDat), "dem teuren Auto");
  const NounPhrase dogs = many(Determiner::Definite, "dog", "small");
  EXPECT_EQ(english_subject(dogs), "the small dogs");
  EXPECT_EQ(german(dogs, kNom), "die kleinen Hunde");
  EXPECT_EQ(german(dogs, kAcc), "die kleinen Hunde");
  EXPECT_EQ(german(dogs, kDat), "den kleinen Hunden");
}

TEST(NounPhrase, MixedEndings) {
  const NounPhrase dog = one(Determiner::Indefinite, "dog", "old");
  EXPECT_EQ(english_subject(dog), "an old dog");
  EXPECT_EQ(german(dog, kNom), "ein alter Hund");
  EXPECT_EQ(german(dog, kAcc), "einen alten Hund");
  EXPECT_EQ(german(dog, kDat), "einem alten Hund");
  const NounPhrase cat = one(Determiner::My, "cat", "old");
  EXPECT_EQ(german(cat, kNom), "meine alte Katze");
  EXPECT_EQ(german(cat, kAcc), "meine alte Katze");
  EXPECT_EQ(german(cat, kDat), "meiner alten Katze");
  const NounPhrase book = one(Determiner::Our, "book", "new");
  EXPECT_EQ(german(book, kNom), "unser neues Buch");
  EXPECT_EQ(german(book, kAcc), "unser neues Buch");
  EXPECT_EQ(german(book, kDat), "unserem neuen Buch");
  const NounPhrase books = many(Determiner::Her, "book", "new");
  EXPECT_EQ(english_subject(books), "her new books");
  EXPECT_EQ(german(books, kNom), "ihre neuen Bücher");
  EXPECT_EQ(german(books, kDat), "ihren neuen Büchern");
  EXPECT_EQ(german(many(Determiner::No, "dog", "small"), kAcc), "keine kleinen Hunde");
  EXPECT_EQ(german(one(Determiner::No, "apple", "fresh"), kAcc), "keinen frischen Apfel");
  EXPECT_EQ(german(one(Determiner::No, "milk", "cold"), kAcc), "keine kalte Milch");
}

TEST(NounPhrase, StrongEndings) {
  const NounPhrase dogs = many(Determiner::None, "dog", "small");
  EXPECT_EQ(english_subject(dogs), "small dogs");
  EXPECT_EQ(german(dogs, kNom), "kleine Hunde");
  EXPECT_EQ(german(dogs, kAcc), "kleine Hunde");
  EXPECT_EQ(german(dogs, kDat), "kleinen Hunden");
  EXPECT_EQ(german(one(Determiner::None, "coffee", "cold"), kNom), "kalter Kaffee");
  EXPECT_EQ(german(one(Determiner::None, "coffee", "cold"), kAcc), "kalten Kaffee");
  EXPECT_EQ(german(one(Determiner::None, "milk", "cold"), kAcc), "kalte Milch");
  EXPECT_EQ(german(one(Determiner::None, "water", "cold"), kAcc), "kaltes Wasser");
  EXPECT_EQ(english_object(one(Determiner::None, "water", "cold")), "cold water");
  NounPhrase books = many(Determiner::Number, "book", "red");
  books.number = 23;
  EXPECT_EQ(english_object(books), "twenty-three red books");
  EXPECT_EQ(german(books, kAcc), "dreiundzwanzig rote Bücher");
  EXPECT_EQ(german(books, kDat), "dreiundzwanzig roten Büchern");
  EXPECT_EQ(english_object(many(Determiner::HowMany, "egg", "fresh")), "how many fresh eggs");
  EXPECT_EQ(german(many(Determiner::HowMany, "egg", "fresh"), kAcc), "wie viele frische Eier");
}

TEST(NounPhrase, Articles) {
  EXPECT_EQ(english_object(one(Determiner::Indefinite, "apple")), "an apple");
  EXPECT_EQ(english_object(one(Determiner::Indefinite, "apple", "red")), "a red apple");
  EXPECT_EQ(english_object(one(Determiner::Indefinite, "house", "expensive")), "an expensive house");
  EXPECT_EQ(german(one(Determiner::Indefinite, "woman"), kDat), "einer Frau");
  EXPECT_EQ(german(one(Determiner::Indefinite, "child"), kDat), "einem Kind");
  EXPECT_EQ(german(one(Determiner::Your, "brother"), kAcc), "deinen Bruder");
  EXPECT_EQ(german(one(Determiner::His, "mother"), kDat), "seiner Mutter");
  EXPECT_EQ(german(one(Determiner::Our, "uncle"), kAcc), "unseren Onkel");
  EXPECT_THROW(german(many(Determiner::Indefinite, "dog"), kNom), std::logic_error);
}

TEST(NounPhrase, DativePlurals) {
  const auto dative = [](std::string_view noun) { return german(many(Determiner::Definite, noun), kDat); };
  EXPECT_EQ(dative("child"), "den Kindern");
  EXPECT_EQ(dative("teacher"), "den Lehrern");
  EXPECT_EQ(dative("doctor"), "den Ärzten");
  EXPECT_EQ(dative("woman"), "den Frauen");
  EXPECT_EQ(dative("girl"), "den Mädchen");
  EXPECT_EQ(dative("car"), "den Autos");
  EXPECT_EQ(dative("bird"), "den Vögeln");
  EXPECT_EQ(dative("chair"), "den Stühlen");
}

TEST(NounPhrase, Owners) {
  NounPhrase car = one(Determiner::Owner, "car", "old");
  car.owner = &find_noun("father");
  car.owner_determiner = Determiner::My;
  EXPECT_EQ(english_subject(car), "my father's old car");
  EXPECT_EQ(german(car, kNom), "das alte Auto meines Vaters");
  EXPECT_EQ(german(car, kDat), "dem alten Auto meines Vaters");
  NounPhrase hat = one(Determiner::Owner, "hat");
  hat.owner = &find_noun("woman");
  EXPECT_EQ(english_object(hat), "the woman's hat");
  EXPECT_EQ(german(hat, kAcc), "den Hut der Frau");
  const auto of = [&](std::string_view owner) {
    hat.owner = &find_noun(owner);
    return german(hat, kNom);
  };
  EXPECT_EQ(of("doctor"), "der Hut des Arztes");
  EXPECT_EQ(of("teacher"), "der Hut des Lehrers");
  EXPECT_EQ(of("man"), "der Hut des Mannes");
  EXPECT_EQ(of("child"), "der Hut des Kindes");
  EXPECT_EQ(of("girl"), "der Hut des Mädchens");
  EXPECT_EQ(of("uncle"), "der Hut des Onkels");
  EXPECT_EQ(of("friend"), "der Hut des Freundes");
}

TEST(NounPhrase, Pronouns) {
  const auto all = [](Pronoun pronoun) {
    const NounPhrase phrase = NounPhrase::of(pronoun);
    return german(phrase, kNom) + " " + german(phrase, kAcc) + " " + german(phrase, kDat);
  };
  EXPECT_EQ(all(Pronoun::I), "ich mich mir");
  EXPECT_EQ(all(Pronoun::You), "du dich dir");
  EXPECT_EQ(all(Pronoun::He), "er ihn ihm");
  EXPECT_EQ(all(Pronoun::She), "sie sie ihr");
  EXPECT_EQ(all(Pronoun::We), "wir uns uns");
  EXPECT_EQ(all(Pronoun::They), "sie sie ihnen");
  EXPECT_EQ(english_subject(NounPhrase::of(Pronoun::She)), "she");
  EXPECT_EQ(english_object(NounPhrase::of(Pronoun::She)), "her");
  EXPECT_EQ(english_object(NounPhrase::of(find_name("Anna"))), "Anna");
  EXPECT_EQ(german(NounPhrase::of(find_name("Anna")), kDat), "Anna");
}

TEST(NounPhrase, Agreement) {
  EXPECT_EQ(agreement(NounPhrase::of(Pronoun::I)), Agreement::I);
  EXPECT_EQ(agreement(NounPhrase::of(Pronoun::Who)), Agreement::He);
  EXPECT_EQ(agreement(NounPhrase::of(find_name("Paul"))), Agreement::He);
  EXPECT_EQ(agreement(one(Determiner::Definite, "woman")), Agreement::He);
  EXPECT_EQ(agreement(many(Determiner::Definite, "woman")), Agreement::They);
}

TEST(NounPhrase, Prepositions) {
  EXPECT_EQ(german("in", one(Determiner::Definite, "house", "old"), kDat), "im alten Haus");
  EXPECT_EQ(german("in", one(Determiner::Definite, "bag"), kDat), "in der Tasche");
  EXPECT_EQ(german("in", one(Determiner::Indefinite, "house", "small"), kDat), "in einem kleinen Haus");
  EXPECT_EQ(german("mit", one(Determiner::Definite, "dog", "small"), kDat), "mit dem kleinen Hund");
  EXPECT_EQ(german("für", one(Determiner::My, "brother"), kAcc), "für meinen Bruder");
  EXPECT_EQ(german("ohne", NounPhrase::of(Pronoun::I), kAcc), "ohne mich");
}

}  // namespace
}  // namespace memsizer::demo
