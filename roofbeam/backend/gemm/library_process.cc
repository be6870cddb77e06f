// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/library_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "roofbeam/backend/gemm/protocol.h"
#include "roofbeam/backend/gemm/spawn.h"
#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kStopEvery_ms = 50;
constexpr std::int64_t kFinishWithin_ms = 2000;  // from the end of its replies to its own end
constexpr std::size_t kKeptComplaints = 400;     // bytes, from the end

// One readable line of what a program printed.
std::string tidy(std::string_view text) {
  std::string line;
  for (char c : text) {
    const bool blank = static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == ' ';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return trim(line);
}

void close_and_forget(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

}  // namespace

std::vector<std::string> worker_environment(const std::vector<std::string>& base,
                                            const std::vector<int>& cpus, const Setting& setting) {
  std::vector<std::string> places;
  for (int cpu : cpus) places.push_back(format("{{{}}}", cpu));
  const std::string threads = std::to_string(std::max<std::size_t>(cpus.size(), 1));
  std::vector<std::string> set = {
      "OMP_NUM_THREADS=" + threads,
      "OPENBLAS_NUM_THREADS=" + threads,
      "OMP_DYNAMIC=false",
      "OMP_WAIT_POLICY=passive",
      // OpenBLAS spins 2^26 cycles by default; 2^4 is the least it takes.
      "OPENBLAS_THREAD_TIMEOUT=4",
  };
  if (!places.empty()) {
    set.push_back("OMP_PROC_BIND=true");
    set.push_back("OMP_PLACES=" + join(places, ","));
  }
  if (!setting.value.empty()) set.push_back(setting.variable + "=" + setting.value);
  // Also dropped: what would contradict these.
  std::vector<std::string> dropped = {"OMP_PROC_BIND",  "OMP_PLACES",        "OMP_THREAD_LIMIT",
                                      "GOMP_SPINCOUNT", "GOMP_CPU_AFFINITY", "KMP_AFFINITY",
                                      "KMP_BLOCKTIME",  "GOTO_NUM_THREADS",  setting.variable};
  for (const std::string& entry : set) dropped.push_back(entry.substr(0, entry.find('=')));
  std::vector<std::string> result;
  for (const std::string& entry : base) {
    const std::string key = entry.substr(0, entry.find('='));
    if (std::find(dropped.begin(), dropped.end(), key) == dropped.end()) result.push_back(entry);
  }
  result.insert(result.end(), set.begin(), set.end());
  return result;
}

Result<std::unique_ptr<LibraryProcess>> LibraryProcess::start(WorkerProgram program,
                                                              const std::vector<int>& cpus,
                                                              const Setting& setting) {
  auto spawned =
      spawn(program.path, worker_environment(current_environment(), cpus, setting), cpus);
  if (!spawned) return fail(spawned.error());
  return std::unique_ptr<LibraryProcess>(
      new LibraryProcess(std::move(program), spawned->pid, spawned->talk, spawned->complaints));
}

LibraryProcess::~LibraryProcess() {
  end(false);
}

Seconds LibraryProcess::cpu_time() const {
  clockid_t clock{};
  timespec used{};
  if (pid_ < 0 || ::clock_getcpuclockid(pid_, &clock) != 0) return Seconds(0);
  if (::clock_gettime(clock, &used) != 0) return Seconds(0);
  return Seconds(static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec));
}

Error LibraryProcess::error(const std::string& what) {
  return {ErrorCode::failed, what, program_.path, program_.hint};
}

