// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr int kWriterWithin_ms = 5000;
constexpr int kLookEvery_ms = 20;

std::string reason(int code) {
  return std::error_code(code, std::generic_category()).message();
}

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  // Closing can be where a full disk is first told (NFS, quotas).
  int close() {
    const int code = ::close(fd_);
    fd_ = -1;
    return code;
  }

 private:
  int fd_;
};

// Gives the writer of a pipe time to come, and keeps the byte that may already be there.
bool somebody_writes(int fd, std::string& content) {
  for (int waited_ms = 0; waited_ms < kWriterWithin_ms; waited_ms += kLookEvery_ms) {
    char byte = 0;
    const ssize_t got = ::read(fd, &byte, 1);
    if (got > 0) content.push_back(byte);
    if (got != 0) return true;  // also where it has come and writes nothing yet (EAGAIN)
    ::poll(nullptr, 0, kLookEvery_ms);
  }
  return false;
}

Status write_all(int fd, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return failed("could not write: " + reason(errno), path);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// `before` is what is replaced: its mode is kept. Null for a new file.
Status write_beside(const std::string& path, const std::string& partial, std::string_view content,
                    const struct stat* before) {
  Descriptor file(::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (file.get() < 0) return failed("could not write: " + reason(errno), path);
  if (before != nullptr) ::fchmod(file.get(), before->st_mode & 07777);
  if (auto done = write_all(file.get(), content, path); !done) return done;
  if (::fsync(file.get()) != 0) return failed("could not write: " + reason(errno), path);
  if (file.close() != 0) return failed("could not write: " + reason(errno), path);
  if (::rename(partial.c_str(), path.c_str()) != 0) {
    return failed("could not put the file in place: " + reason(errno), path);
  }
  return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::size_t limit) {
  // O_NONBLOCK: opening a pipe nobody writes into would wait for ever.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    return usage_error("could not read: " + reason(errno), path);
  }
  struct stat info {};
  if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode)) {
    return usage_error("this is a folder, not a file", path);
  }
  std::string content;
  if (S_ISFIFO(info.st_mode) && !somebody_writes(file.get(), content)) {
    return usage_error("nobody writes into this pipe", path);
  }
  ::fcntl(file.get(), F_SETFL, 0);  // from here on a slow writer is waited for
  std::string block(std::size_t{1} << 16, '\0');
  while (true) {
    const ssize_t got = ::read(file.get(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return usage_error("could not read: " + reason(errno), path);
    if (got == 0) return content;
    if (content.size() + static_cast<std::size_t>(got) > limit) {
      return usage_error(
          format("longer than the {} this may have", show_binary(Bytes(double(limit)))), path);
    }
    content.append(block.data(), static_cast<std::size_t>(got));
  }
}

Status write_file_atomic(const std::string& path, std::string_view content) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status target = fs::status(path, ignored);
  if (fs::is_directory(target)) return failed("this is a folder, not a file", path);
  const bool stream = path.rfind("/dev/", 0) == 0 || path.rfind("/proc/", 0) == 0;
  if (fs::exists(target) && (stream || !fs::is_regular_file(target))) {
    // /dev/stdout may lead to a file that others wrote to: what is there stays.
    Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (file.get() < 0) return failed("could not write: " + reason(errno), path);
    return write_all(file.get(), content, path);
  }
  // A link stays a link: the file it names is replaced.
  const fs::path real = fs::exists(target) ? fs::canonical(path, ignored) : fs::path(path);
  const fs::path folder = real.parent_path();
  if (!folder.empty()) {
    std::error_code code;
    fs::create_directories(folder, code);
    if (code) return failed("could not make the folder: " + code.message(), folder.string());
  }
  const std::string partial =
      format("{}.{}.partial", real.string(), static_cast<std::int64_t>(::getpid()));
  struct stat before {};
  const bool replaces = ::stat(real.c_str(), &before) == 0;
  auto done = write_beside(real, partial, content, replaces ? &before : nullptr);
  if (!done) ::unlink(partial.c_str());
  return done;
}

}  // namespace roofbeam
