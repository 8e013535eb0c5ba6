#include "core/file_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "support/messages.h"
#include "support/temp_dir.h"

namespace memsizer {
namespace {

namespace fs = std::filesystem;
using testing::message_of;
using testing::TempDir;

std::string error_of(const fs::path& path) {
  return message_of([&] { const FileLock lock(path, "the folder", "wait"); });
}

TEST(FileLock, OneHoldsItAndIsNamed) {
  const TempDir dir;
  {
    const FileLock lock(dir / "lock", "the folder", "wait");
    EXPECT_EQ(error_of(dir / "lock"), fmt::format("the folder is in use by process {}; wait", ::getpid()));
    EXPECT_EQ(error_of(dir / "other"), "no error");
  }
  EXPECT_TRUE(fs::is_empty(dir.path()));
  EXPECT_EQ(error_of(dir / "lock"), "no error");
}

TEST(FileLock, IsMoved) {
  const TempDir dir;
  FileLock first(dir / "lock", "the folder", "wait");
  {
    const FileLock second(std::move(first));
    EXPECT_NE(error_of(dir / "lock"), "no error");
  }
  EXPECT_EQ(error_of(dir / "lock"), "no error");
}

TEST(FileLock, EndsWithAKilledProcess) {
  const TempDir dir;
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  const pid_t process = ::fork();
  if (process == 0) {
    const FileLock lock(dir / "lock", "the folder", "wait");
    if (::write(ready[1], "x", 1) != 1) ::_exit(1);
    while (true) ::pause();
  }
  ::close(ready[1]);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  ::close(ready[0]);
  EXPECT_EQ(error_of(dir / "lock"), fmt::format("the folder is in use by process {}; wait", process));
  ::kill(process, SIGKILL);
  ASSERT_EQ(::waitpid(process, nullptr, 0), process);
  EXPECT_TRUE(fs::exists(dir / "lock"));
  EXPECT_EQ(error_of(dir / "lock"), "no error");
}

// Each removes the file while others open it: a lock on a file without a name must not count.
TEST(FileLock, IsHeldByOneOfManyAtATime) {
  const TempDir dir;
  std::atomic<int> holders = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int taken = 0; taken < 200;) {
        try {
          const FileLock lock(dir / "lock", "the folder", "wait");
          const int now = ++holders;
          if (now > most) most = now;
          --holders;
          ++taken;
        } catch (const UserError&) {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(most, 1);
}

TEST(FileLock, AFolderThatIsNotThereIsNamed) {
  const TempDir dir;
  EXPECT_TRUE(testing::has_text(error_of(dir / "missing" / "lock"), "No such file or directory"));
}

}  // namespace
}  // namespace memsizer
