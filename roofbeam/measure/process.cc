// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"
#include "roofbeam/measure/process_counters.h"
#include "roofbeam/measure/process_tree.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kMillisecond_ns = 1'000'000;
constexpr std::int64_t kRarestLook_ns = 20 * kMillisecond_ns;  // also how soon a stop is seen
constexpr std::int64_t kLooksCost = 100;  // a look takes at most one part in so many of the time
constexpr std::int64_t kGoWithin_ns = 500 * kMillisecond_ns;  // from SIGTERM to SIGKILL

std::string reason(int code) {
  return std::error_code(code, std::generic_category()).message();
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { close(); }
  int get() const { return fd_; }
  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// While it is there, orphans of the command come to this process, which can then end them.
class Subreaper {
 public:
  Subreaper() {
    ::prctl(PR_GET_CHILD_SUBREAPER, &before_);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  }
  Subreaper(const Subreaper&) = delete;
  Subreaper& operator=(const Subreaper&) = delete;
  ~Subreaper() { ::prctl(PR_SET_CHILD_SUBREAPER, before_); }

 private:
  int before_ = 0;
};

// Lends the terminal to a process group, where we have one to lend.
class Terminal {
 public:
  explicit Terminal(pid_t group)
      : ours_(::isatty(STDIN_FILENO) == 1 && ::tcgetpgrp(STDIN_FILENO) == ::getpgrp()) {
    if (ours_) give(group);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    if (ours_) give(::getpgrp());
  }

 private:
  // Who is not in the foreground is stopped for asking, unless the signal is blocked.
  static void give(pid_t group) {
    sigset_t block, before;
    sigemptyset(&block);
    sigaddset(&block, SIGTTOU);
    ::pthread_sigmask(SIG_BLOCK, &block, &before);
    ::tcsetpgrp(STDIN_FILENO, group);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  bool ours_;
};

// All the child needs, made before the fork: after it only async-signal-safe calls are allowed.
struct Plan {
  const char* path = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  int go = -1;      // a byte comes when it may begin
  int failed = -1;  // takes the errno of a program that cannot be executed
  pid_t parent = -1;
};

[[noreturn]] void become(const Plan& plan) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) ::_exit(127);  // it died before the line above
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  for (const int ignored : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM}) ::signal(ignored, SIG_DFL);
  // Ctrl-Z is nothing to what is timed. A shell that waits for its child to begin cannot be seen to
  // stop, so waking it when it does is not enough.
  ::signal(SIGTSTP, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  char go = 0;
  while (::read(plan.go, &go, 1) < 0 && errno == EINTR) {
  }
  if (go != 0) ::execve(plan.path, plan.arguments, plan.environment);
  const int code = errno;
  const ssize_t ignored = ::write(plan.failed, &code, sizeof code);
  static_cast<void>(ignored);
  ::_exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_with(const std::vector<std::string>& more) {
  std::vector<std::string> entries = more;
  const auto named = [&](std::string_view entry) {
    const std::string_view key = entry.substr(0, entry.find('='));
    return std::any_of(more.begin(), more.end(), [&](const std::string& other) {
      return std::string_view(other).substr(0, other.find('=')) == key;
    });
  };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!named(*entry)) entries.emplace_back(*entry);
  }
  return entries;
}

