#include "demo/numbers.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>
#include <string_view>

namespace memsizer::demo {
namespace {

constexpr int kLargest = 9999;

constexpr std::array<std::string_view, 20> kEnglishSmall = {
    "zero",     "one",     "two",     "three",     "four",     "five",    "six",
    "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",  "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
constexpr std::array<std::string_view, 10> kEnglishTens = {"",      "",      "twenty",  "thirty", "forty",
                                                           "fifty", "sixty", "seventy", "eighty", "ninety"};
constexpr std::array<std::string_view, 20> kEnglishOrdinals = {
    "",           "first",     "second",    "third",       "fourth",     "fifth",     "sixth",
    "seventh",    "eighth",    "ninth",     "tenth",       "eleventh",   "twelfth",   "thirteenth",
    "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth"};

constexpr std::array<std::string_view, 20> kGermanSmall = {
    "null",     "eins",     "zwei",     "drei",     "vier",     "fünf",    "sechs",
    "sieben",   "acht",     "neun",     "zehn",     "elf",      "zwölf",   "dreizehn",
    "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"};
constexpr std::array<std::string_view, 10> kGermanTens = {
    "", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"};

void check(int number, int smallest, int largest) {
  if (number < smallest || number > largest)
    throw std::logic_error(fmt::format("{} is not a number from {} to {}", number, smallest, largest));
}

// "eins" loses its s in front of whatever it counts.
std::string_view german_factor(int digit) {
  return digit == 1 ? "ein" : kGermanSmall[digit];
}

std::string german_below_hundred(int number) {
  if (number < 20) return std::string(kGermanSmall[number]);
  if (number % 10 == 0) return std::string(kGermanTens[number / 10]);
  return fmt::format("{}und{}", german_factor(number % 10), kGermanTens[number / 10]);
}

std::string english_below_hundred(int number) {
  if (number < 20) return std::string(kEnglishSmall[number]);
  if (number % 10 == 0) return std::string(kEnglishTens[number / 10]);
  return fmt::format("{}-{}", kEnglishTens[number / 10], kEnglishSmall[number % 10]);
}

}  // namespace

std::string english_number(int number) {
  check(number, 0, kLargest);
  if (number < 100) return english_below_hundred(number);
  std::string text;
  if (number >= 1000) text = fmt::format("{} thousand", kEnglishSmall[number / 1000]);
  const int hundreds = number / 100 % 10;
  if (hundreds > 0) text += fmt::format("{}{} hundred", text.empty() ? "" : " ", kEnglishSmall[hundreds]);
  if (number % 100 > 0) text += fmt::format(" and {}", english_below_hundred(number % 100));
  return text;
}

std::string german_number(int number) {
  check(number, 0, kLargest);
  std::string text;
  // A leading "ein" is left out (hundert, tausend), but not inside the word (tausendeinhundert).
  if (number >= 1000) text = fmt::format("{}tausend", number < 2000 ? "" : german_factor(number / 1000));
  const int hundreds = number / 100 % 10;
  if (hundreds > 0) text += fmt::format("{}hundert", number < 200 ? "" : german_factor(hundreds));
  if (text.empty() || number % 100 > 0) text += german_below_hundred(number % 100);
  return text;
}

std::string english_ordinal(int day) {
  check(day, 1, 31);
  if (day < 20) return std::string(kEnglishOrdinals[day]);
  if (day % 10 == 0) return day == 20 ? "twentieth" : "thirtieth";
  return fmt::format("{}-{}", kEnglishTens[day / 10], kEnglishOrdinals[day % 10]);
}

std::string german_ordinal_stem(int day) {
  check(day, 1, 31);
  switch (day) {
    case 1:
      return "erst";
    case 3:
      return "dritt";
    case 7:
      return "siebt";
    case 8:
      return "acht";
    default:
      return german_number(day) + (day < 20 ? "t" : "st");
  }
}

}  // namespace memsizer::demo
