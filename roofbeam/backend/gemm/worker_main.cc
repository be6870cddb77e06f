// SPDX-License-Identifier: Apache-2.0
// The program around a GEMM library. Answers protocol.h on its standard input and output until the
// input ends; spawn.cc starts it, lets it ignore Ctrl-C and sees that it does not outlive us.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include "roofbeam/backend/gemm/protocol.h"
#include "roofbeam/backend/gemm/worker_session.h"
#include "roofbeam/base/json.h"

namespace roofbeam {
namespace {

// Reads a line; false at the end of the input, or where a line is longer than any request.
bool read_line(int fd, std::string& pending, std::string& line) {
  while (true) {
    if (const std::size_t end = pending.find('\n'); end != std::string::npos) {
      line = pending.substr(0, end);
      pending.erase(0, end + 1);
      return true;
    }
    if (pending.size() > kLongestWorkerLine) return false;
    char block[4096];
    const ssize_t got = ::read(fd, block, sizeof block);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    pending.append(block, static_cast<std::size_t>(got));
  }
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Only replies may go to the standard output, so whatever a library prints there goes to the
// standard error output instead. Answers where replies are to be written.
int take_standard_output() {
  const int replies = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  return replies;
}

int serve() {
  const int replies = take_standard_output();
  if (replies < 0) {
    std::fputs("this program is started by roofbeam, with both ends of a pipe\n", stderr);
    return 2;
  }
  WorkerSession session(open_library());
  std::string pending, line;
  while (read_line(STDIN_FILENO, pending, line)) {
    const auto request = parse_json(line, "request");
    const Json reply = request ? session.answer(*request) : error_reply(request.error());
    if (!write_all(replies, write_json(reply, -1) + "\n")) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace roofbeam

int main() {
  return roofbeam::serve();
}
