#include "demo/calendar.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace memsizer::demo {
namespace {

TEST(Calendar, ClockTimes) {
  struct Row {
    int hour;
    int minute;
    std::string english;
    std::string german;
  };
  const Row table[] = {
      {1, 0, "one o'clock", "ein Uhr"},
      {7, 0, "seven o'clock", "sieben Uhr"},
      {12, 0, "twelve o'clock", "zwölf Uhr"},
      {1, 5, "five past one", "fünf nach eins"},
      {3, 10, "ten past three", "zehn nach drei"},
      {4, 15, "a quarter past four", "Viertel nach vier"},
      {6, 20, "twenty past six", "zwanzig nach sechs"},
      {7, 25, "twenty-five past seven", "fünf vor halb acht"},
      {7, 30, "half past seven", "halb acht"},
      {12, 30, "half past twelve", "halb eins"},
      {7, 35, "twenty-five to eight", "fünf nach halb acht"},
      {12, 35, "twenty-five to one", "fünf nach halb eins"},
      {10, 40, "twenty to eleven", "zwanzig vor elf"},
      {8, 45, "a quarter to nine", "Viertel vor neun"},
      {12, 45, "a quarter to one", "Viertel vor eins"},
      {11, 50, "ten to twelve", "zehn vor zwölf"},
      {12, 55, "five to one", "fünf vor eins"},
  };
  for (const Row& row : table) {
    const Phrase time = clock_time(row.hour, row.minute);
    EXPECT_EQ(time.english, row.english);
    EXPECT_EQ(time.german, row.german);
  }
}

TEST(Calendar, NoTwoTimesSoundAlike) {
  std::set<std::string> english;
  std::set<std::string> german;
  for (int hour = 1; hour <= 12; ++hour) {
    for (int minute = 0; minute < 60; minute += 5) {
      english.insert(clock_time(hour, minute).english);
      german.insert(clock_time(hour, minute).german);
    }
  }
  EXPECT_EQ(english.size(), 144U);
  EXPECT_EQ(german.size(), 144U);
}

TEST(Calendar, NoSuchTime) {
  EXPECT_THROW(clock_time(0, 0), std::logic_error);
  EXPECT_THROW(clock_time(13, 0), std::logic_error);
  EXPECT_THROW(clock_time(1, 3), std::logic_error);
  EXPECT_THROW(clock_time(1, 60), std::logic_error);
  EXPECT_THROW(clock_time(1, -5), std::logic_error);
}

TEST(Calendar, Dates) {
  EXPECT_EQ(on_date(3, 5).english, "on the third of May");
  EXPECT_EQ(on_date(3, 5).german, "am dritten Mai");
  EXPECT_EQ(on_date(1, 1).german, "am ersten Januar");
  EXPECT_EQ(on_date(7, 3).german, "am siebten März");
  EXPECT_EQ(on_date(8, 10).german, "am achten Oktober");
  EXPECT_EQ(on_date(16, 2).german, "am sechzehnten Februar");
  EXPECT_EQ(on_date(31, 12).english, "on the thirty-first of December");
  EXPECT_EQ(on_date(31, 12).german, "am einunddreißigsten Dezember");
}

TEST(Calendar, NoSuchDate) {
  EXPECT_THROW(on_date(29, 2), std::logic_error);
  EXPECT_THROW(on_date(31, 4), std::logic_error);
  EXPECT_THROW(on_date(0, 4), std::logic_error);
  EXPECT_THROW(on_date(1, 0), std::logic_error);
  EXPECT_THROW(on_date(1, 13), std::logic_error);
}

TEST(Calendar, DaysAndMonths) {
  EXPECT_EQ(on_weekday(weekdays().front()).german, "am Montag");
  EXPECT_EQ(on_weekday(weekdays()[2]).english, "on Wednesday");
  EXPECT_EQ(on_weekday(weekdays()[2]).german, "am Mittwoch");
  EXPECT_EQ(in_month(months()[4]).english, "in May");
  EXPECT_EQ(in_month(months()[4]).german, "im Mai");
  EXPECT_EQ(weekdays().size(), 7U);
  EXPECT_EQ(months().size(), 12U);
}

}  // namespace
}  // namespace memsizer::demo