std::optional<int> LibraryProcess::end(bool let_it_finish) {
  close_and_forget(talk_);
  if (pid_ < 0) return std::nullopt;
  int status = 0;
  pid_t reaped = 0;
  const std::int64_t until = monotonic_ns() + kFinishWithin_ms * 1'000'000;
  while (let_it_finish && reaped == 0 && monotonic_ns() < until) {
    reaped = ::waitpid(pid_, &status, WNOHANG);
    if (reaped == 0) ::poll(nullptr, 0, 1);
  }
  take_complaints();
  close_and_forget(complaints_);
  const bool alone = reaped == pid_;
  // The whole group, so that nothing a library started stays behind.
  ::kill(-pid_, SIGKILL);
  if (!alone) {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  pid_ = -1;
  return alone ? std::optional(status) : std::nullopt;
}

Error LibraryProcess::ended() {
  const std::optional<int> status = end(true);
  const std::string said = tidy(said_);
  const std::string last = said.empty() ? "" : format("; its last words: {}", said);
  if (!status)
    return error(format("{}'s worker closed its replies and hung{}", program_.title, last));
  if (WIFSIGNALED(*status)) {
    const int number = WTERMSIG(*status);
    const char* meaning = ::sigdescr_np(number);
    Error found = error(format("{} crashed: signal {} ({}){}", program_.title, number,
                               meaning == nullptr ? "unknown" : meaning, last));
    if (number == SIGKILL) {
      found.what = format("{}'s worker was killed from outside (signal 9){}", program_.title, last);
      found.hint = "often the system does that when memory runs out: try a smaller product";
    }
    return found;
  }
  return error(format("{}'s worker ended too early, with exit code {}{}", program_.title,
                      WEXITSTATUS(*status), last));
}

bool LibraryProcess::take_replies() {
  char block[16384];
  const ssize_t got = ::recv(talk_, block, sizeof block, MSG_DONTWAIT);
  if (got > 0) pending_.append(block, static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void LibraryProcess::take_complaints() {
  char block[4096];
  while (complaints_ >= 0) {
    const ssize_t got = ::read(complaints_, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      close_and_forget(complaints_);
      return;
    }
    said_.append(block, static_cast<std::size_t>(got));
    if (said_.size() > kKeptComplaints) said_.erase(0, said_.size() - kKeptComplaints);
  }
}

Status LibraryProcess::send(const Json& request) {
  const std::string line = write_json(request, -1) + "\n";
  // Never a signal: a worker that is gone is an answer. It fits the socket's buffer, since the
  // worker has read all there was before.
  const ssize_t sent = ::send(talk_, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent < 0 || static_cast<std::size_t>(sent) != line.size()) return fail(ended());
  return {};
}

Result<std::string> LibraryProcess::read_line(std::optional<Seconds> limit, const StopToken& stop) {
  const std::int64_t begin = monotonic_ns();
  while (true) {
    if (const std::size_t at = pending_.find('\n'); at != std::string::npos) {
      std::string line = pending_.substr(0, at);
      pending_.erase(0, at + 1);
      return line;
    }
    if (pending_.size() > kLongestWorkerLine) {
      end(false);
      return fail(error(format("{}'s worker babbled without end", program_.title)));
    }
    if (stop.requested()) {
      end(false);
      return fail({ErrorCode::interrupted, "interrupted", "", ""});
    }
    std::int64_t wait_ms = kStopEvery_ms;
    if (limit) {
      const double left_ms =
          1e3 * limit->value() - 1e-6 * static_cast<double>(monotonic_ns() - begin);
      if (left_ms <= 0) {
        end(false);
        return fail(
            error(format("{}'s worker gave no answer within {}", program_.title, show(*limit))));
      }
      wait_ms = std::min(wait_ms, static_cast<std::int64_t>(std::ceil(left_ms)));
    }
    pollfd ready[2] = {{talk_, POLLIN, 0}, {complaints_, POLLIN, 0}};
    if (::poll(ready, 2, static_cast<int>(wait_ms)) <= 0) continue;
    if (ready[1].revents != 0) take_complaints();
    if (ready[0].revents != 0 && !take_replies()) return fail(ended());
  }
}

Result<Json> LibraryProcess::ask(const Json& request, std::optional<Seconds> limit,
                                 const StopToken& stop) {
  if (talk_ < 0) return fail(error(format("{}'s worker has ended", program_.title)));
  auto sent = send(request);
  if (!sent) return fail(sent.error());
  auto line = read_line(limit, stop);
  if (!line) return fail(line.error());
  auto reply = parse_json(*line, program_.path);
  if (!reply || !pending_.empty()) {
    end(false);
    return fail(error(format("{}'s worker answered in a way that makes no sense: {}",
                             program_.title, tidy(line->substr(0, 80)))));
  }
  return reply;
}

}  // namespace roofbeam
