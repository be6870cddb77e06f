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
#include <ctime>
#include <filesystem>
#include <system_error>

#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr std::int64_t kWriterWithin_ns = 5'000'000'000;
constexpr int kLookEvery_ms = 20;
constexpr std::int64_t kMostPartials = 100;  // of one process and one path
constexpr std::time_t kAbandoned_s = 3600;   // no writer takes that long
constexpr std::string_view kPartialEnd = ".partial";

std::string reason(int code) {
  return std::error_code(code, std::generic_category()).message();
}

const char* what_to_try(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "the disk or the quota is full: free some space, or write to another folder";
    case EFBIG:
      return "files may not be that long here (ulimit -f): raise it, or write to another folder";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a path that you may write to";
    case EIO:
      return "the disk may be failing: write to another folder";
    default:
      return "choose another path";
  }
}

tl::unexpected<Error> could_not(std::string_view act, int code, const std::string& path) {
  return failed(format("could not {}: {}", act, reason(code)), path, what_to_try(code));
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
  const std::int64_t until_ns = monotonic_ns() + kWriterWithin_ns;
  while (monotonic_ns() < until_ns) {
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
      return could_not("write", errno, path);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// Another process may have had our number and left its file: then the next name is taken.
int open_partial(const std::string& path, mode_t mode, std::string& partial) {
  for (std::int64_t n = 0; n < kMostPartials; ++n) {
    partial = format("{}.{}-{}{}", path, static_cast<std::int64_t>(::getpid()), n, kPartialEnd);
    const int fd = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  errno = EEXIST;
  return -1;
}

// `before` is what is replaced: its mode is kept. Null for a new file.
Status fill(Descriptor& file, std::string_view content, const struct stat* before,
            const std::string& path) {
  if (before != nullptr && ::fchmod(file.get(), before->st_mode & 07777) != 0) {
    return could_not("keep the file's mode", errno, path);
  }
  if (auto done = write_all(file.get(), content, path); !done) return done;
  if (::fsync(file.get()) != 0) return could_not("write", errno, path);
  if (file.close() != 0) return could_not("write", errno, path);
  return {};
}

// A name is on the disk once its folder is.
Status sync_folder(const std::string& folder, const std::string& path) {
  const Descriptor place(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (place.get() < 0 && errno == EACCES) return {};  // one may write into it and not read it
  if (place.get() < 0 || (::fsync(place.get()) != 0 && errno != EINVAL)) {
    return could_not("make sure that what was written stays", errno, path);
  }
  return {};
}

bool is_partial_of(std::string_view file, std::string_view name) {
  if (file.size() < name.size() + kPartialEnd.size()) return false;
  if (!file.starts_with(name) || !file.ends_with(kPartialEnd)) return false;
  file.remove_prefix(name.size());
  file.remove_suffix(kPartialEnd.size());
  return file.size() > 1 && file[0] == '.' && file.find_first_not_of("0123456789-", 1) == file.npos;
}

// What killed writers left. By age: whose process lives cannot be told of another machine's.
void remove_abandoned(const std::string& folder, const std::string& name) {
  std::error_code code;
  std::filesystem::directory_iterator at(folder, code);
  for (; !code && at != std::filesystem::directory_iterator(); at.increment(code)) {
    if (!is_partial_of(at->path().filename().native(), name)) continue;
    const std::string& left = at->path().native();
    struct stat info {};
    if (::lstat(left.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    if (std::time(nullptr) - info.st_mtime > kAbandoned_s) ::unlink(left.c_str());
  }
}

Status replace(const std::string& path, std::string_view content, const struct stat* before) {
  std::string partial;
  // Nobody may read what was private before.
  Descriptor file(open_partial(path, before == nullptr ? 0666 : 0600, partial));
  if (file.get() < 0) return could_not("write", errno, path);
  auto done = fill(file, content, before, path);
  if (done && ::rename(partial.c_str(), path.c_str()) != 0) {
    done = could_not("put the file in place", errno, path);
  }
  if (!done) ::unlink(partial.c_str());
  return done;
}

// Where others may have written before us: what is there stays.
bool leads_to_a_stream(const std::string& path, const struct stat& there) {
  if (!S_ISREG(there.st_mode) || path.rfind("/proc/", 0) == 0) return true;
  return path.rfind("/dev/", 0) == 0 && path.rfind("/dev/shm/", 0) != 0;  // /dev/stdout
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
  struct stat before {};
  const bool there = ::stat(path.c_str(), &before) == 0;
  if (!there && errno != ENOENT && errno != ENOTDIR) return could_not("write", errno, path);
  if (there && S_ISDIR(before.st_mode)) return failed("this is a folder, not a file", path);
  if (there && leads_to_a_stream(path, before)) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    if (file.get() < 0) return could_not("write", errno, path);
    return write_all(file.get(), content, path);
  }
  std::error_code code;
  // A link stays a link: the file it names is replaced.
  const fs::path real = there ? fs::canonical(path, code) : fs::path(path);
  if (code) return could_not("write", code.value(), path);
  const std::string folder = real.has_parent_path() ? real.parent_path().string() : ".";
  fs::create_directories(folder, code);
  if (code) return could_not("make the folder", code.value(), folder);
  if (auto done = replace(real.string(), content, there ? &before : nullptr); !done) return done;
  remove_abandoned(folder, real.filename().string());
  return sync_folder(folder, path);
}

}  // namespace roofbeam
