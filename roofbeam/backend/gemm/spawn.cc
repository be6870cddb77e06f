// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/spawn.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace roofbeam {
namespace {

constexpr int kNotStarted = 126;

// A descriptor that closes itself unless released. Never 0, 1 or 2, which the child replaces.
class OwnedFd {
 public:
  explicit OwnedFd(int fd) : fd_(fd) {
    if (fd_ < 0 || fd_ > STDERR_FILENO) return;
    fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(fd);
  }
  OwnedFd(const OwnedFd&) = delete;
  OwnedFd& operator=(const OwnedFd&) = delete;
  ~OwnedFd() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

// All a child needs, made before the fork: after it only async-signal-safe calls are allowed.
struct Plan {
  const char* path = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  const cpu_set_t* cpus = nullptr;  // null: leave as it is
  std::size_t cpus_size = 0;
  int talk = -1;
  int complaints = -1;
  pid_t parent = -1;
};

[[noreturn]] void give_up(const char* why) {
  const ssize_t ignored = ::write(STDERR_FILENO, why, std::strlen(why));
  static_cast<void>(ignored);
  ::_exit(kNotStarted);
}

[[noreturn]] void become(const Plan& plan) {
  ::dup2(plan.talk, STDIN_FILENO);
  ::dup2(plan.talk, STDOUT_FILENO);
  ::dup2(plan.complaints, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);  // before Linux 5.9 only what is marked closes
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(kNotStarted);  // it died before the line above
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGPIPE, SIG_DFL);
  sigset_t empty;
  sigemptyset(&empty);
  ::sigprocmask(SIG_SETMASK, &empty, nullptr);
  if (plan.cpus != nullptr && ::sched_setaffinity(0, plan.cpus_size, plan.cpus) != 0) {
    give_up("it may not run on the CPUs it was to run on");
  }
  ::execve(plan.path, plan.arguments, plan.environment);
  give_up("the system could not execute it");
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// A CPU set of any size, where cpu_set_t ends at 1024.
std::vector<cpu_set_t> cpu_set(const std::vector<int>& cpus) {
  if (cpus.empty()) return {};
  const int last = *std::max_element(cpus.begin(), cpus.end());
  std::vector<cpu_set_t> set(static_cast<std::size_t>(last / CPU_SETSIZE) + 1);
  const std::size_t bytes = set.size() * sizeof(cpu_set_t);
  CPU_ZERO_S(bytes, set.data());
  for (int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set.data());
  return set;
}

}  // namespace

std::vector<std::string> current_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return entries;
}

Result<Spawned> spawn(const std::string& path, const std::vector<std::string>& environment,
                      const std::vector<int>& cpus) {
  auto refuse = [&path](int code) {
    return failed(
        "could not start the worker: " + std::error_code(code, std::generic_category()).message(),
        path);
  };
  int pair[2] = {-1, -1}, complaints[2] = {-1, -1};
  // A socket rather than two pipes: writing to a worker that is gone need not raise SIGPIPE.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return refuse(errno);
  OwnedFd ours(pair[0]), theirs(pair[1]);
  if (::pipe2(complaints, O_CLOEXEC) != 0) return refuse(errno);
  OwnedFd heard(complaints[0]), complaining(complaints[1]);
  ::fcntl(heard.get(), F_SETFL, O_NONBLOCK);

  const std::vector<std::string> arguments = {path};
  const std::vector<char*> argument_list = pointers(arguments);
  const std::vector<char*> environment_list = pointers(environment);
  const std::vector<cpu_set_t> set = cpu_set(cpus);
  const Plan plan{path.c_str(),
                  argument_list.data(),
                  environment_list.data(),
                  set.empty() ? nullptr : set.data(),
                  set.size() * sizeof(cpu_set_t),
                  theirs.get(),
                  complaining.get(),
                  ::getpid()};
  const pid_t child = ::fork();
  if (child < 0) return refuse(errno);
  if (child == 0) become(plan);
  ::setpgid(child, child);  // also here, so that it holds whichever of us runs first
  return Spawned{child, ours.release(), heard.release()};
}

}  // namespace roofbeam
