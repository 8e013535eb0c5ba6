#include "demo/calendar.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "demo/numbers.h"

namespace memsizer::demo {
namespace {

constexpr std::array<CalendarName, 7> kWeekdays = {{{"Monday", "Montag"},
                                                    {"Tuesday", "Dienstag"},
                                                    {"Wednesday", "Mittwoch"},
                                                    {"Thursday", "Donnerstag"},
                                                    {"Friday", "Freitag"},
                                                    {"Saturday", "Samstag"},
                                                    {"Sunday", "Sonntag"}}};
constexpr std::array<CalendarName, 12> kMonths = {{{"January", "Januar"},
                                                   {"February", "Februar"},
                                                   {"March", "März"},
                                                   {"April", "April"},
                                                   {"May", "Mai"},
                                                   {"June", "Juni"},
                                                   {"July", "Juli"},
                                                   {"August", "August"},
                                                   {"September", "September"},
                                                   {"October", "Oktober"},
                                                   {"November", "November"},
                                                   {"December", "Dezember"}}};
constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

std::string english_minutes(int minutes) {
  return minutes == 15 ? "a quarter" : english_number(minutes);
}
std::string german_minutes(int minutes) {
  return minutes == 15 ? "Viertel" : german_number(minutes);
}

}  // namespace

std::span<const CalendarName> weekdays() {
  return kWeekdays;
}
std::span<const CalendarName> months() {
  return kMonths;
}

int days_of(int month) {
  return kDays.at(static_cast<size_t>(month - 1));
}

Phrase clock_time(int hour, int minute) {
  if (hour < 1 || hour > 12 || minute < 0 || minute > 55 || minute % 5 != 0)
    throw std::logic_error(fmt::format("no clock shows {}:{}", hour, minute));
  const int next = hour % 12 + 1;
  if (minute == 0)
    return {fmt::format("{} o'clock", english_number(hour)),
            fmt::format("{} Uhr", hour == 1 ? "ein" : german_number(hour))};
  if (minute == 30)
    return {fmt::format("half past {}", english_number(hour)), fmt::format("halb {}", german_number(next))};

  Phrase time;
  time.english = minute < 30 ? fmt::format("{} past {}", english_minutes(minute), english_number(hour))
                             : fmt::format("{} to {}", english_minutes(60 - minute), english_number(next));
  // Around the half hour German counts from it.
  if (minute == 25 || minute == 35)
    time.german = fmt::format("fünf {} halb {}", minute == 25 ? "vor" : "nach", german_number(next));
  else if (minute < 30)
    time.german = fmt::format("{} nach {}", german_minutes(minute), german_number(hour));
  else
    time.german = fmt::format("{} vor {}", german_minutes(60 - minute), german_number(next));
  return time;
}

Phrase on_weekday(const CalendarName& day) {
  return {fmt::format("on {}", day.english), fmt::format("am {}", day.german)};
}

Phrase in_month(const CalendarName& month) {
  return {fmt::format("in {}", month.english), fmt::format("im {}", month.german)};
}

Phrase on_date(int day, int month) {
  if (day > days_of(month)) throw std::logic_error(fmt::format("month {} has no day {}", month, day));
  const CalendarName& name = kMonths[month - 1];
  return {fmt::format("on the {} of {}", english_ordinal(day), name.english),
          fmt::format("am {}en {}", german_ordinal_stem(day), name.german)};
}

}  // namespace memsizer::demo