bool is_program(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// Watches a command from its start to its end.
class Watch {
 public:
  Watch(pid_t pid, ProcessRun& run) : pid_(pid), tree_(pid), run_(run) {
    pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // before Linux 5.3 there is none
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (pidfd_ >= 0) ::close(pidfd_);
  }

  // True at the command's end, which is left to be reaped; false where `stop` came first.
  bool to_the_end(std::int64_t start_ns, const StopToken& stop) {
    std::int64_t last_ns = start_ns, pause_ns = kMillisecond_ns;
    while (true) {
      wait(pause_ns);
      const std::int64_t now_ns = monotonic_ns();
      if (ended()) {
        run_.wall = Seconds(1e-9 * static_cast<double>(now_ns - start_ns));
        add(now_ns - last_ns);
        return true;
      }
      if (stop.requested()) return false;
      last_look_ = tree_.look();
      ++run_.looks;
      add(now_ns - last_ns);
      last_ns = now_ns;
      const std::int64_t cost_ns = monotonic_ns() - now_ns;
      // Often while it is young, then rarely enough to cost nothing.
      pause_ns = std::clamp((now_ns - start_ns) / 200, kMillisecond_ns, kRarestLook_ns);
      pause_ns = std::max(pause_ns, cost_ns * kLooksCost);
    }
  }

 private:
  void wait(std::int64_t pause_ns) const {
    pollfd end{pidfd_, POLLIN, 0};
    const int pause_ms = static_cast<int>(pause_ns / kMillisecond_ns);
    // Without a descriptor for its end it is looked for every millisecond.
    ::poll(pidfd_ < 0 ? nullptr : &end, pidfd_ < 0 ? 0 : 1, pidfd_ < 0 ? 1 : pause_ms);
  }
  bool ended() const {
    siginfo_t info{};
    if (::waitid(P_PID, id_t(pid_), &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0) {
      return errno != EINTR;
    }
    if (info.si_pid == 0) return false;
    if (info.si_code != CLD_STOPPED) return true;
    // Ctrl-Z: time would go on. It is waited for here, or it would be found again.
    ::waitid(P_PID, id_t(pid_), &info, WSTOPPED | WNOHANG);
    ::kill(-pid_, SIGCONT);
    return false;
  }
  // What was seen last is taken to have held since the look before it.
  void add(std::int64_t elapsed_ns) {
    if (run_.looks == 0) return;
    const Seconds elapsed(1e-9 * static_cast<double>(elapsed_ns));
    const std::size_t running = static_cast<std::size_t>(last_look_.running);
    if (run_.running.size() <= running) run_.running.resize(running + 1);
    run_.running[running] += elapsed;
    if (running == 0 && last_look_.on_disk > 0) run_.on_disk += elapsed;
    run_.most_threads = std::max(run_.most_threads, last_look_.threads);
  }

  pid_t pid_;
  int pidfd_ = -1;
  ProcessTree tree_;
  ProcessTree::Look last_look_;
  ProcessRun& run_;
};

// Asks the group to end, then ends it.
void end_group(pid_t pid) {
  ::kill(-pid, SIGTERM);
  ::kill(-pid, SIGCONT);
  const std::int64_t until_ns = monotonic_ns() + kGoWithin_ns;
  siginfo_t info{};
  while (monotonic_ns() < until_ns) {
    if (::waitid(P_PID, id_t(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0)
      break;
    ::poll(nullptr, 0, 5);
  }
  ::kill(-pid, SIGKILL);
}

// Kills and reaps what the command started and left; how many there were.
int end_left_behind(pid_t group, const std::set<pid_t>& before) {
  int left = 0;
  constexpr int kRounds = 50;  // each gives us the orphans of those that the last one killed
  for (int round = 0; round < kRounds; ++round) {
    ::kill(-group, SIGKILL);
    std::set<pid_t> children = own_children();
    std::erase_if(children, [&](pid_t pid) { return before.count(pid) > 0; });
    if (children.empty()) break;
    for (const pid_t pid : children) {
      ::kill(pid, SIGKILL);
      while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
      ++left;
    }
  }
  return left;
}

void account(pid_t pid, ProcessRun& run) {
  const ProcessAccount accounted = account_of(pid);
  run.read = accounted.read;
  run.fetched = accounted.fetched;
  run.stored = accounted.stored;
  if (!run.read) run.no_io = "the kernel does not show what other processes read";
  run.storage_wait = accounted.storage_wait;
  if (!run.storage_wait) {
    run.no_storage_wait = "the kernel does not account it (sysctl kernel.task_delayacct=1 would)";
  }
}

Seconds seconds_of(const timeval& time) {
  return Seconds(static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec));
}

// Reaps the command; its wait status.
int reap(pid_t pid, ProcessRun& run) {
  int status = 0;
  rusage used{};
  while (::wait4(pid, &status, 0, &used) < 0 && errno == EINTR) {
  }
  run.user = seconds_of(used.ru_utime);
  run.system = seconds_of(used.ru_stime);
  run.peak_memory = Bytes(static_cast<double>(used.ru_maxrss) * 1024);
  run.waits = used.ru_nvcsw;
  run.preempted = used.ru_nivcsw;
  return status;
}

Error interrupted() {
  return {ErrorCode::interrupted, "stopped while the command ran", "", ""};
}

Status judge_end(int status, const std::string& name) {
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGINT) return fail(interrupted());
    const char* meaning = ::sigdescr_np(number);
    return failed(format("the command was ended by signal {} ({})", number,
                         meaning == nullptr ? "unknown" : meaning),
                  name, "what it did until then says nothing of the whole");
  }
  if (WEXITSTATUS(status) == 0) return {};
  return failed(format("the command ended with exit code {}", WEXITSTATUS(status)), name,
                "what it printed stands above; only a run that works is placed");
}

}  // namespace

