// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/library_process.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <thread>

#include "roofbeam/backend/gemm/protocol.h"
#include "roofbeam/base/clock.h"

namespace roofbeam {
namespace {

std::string path_of(const std::string& fault) {
  return std::string(ROOFBEAM_BIN_DIR) + "/test_workers/" + fault + "/roofbeam-gemm-onednn";
}

#define NEED_TEST_WORKERS() \
  if (::access(path_of("good").c_str(), X_OK) != 0) GTEST_SKIP() << "workers were not built"

std::unique_ptr<LibraryProcess> started(const std::string& fault,
                                        const std::vector<int>& cpus = {}) {
  auto process = LibraryProcess::start({path_of(fault), "Test", "try this"}, cpus);
  EXPECT_TRUE(process);
  return process ? std::move(*process) : nullptr;
}

Error error_of(const std::string& fault, Seconds limit = Seconds(10)) {
  const auto reply = started(fault)->ask(describe_request(), limit, StopToken());
  EXPECT_FALSE(reply) << write_json(*reply);
  return reply ? Error() : reply.error();
}

std::ptrdiff_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(begin(all), end(all));
}

double seconds_since(std::int64_t begin_ns) {
  return 1e-9 * static_cast<double>(monotonic_ns() - begin_ns);
}

bool gone(pid_t pid) {
  for (int i = 0; i < 200; ++i) {
    // A zombie of another parent is as good as gone: nobody here can reap it.
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string id, name, state;
    if (!(stat >> id >> name >> state) || state == "Z") return true;
    ::usleep(10'000);
  }
  return false;
}

TEST(WorkerEnvironment, PinsOneThreadToEachCpuAndLeavesTheRest) {
  EXPECT_EQ(worker_environment({"HOME=/h", "OMP_NUM_THREADS=64", "GOMP_CPU_AFFINITY=0-63",
                                "OPENBLAS_CORETYPE=Haswell"},
                               {2, 5}),
            (std::vector<std::string>{"HOME=/h", "OPENBLAS_CORETYPE=Haswell", "OMP_NUM_THREADS=2",
                                      "OPENBLAS_NUM_THREADS=2", "OMP_DYNAMIC=false",
                                      "OMP_WAIT_POLICY=passive", "OPENBLAS_THREAD_TIMEOUT=4",
                                      "OMP_PROC_BIND=true", "OMP_PLACES={2},{5}"}));
  EXPECT_EQ(
      worker_environment({"OMP_PLACES=cores"}, {}),
      (std::vector<std::string>{"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "OMP_DYNAMIC=false",
                                "OMP_WAIT_POLICY=passive", "OPENBLAS_THREAD_TIMEOUT=4"}));
}

TEST(LibraryProcess, AGoodWorkerAnswersAgainAndAgain) {
  NEED_TEST_WORKERS();
  auto process = started("good");
  for (int i = 0; i < 3; ++i) {
    auto reply = process->ask(describe_request(), Seconds(10), StopToken());
    ASSERT_TRUE(reply) << reply.error().what;
    EXPECT_EQ(description_from(*reply, "w")->library, "Loops");
  }
  EXPECT_GT(process->cpu_time().value(), 0.0);
}

TEST(LibraryProcess, AWorkerAnswersNonsenseWithARefusalAndGoesOn) {
  NEED_TEST_WORKERS();
  auto process = started("good");
  for (const Json& request : {Json(7), Json("x"), Json::object(), run_request(1), check_request(),
                              Json::object({{"protocol", 1}, {"ask", "sing"}})}) {
    auto reply = process->ask(request, Seconds(10), StopToken());
    ASSERT_TRUE(reply) << reply.error().what;
    EXPECT_FALSE(reply_from(*reply, "w")) << write_json(request);
  }
  EXPECT_TRUE(process->ask(describe_request(), Seconds(10), StopToken()));
}

TEST(LibraryProcess, WhatALibraryPrintsDoesNotMixWithReplies) {
  NEED_TEST_WORKERS();
  auto reply = started("chatter")->ask(describe_request(), Seconds(10), StopToken());
  ASSERT_TRUE(reply) << reply.error().what;
  EXPECT_EQ(description_from(*reply, "w")->library, "Loops");
}

TEST(LibraryProcess, AnOperandTooLargeIsRefusedWithBytes) {
  NEED_TEST_WORKERS();
  auto process = started("good");
  ProductTask task{{1'000'000, 1'000'000, 1'000'000}, DataType::f32, Operands::random, 1};
  auto reply = process->ask(prepare_request(task), Seconds(10), StopToken());
  ASSERT_TRUE(reply) << reply.error().what;
  const auto status = reply_from(*reply, "w");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().what.rfind("the operands need 10.9 TiB, and ", 0), 0u)
      << status.error().what;
  EXPECT_EQ(status.error().hint, "try a smaller product, or bf16 instead of f32");
}

TEST(LibraryProcess, FaultsOfAWorkerAreErrorsThatNameThem) {
  NEED_TEST_WORKERS();
  const std::string senseless = "Test's worker answered in a way that makes no sense: ";
  EXPECT_EQ(error_of("garbage"),
            (Error{ErrorCode::failed, senseless + "[1mhello [0m, I am no worker",
                   path_of("garbage"), "try this"}));
  EXPECT_EQ(error_of("flood").what, "Test's worker babbled without end");
  EXPECT_EQ(error_of("quit").what,
            "Test's worker ended too early, with exit code 127; its last words: error while "
            "loading shared libraries: libgone.so.7: no such file");
}

TEST(LibraryProcess, AHangEndsAtTheLimit) {
  NEED_TEST_WORKERS();
  const std::int64_t begin = monotonic_ns();
  EXPECT_EQ(error_of("hang", Seconds(0.2)).what, "Test's worker gave no answer within 200 ms");
  EXPECT_GE(seconds_since(begin), 0.2);
  EXPECT_LT(seconds_since(begin), 2.0);
}

TEST(LibraryProcess, AStopEndsTheWaitSoon) {
  NEED_TEST_WORKERS();
  std::atomic<bool> stop{false};
  auto process = started("hang");
  const pid_t pid = process->pid();
  std::thread later([&stop] {
    ::usleep(100'000);
    stop = true;
  });
  const std::int64_t begin = monotonic_ns();
  const auto reply = process->ask(describe_request(), std::nullopt, StopToken(stop));
  const double waited = seconds_since(begin);
  later.join();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, ErrorCode::interrupted);
  EXPECT_LT(waited, 1.0);
  EXPECT_EQ(::kill(pid, 0), -1);  // reaped already
  EXPECT_EQ(process->ask(describe_request(), std::nullopt, StopToken()).error().what,
            "Test's worker has ended");
}

TEST(LibraryProcess, AProgramThatCannotBeStartedIsAnError) {
  NEED_TEST_WORKERS();
  auto process = LibraryProcess::start({"/nowhere/worker", "Test", ""}, {});
  ASSERT_TRUE(process);
  EXPECT_EQ((*process)->ask(describe_request(), Seconds(5), StopToken()).error().what,
            "Test's worker ended too early, with exit code 126; its last words: the system could "
            "not execute it");
  auto lost = LibraryProcess::start({path_of("good"), "Test", ""}, {99'999});
  ASSERT_TRUE(lost);
  EXPECT_EQ((*lost)->ask(describe_request(), Seconds(5), StopToken()).error().what,
            "Test's worker ended too early, with exit code 126; its last words: it may not run on "
            "the CPUs it was to run on");
}

TEST(LibraryProcess, LeavesNoProcessAndNoOpenFileBehind) {
  NEED_TEST_WORKERS();
  const std::ptrdiff_t before = open_files();
  for (const char* fault : {"good", "garbage", "quit", "version"}) {
    auto process = started(fault);
    static_cast<void>(process->ask(describe_request(), Seconds(5), StopToken()));
  }
  started("hang");
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(LibraryProcess, AWorkerKilledBetweenRequestsIsAnErrorAndNoSignal) {
  NEED_TEST_WORKERS();
  auto process = started("good");
  ASSERT_TRUE(process->ask(describe_request(), Seconds(5), StopToken()));
  ::kill(process->pid(), SIGKILL);
  ::usleep(50'000);
  const auto reply = process->ask(describe_request(), Seconds(5), StopToken());
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().what, "Test's worker was killed from outside (signal 9)");
}

TEST(LibraryProcess, RunsOnTheCpusItWasGivenInAGroupOfItsOwnAndIgnoresCtrlC) {
  NEED_TEST_WORKERS();
  cpu_set_t ours;
  ASSERT_EQ(::sched_getaffinity(0, sizeof ours, &ours), 0);
  int last = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &ours)) last = cpu;
  }
  auto process = started("good", {last});
  ASSERT_TRUE(process->ask(describe_request(), Seconds(5), StopToken()));
  cpu_set_t theirs, wanted;
  CPU_ZERO(&wanted);
  CPU_SET(last, &wanted);
  ASSERT_EQ(::sched_getaffinity(process->pid(), sizeof theirs, &theirs), 0);
  EXPECT_TRUE(CPU_EQUAL(&theirs, &wanted));
  EXPECT_EQ(::getpgid(process->pid()), process->pid());
  ::kill(process->pid(), SIGINT);
  EXPECT_TRUE(process->ask(describe_request(), Seconds(5), StopToken()));
}

// Of a parent that ends without a word, workers that wait for a request and that never will answer
// one.
TEST(LibraryProcess, AWorkerDiesWithItsParent) {
  NEED_TEST_WORKERS();
  for (const char* fault : {"good", "hang"}) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t parent = ::fork();
    if (parent == 0) {
      auto process = LibraryProcess::start({path_of(fault), "Test", ""}, {});
      ::usleep(100'000);
      const pid_t worker = (*process)->pid();
      const bool written = ::write(told[1], &worker, sizeof worker) == sizeof worker;
      ::_exit(written ? 0 : 1);
    }
    pid_t worker = -1;
    ASSERT_EQ(::read(told[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
    ::waitpid(parent, nullptr, 0);
    ::close(told[0]);
    ::close(told[1]);
    EXPECT_TRUE(gone(worker)) << fault;
  }
}

}  // namespace
}  // namespace roofbeam
