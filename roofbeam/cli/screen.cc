// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/cli/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr int kDefaultWidth = 80;
constexpr int kLeastWidth = 40;
constexpr int kMostWidth = 160;  // longer lines do not read well

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

int width() {
  if (auto columns = parse_integer(environment("COLUMNS")); columns && *columns > 0) {
    return static_cast<int>(std::min<std::int64_t>(*columns, kMostWidth));
  }
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return kDefaultWidth;
}

// Without a UTF-8 locale box characters would come out as rubbish.
bool unicode() {
  for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(variable);
    if (value.empty()) continue;
    return value.find("UTF-8") != std::string_view::npos ||
           value.find("utf8") != std::string_view::npos ||
           value.find("UTF8") != std::string_view::npos;
  }
  return false;
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

TerminalStyle style_of_stdout(ColorWish wish) {
  TerminalStyle style;
  style.width = std::clamp(width(), kLeastWidth, kMostWidth);
  style.unicode = unicode();
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  const bool plain = !environment("NO_COLOR").empty() || environment("TERM") == "dumb";
  style.color = wish == ColorWish::always || (wish == ColorWish::automatic && terminal && !plain);
  return style;
}

Written write_stdout(std::string_view text, std::string& reason) {
  if (write_all(STDOUT_FILENO, text)) return Written::all;
  if (errno == EPIPE) return Written::reader_gone;
  reason = std::error_code(errno, std::generic_category()).message();
  return Written::failed;
}

void write_stderr(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

std::string error_text(const Error& error) {
  std::string text = "roofbeam: " + error.what;
  if (!error.where.empty()) text += format(" ({})", error.where);
  text += "\n";
  if (!error.hint.empty()) text += "  " + error.hint + "\n";
  return text;
}

ScreenProgress::ScreenProgress(bool quiet)
    : quiet_(quiet),
      draws_(!quiet && isatty(STDERR_FILENO) == 1 && environment("TERM") != "dumb") {}

ScreenProgress::~ScreenProgress() {
  clear();
}

void ScreenProgress::clear() {
  if (drawn_) write_stderr("\r\033[K");
  drawn_ = false;
}

void ScreenProgress::step(const std::string& what, int done, int total) {
  if (!draws_) return;
  clear();
  const double now = 1e-9 * static_cast<double>(monotonic_ns());
  if (done == 0) began_s_ = now;
  const std::string_view more = unicode() ? "…" : "...";
  std::string line = format("[{}/{}] {} {}", std::min(done + 1, total), total, what, more);
  if (done > 0 && done < total) {
    line += format(" about {:.0f} s left", (now - began_s_) / done * (total - done));
  }
  write_stderr(line);
  drawn_ = true;
}

void ScreenProgress::note(const std::string& line) {
  if (quiet_) return;
  clear();
  write_stderr("roofbeam: " + line + "\n");
}

}  // namespace roofbeam