const ProcessCounter* ProcessRun::counter(const std::string& name) const {
  for (const ProcessCounter& one : counters) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

Result<std::string> find_program(const std::string& name) {
  if (name.empty()) return usage_error("an empty command", "--", "roofbeam place -- ./program");
  if (name.find('/') != std::string::npos) {
    if (is_program(name)) return name;
    if (::access(name.c_str(), F_OK) != 0) return usage_error("there is no such program", name);
    return usage_error("this cannot be run", name, "a program needs the right to: chmod +x");
  }
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path == nullptr ? "/bin:/usr/bin" : path, ':')) {
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(candidate)) return candidate;
  }
  return usage_error(format("there is no command \"{}\"", name), "PATH",
                     is_program("./" + name) ? format("in this folder there is: ./{}", name)
                                             : "write the path of the program");
}

Result<ProcessRun> run_process(const ProcessCommand& command, const StopToken& stop) {
  auto path = find_program(command.words.empty() ? "" : command.words.front());
  if (!path) return fail(path.error());
  int go[2] = {-1, -1}, told[2] = {-1, -1};
  if (::pipe2(go, O_CLOEXEC) != 0) return failed("could not start: " + reason(errno), *path);
  Fd go_read(go[0]), go_write(go[1]);
  if (::pipe2(told, O_CLOEXEC) != 0) return failed("could not start: " + reason(errno), *path);
  Fd told_read(told[0]), told_write(told[1]);
  const std::vector<std::string> entries = environment_with(command.environment);
  const std::vector<char*> arguments = pointers(command.words), environment = pointers(entries);
  const Plan plan{path->c_str(), arguments.data(), environment.data(),
                  go_read.get(), told_write.get(), ::getpid()};
  const std::set<pid_t> before = own_children();
  const Subreaper orphans_come_here;
  const pid_t pid = ::fork();
  if (pid < 0) return failed("could not start: " + reason(errno), *path);
  if (pid == 0) become(plan);
  ::setpgid(pid, pid);  // also here, so that it holds whichever of us runs first
  told_write.close();
  ProcessRun run;
  const ProcessCounters counters(pid);
  const Terminal lent(pid);
  Watch watch(pid, run);
  const std::int64_t start_ns = monotonic_ns();
  const bool sent = ::write(go_write.get(), "g", 1) == 1;
  int code = sent ? 0 : EPIPE;
  const ssize_t got = ::read(told_read.get(), &code, sizeof code);  // ends when it is executed
  const bool begun = sent && got == 0;
  const bool finished = begun && watch.to_the_end(start_ns, stop);
  if (begun && !finished) end_group(pid);
  if (finished) account(pid, run);
  const int status = reap(pid, run);
  run.counters = counters.read();
  run.left_behind = end_left_behind(pid, before);
  if (!begun) {
    return usage_error("could not be executed: " + reason(code), *path,
                       code == ENOEXEC ? "a script begins with #! and what runs it" : "");
  }
  if (!finished) return fail(interrupted());
  if (auto fine = judge_end(status, command.words.front()); !fine) return fail(fine.error());
  return run;
}

}  // namespace roofbeam
