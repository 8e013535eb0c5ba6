#include "kernels/team.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace memsizer::kernels {
namespace {

TEST(Team, WorkReachesEveryMember) {
  for (const int size : {1, 2, 3, 5}) {
    Team team(size);
    ASSERT_EQ(team.size(), size);
    std::vector<std::thread::id> threads(static_cast<size_t>(size));
    team.run([&](int member) { threads[static_cast<size_t>(member)] = std::this_thread::get_id(); });
    EXPECT_EQ(threads[0], std::this_thread::get_id()) << "the caller is the first member";
    EXPECT_EQ(std::set(threads.begin(), threads.end()).size(), threads.size());
  }
}

TEST(Team, AtLeastTheCallerIsThere) {
  EXPECT_EQ(Team(0).size(), 1);
  EXPECT_EQ(Team(-1).size(), 1);
}

// Every round sees what the rounds before wrote, and none is lost.
TEST(Team, ManyRoundsAreInOrder) {
  constexpr int kRounds = 100000;
  Team team(2);
  // Apart from each other, so that the test is about the team and not about a cache line.
  struct alignas(64) Counter {
    int rounds = 0;
  };
  std::vector<Counter> counters(2);
  bool in_step = true;
  for (int round = 0; round < kRounds; ++round) {
    team.run([&](int member) { ++counters[static_cast<size_t>(member)].rounds; });
    in_step = in_step && counters[0].rounds == round + 1 && counters[1].rounds == round + 1;
  }
  EXPECT_TRUE(in_step);
}

TEST(Team, ASleepingTeamWakes) {
  Team team(3);
  for (int i = 0; i < 3; ++i) {
    // Long enough for members to fall asleep even where they get little of the processor; if they have not,
    // the test passes all the same.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::vector<int> reached(3);
    team.run([&](int member) { reached[static_cast<size_t>(member)] = 1; });
    EXPECT_EQ(reached, std::vector<int>(3, 1));
  }
}

TEST(Team, SharesCoverEverythingOnce) {
  for (const int size : {1, 2, 3}) {
    Team team(size);
    for (const int64_t count : {0, 1, 2, 7, 15, 16, 17, 100, 257}) {
      for (const int64_t grain : {1, 8, 16}) {
        std::vector<int> times(static_cast<size_t>(count));
        std::atomic<bool> aligned = true;
        team.split(count, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++times[static_cast<size_t>(i)];
          if (begin % grain != 0 || (end % grain != 0 && end != count)) aligned = false;
        });
        EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 1; })) << count << " by " << grain;
        EXPECT_TRUE(aligned.load()) << count << " by " << grain;
        // The same where members take pieces as they get free.
        team.share(count, grain, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++times[static_cast<size_t>(i)];
          if (begin % grain != 0) aligned = false;
        });
        EXPECT_TRUE(std::ranges::all_of(times, [](int n) { return n == 2; })) << count << " by " << grain;
        EXPECT_TRUE(aligned.load()) << count << " by " << grain;
      }
    }
  }
}

TEST(Team, ScratchIsKept) {
  Team team;
  std::byte* room = team.scratch(1000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(room) % 64, 0U);
  EXPECT_EQ(team.scratch(10), room);
  room = team.scratch(1 << 22);
  std::fill(room, room + (1 << 22), std::byte{1});
  EXPECT_EQ(team.scratch(1 << 22), room);
}

TEST(Team, ThereIsACore) {
  EXPECT_GE(physical_cores(), 1);
  EXPECT_LE(physical_cores(), static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
}

}  // namespace
}  // namespace memsizer::kernels
