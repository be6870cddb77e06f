// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"
#include "roofbeam/measure/process_tree.h"

namespace roofbeam {
namespace {

ProcessCommand shell(const std::string& script) {
  return {{"sh", "-c", script}, {}};
}

Result<ProcessRun> run_of(const std::string& script) {
  return run_process(shell(script), StopToken());
}

std::string file_of(const std::string& name) {
  return testing::TempDir() + "/process_" + std::to_string(::getpid()) + "_" + name;
}

// Two standard streams of ours, elsewhere for a while.
class Redirected {
 public:
  Redirected(int fd, const std::string& path) : fd_(fd), kept_(::dup(fd)) {
    const int to = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    ::dup2(to, fd);
    ::close(to);
  }
  ~Redirected() {
    ::dup2(kept_, fd_);
    ::close(kept_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int fd_, kept_;
};

TEST(Process, WaitingIsWallTimeWithoutCpuTime) {
  const auto run = run_of("sleep 0.3");
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_GE(run->wall, Seconds(0.3));
  EXPECT_LT(run->cpu(), Seconds(0.15));
  ASSERT_GE(run->looks, 5);
  ASSERT_FALSE(run->running.empty());
  EXPECT_GT(run->running[0], 0.7 * run->wall);
  EXPECT_LT(run->running_on_average(), 0.5);
  EXPECT_EQ(run->left_behind, 0);
}

TEST(Process, AThreadThatWorksIsOneRunningThread) {
  const auto run = run_of("i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_GT(run->cpu(), Seconds(0.02));
  ASSERT_GE(run->looks, 5);
  ASSERT_GE(run->running.size(), 2U);
  EXPECT_GT(run->running[1], 0.8 * run->wall);
  EXPECT_GE(run->most_threads, 1);
  EXPECT_GT(run->peak_memory, Bytes(0));
}

TEST(Process, WhatItStartsIsCountedWithIt) {
  const auto run =
      run_of("for j in 1 2; do (i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done) & done; wait");
  ASSERT_TRUE(run) << run.error().what;
  Seconds several;
  for (std::size_t k = 2; k < run->running.size(); ++k) several += run->running[k];
  EXPECT_GT(several, 0.5 * run->wall) << "two subshells ran at once, or could have";
  EXPECT_GE(run->most_threads, 3);
}

TEST(Process, BothItsStreamsGoToStandardError) {
  const std::string out = file_of("out"), err = file_of("err");
  {
    const Redirected no_out(STDOUT_FILENO, out), no_err(STDERR_FILENO, err);
    ASSERT_TRUE(run_of("echo one; echo two >&2"));
  }
  EXPECT_EQ(*read_file(out), "");
  EXPECT_EQ(*read_file(err), "one\ntwo\n");
}

TEST(Process, ItReadsOurStandardInput) {
  const std::string in = file_of("in"), copy = file_of("copy");
  ASSERT_TRUE(write_file_atomic(in, "words\n"));
  const int kept = ::dup(STDIN_FILENO);
  const int from = ::open(in.c_str(), O_RDONLY);
  ::dup2(from, STDIN_FILENO);
  const auto run = run_of("cat > " + copy);
  ::dup2(kept, STDIN_FILENO);
  ::close(from);
  ::close(kept);
  ASSERT_TRUE(run);
  EXPECT_EQ(*read_file(copy), "words\n");
}

TEST(Process, EnvironmentIsAddedToOurs) {
  ::setenv("ROOFBEAM_PROCESS_A", "ours", 1);
  ::setenv("ROOFBEAM_PROCESS_B", "ours", 1);
  ProcessCommand command = shell("test $ROOFBEAM_PROCESS_A$ROOFBEAM_PROCESS_B = theirsours");
  command.environment = {"ROOFBEAM_PROCESS_A=theirs"};
  EXPECT_TRUE(run_process(command, StopToken()));
}

TEST(Process, WhatItDoesNotIgnoreIsNotIgnored) {
  ::signal(SIGPIPE, SIG_IGN);
  const auto run = run_of("sh -c 'kill -PIPE $$; exit 0'; test $? -gt 128");
  ::signal(SIGPIPE, SIG_DFL);
  EXPECT_TRUE(run) << "SIGPIPE ends it, although we ignore it";
}

TEST(Process, AnExitCodeAndASignalAreErrorsThatNameIt) {
  const auto code = run_of("exit 7");
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::failed);
  EXPECT_EQ(code.error().what, "the command ended with exit code 7");
  const auto signal = run_of("kill -SEGV $$");
  ASSERT_FALSE(signal);
  EXPECT_EQ(signal.error().what, "the command was ended by signal 11 (Segmentation fault)");
  const auto interrupt = run_of("kill -INT $$");
  ASSERT_FALSE(interrupt);
  EXPECT_EQ(interrupt.error().code, ErrorCode::interrupted);
}

TEST(Process, AProgramThatIsNotThereIsWrongUsage) {
  const auto none = run_process({{"no-such-program-here"}, {}}, StopToken());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, ErrorCode::usage);
  EXPECT_EQ(none.error().what, "there is no command \"no-such-program-here\"");
  EXPECT_FALSE(run_process({{}, {}}, StopToken()));
  EXPECT_FALSE(run_process({{""}, {}}, StopToken()));
  EXPECT_FALSE(run_process({{"/tmp"}, {}}, StopToken()));
  EXPECT_FALSE(run_process({{"./none"}, {}}, StopToken()));
}

TEST(Process, WhatCannotBeExecutedIsToldBySystemsWord) {
  const std::string text = file_of("text");
  ASSERT_TRUE(write_file_atomic(text, "no program\n"));
  const auto no_right = run_process({{text}, {}}, StopToken());
  ASSERT_FALSE(no_right);
  EXPECT_EQ(no_right.error().hint, "a program needs the right to: chmod +x");
  ::chmod(text.c_str(), 0755);
  const auto no_format = run_process({{text}, {}}, StopToken());
  ASSERT_FALSE(no_format);
  EXPECT_EQ(no_format.error().what, "could not be executed: Exec format error");
  EXPECT_EQ(no_format.error().hint, "a script begins with #! and what runs it");
}

TEST(Process, AStopEndsTheWholeGroup) {
  std::atomic<bool> stop = false;
  const std::string told = file_of("pid");
  std::thread later([&] {
    ::usleep(200'000);
    stop = true;
  });
  const std::int64_t begin = monotonic_ns();
  const auto run = run_process(shell("sleep 60 & echo $! > " + told + "; wait"), StopToken(stop));
  later.join();
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::interrupted);
  EXPECT_LT(monotonic_ns() - begin, std::int64_t{5'000'000'000});
  EXPECT_NE(::kill(static_cast<pid_t>(*parse_integer(*read_file(told))), 0), 0);
}

TEST(Process, OneThatDoesNotWantToEndIsKilled) {
  std::atomic<bool> stop = false;
  std::thread later([&] {
    ::usleep(100'000);
    stop = true;
  });
  const auto run =
      run_process(shell("trap '' TERM INT; while :; do sleep 1; done"), StopToken(stop));
  later.join();
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, ErrorCode::interrupted);
}

TEST(Process, WhatItLeavesBehindIsEndedEvenOutsideItsGroup) {
  const std::string told = file_of("left");
  const auto run = run_of("sleep 60 & setsid sh -c 'echo $$ > " + told +
                          "; exec sleep 60' & "
                          "while [ ! -s " +
                          told + " ]; do sleep 0.01; done");
  ASSERT_TRUE(run) << run.error().what;
  EXPECT_EQ(run->left_behind, 2);
  EXPECT_NE(::kill(static_cast<pid_t>(*parse_integer(*read_file(told))), 0), 0);
  EXPECT_TRUE(own_children().empty());
}

TEST(Process, ChildrenThatWereOursBeforeStayOurs) {
  const pid_t mine = ::fork();
  if (mine == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_TRUE(run_of("true"));
  EXPECT_EQ(::kill(mine, 0), 0);
  EXPECT_EQ(::waitpid(mine, nullptr, WNOHANG), 0);
  ::kill(mine, SIGKILL);
  ::waitpid(mine, nullptr, 0);
}

TEST(Process, WhatItReadIsAccountedOrAReasonGiven) {
  const std::string big = file_of("big");
  ASSERT_TRUE(write_file_atomic(big, std::string(4'000'000, 'x')));
  const auto run = run_of("cat " + big + " > /dev/null");
  ASSERT_TRUE(run);
  if (run->read) {
    EXPECT_GE(*run->read, Bytes(4e6)) << "of a grandchild that was waited for";
    EXPECT_EQ(run->no_io, "");
  } else {
    EXPECT_NE(run->no_io, "");
  }
}

TEST(Process, ACounterHasAValueOrAReason) {
  const auto run = run_of("true");
  ASSERT_TRUE(run);
  ASSERT_EQ(run->counters.size(), 3U);
  for (const ProcessCounter& counter : run->counters) {
    EXPECT_NE(counter.value.has_value(), !counter.absent.empty()) << counter.name;
    EXPECT_EQ(run->counter(counter.name), &counter);
  }
  EXPECT_EQ(run->counter("none"), nullptr);
}

TEST(Process, NoFileOfOursStaysOpen) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = open_files();
  ASSERT_TRUE(run_of("true"));
  EXPECT_FALSE(run_of("exit 1"));
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace roofbeam
