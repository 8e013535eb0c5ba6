#include "train/interruption.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

namespace memsizer::train {
namespace {

TEST(Interruption, EachSignalOnlyAsks) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Interruption interruption;
    EXPECT_FALSE(interruption.requested());
    ::raise(signal);
    EXPECT_TRUE(interruption.requested()) << signal;
  }
}

// How a process ends that gets these signals one after the other: its exit code, or 1000 if it goes on.
int end_after(const std::vector<int>& signals) {
  const pid_t process = ::fork();
  if (process == 0) {
    const Interruption interruption;
    for (const int signal : signals) ::raise(signal);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  if (!WIFEXITED(status)) return -1;
  return WEXITSTATUS(status) == 0 ? 1000 : WEXITSTATUS(status);
}

TEST(Interruption, ASecondDemandEndsAtOnceAndAHangupNever) {
  EXPECT_EQ(end_after({SIGINT, SIGINT}), 128 + SIGINT);
  EXPECT_EQ(end_after({SIGINT, SIGTERM}), 128 + SIGTERM);
  EXPECT_EQ(end_after({SIGHUP, SIGHUP, SIGHUP}), 1000);
  EXPECT_EQ(end_after({SIGTERM, SIGHUP}), 1000);
  EXPECT_EQ(end_after({SIGHUP, SIGTERM}), 1000);
}

TEST(Interruption, AHangupThatIsIgnoredStaysIgnored) {
  const auto before = ::signal(SIGHUP, SIG_IGN);
  {
    const Interruption interruption;
    ::raise(SIGHUP);
    EXPECT_FALSE(interruption.requested());
  }
  EXPECT_EQ(::signal(SIGHUP, before), SIG_IGN);
}

}  // namespace
}  // namespace memsizer::train
