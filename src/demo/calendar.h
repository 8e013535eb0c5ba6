#pragma once

#include <span>
#include <string_view>

#include "demo/phrase.h"

namespace memsizer::demo {

struct CalendarName {
  std::string_view english;
  std::string_view german;
};

std::span<const CalendarName> weekdays();  // Monday first
std::span<const CalendarName> months();    // January first

// The days a month has in every year; `month` from 1.
int days_of(int month);

// The time on a twelve-hour clock, as said with "at" or "it is": hour 1 to 12, minute a multiple of five.
//   (7, 30) -> "half past seven", "halb acht"      (8, 45) -> "a quarter to nine", "Viertel vor neun"
Phrase clock_time(int hour, int minute);

Phrase on_weekday(const CalendarName& day);  // "on Monday", "am Montag"
Phrase in_month(const CalendarName& month);  // "in May", "im Mai"
Phrase on_date(int day, int month);          // "on the third of May", "am dritten Mai"

}  // namespace memsizer::demo
