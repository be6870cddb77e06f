// SPDX-License-Identifier: Apache-2.0
// write_file_atomic with a fault at every system call: a forked writer is traced, and at its k-th
// call it is killed, or the call fails or is cut short, for every k until it ends undisturbed.
#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "roofbeam/base/file.h"

namespace roofbeam {
namespace {

namespace fs = std::filesystem;

// How a writer ends.
constexpr int kWritten = 0;
constexpr int kRefused = 1;       // with an error that names the file and what to try
constexpr int kRefusedBadly = 2;  // with an error that lacks one of them
constexpr int kNotPermitted = 77;

const std::string kOld(300 << 10, 'o');
const std::string kNew(200 << 10, 'n');

#ifdef SYS_open  // what newer kernels and processors no longer have
const std::set<long> kOlderCalls = {SYS_open, SYS_stat, SYS_lstat, SYS_readlink};
#else
const std::set<long> kOlderCalls;
#endif
bool renames(long call) {
#ifdef SYS_rename
  if (call == SYS_rename) return true;
#endif
  return call == SYS_renameat || call == SYS_renameat2;
}

bool touches_files(long call) {
  static const std::set<long> kCalls = {SYS_write,      SYS_fsync,     SYS_fchmod, SYS_openat,
                                        SYS_close,      SYS_fstat,     SYS_statx,  SYS_newfstatat,
                                        SYS_readlinkat, SYS_getdents64};
  return kCalls.contains(call) || kOlderCalls.contains(call) || renames(call);
}

// A folder with the file in it, and another file that is nobody's business.
class Place {
 public:
  explicit Place(bool with_old) : with_old_(with_old) {
    std::string pattern = (fs::temp_directory_path() / "roofbeam-faults-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    put(folder_ + "/bystander", "x");
    if (!with_old) return;
    put(path(), kOld);
    ::chmod(path().c_str(), 0640);
  }
  ~Place() { fs::remove_all(folder_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  const std::string& folder() const { return folder_; }
  std::string path() const { return folder_ + "/profile.json"; }
  // "absent", "old", "new" or "half".
  std::string holds() const {
    const int fd = ::open(path().c_str(), O_RDONLY);
    if (fd < 0) return "absent";
    std::string content(kOld.size() + 1, '\0');
    const ssize_t got = ::read(fd, content.data(), content.size());
    ::close(fd);
    content.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return content == kOld ? "old" : content == kNew ? "new" : "half";
  }
  bool keeps_its_mode() const {
    struct stat info {};
    return !with_old_ || (::stat(path().c_str(), &info) == 0 && (info.st_mode & 07777) == 0640);
  }
  // What lies there besides the file and the bystander.
  std::set<std::string> litter() const {
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name != "profile.json" && name != "bystander") found.insert(entry.path().string());
    }
    return found;
  }

 private:
  static void put(const std::string& path, const std::string& content) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    EXPECT_EQ(::write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    ::close(fd);
  }

  bool with_old_;
  std::string folder_;
};

int write_new(const std::string& path) {
  const auto done = write_file_atomic(path, kNew);
  if (done) return kWritten;
  const Error& error = done.error();
  const bool says_all = error.what.rfind("could not ", 0) == 0 && !error.hint.empty() &&
                        path.rfind(error.where, 0) == 0 && error.where.size() > 1;
  return says_all ? kRefused : kRefusedBadly;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// Where in the register set a call's result and its third argument are.
#if defined(__x86_64__)
constexpr bool kKnowsRegisters = true;
constexpr std::size_t kResult = offsetof(user_regs_struct, rax) / sizeof(std::uint64_t);
constexpr std::size_t kThird = offsetof(user_regs_struct, rdx) / sizeof(std::uint64_t);
#else
#if defined(__aarch64__)
constexpr bool kKnowsRegisters = true;
#else
constexpr bool kKnowsRegisters = false;
#endif
constexpr std::size_t kResult = 0;
constexpr std::size_t kThird = 2;
#endif

struct Call {
  bool entry = false;
  long number = 0;
};

// A child that writes the new content, stopped at the entry and at the exit of each system call.
// None of its writes takes more than `most` bytes.
class Writer {
 public:
  Writer(const std::string& path, std::uint64_t most) : most_(most) {
    std::fflush(stdout);  // ThreadSanitizer's _exit writes what is left of it
    child_ = ::fork();
    if (child_ == 0) {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(kNotPermitted);
      ::kill(::getpid(), SIGSTOP);
      ::_exit(write_new(path));
    }
    ::waitpid(child_, &status_, 0);
    constexpr long kOptions = PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    if (WIFSTOPPED(status_)) ::ptrace(PTRACE_SETOPTIONS, child_, nullptr, kOptions);
  }
  ~Writer() { kill(); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Absent when it has ended, or where the kernel does not tell.
  std::optional<Call> next() {
    long signal = 0;
    while (WIFSTOPPED(status_)) {
      if (::ptrace(PTRACE_SYSCALL, child_, nullptr, signal) != 0) break;
      if (::waitpid(child_, &status_, 0) != child_ || !WIFSTOPPED(status_)) break;
      signal = WSTOPSIG(status_);
      if (signal != (SIGTRAP | 0x80)) continue;
      struct __ptrace_syscall_info info {};
      if (::ptrace(PTRACE_GET_SYSCALL_INFO, child_, sizeof info, &info) <= 0) break;
      if (info.op != PTRACE_SYSCALL_INFO_ENTRY) return Call{false, number_};
      number_ = static_cast<long>(info.entry.nr);
      if (number_ == SYS_write && info.entry.args[2] > most_) set_register(kThird, most_);
      return Call{true, number_};
    }
    return std::nullopt;
  }
  // At its entry: the call does not happen, and fails with `code`.
  void refuse_call(int code) {
    refuse_call_itself();
    if (next()) set_register(kResult, static_cast<std::uint64_t>(-static_cast<std::int64_t>(code)));
  }
  void kill() {
    if (!WIFSTOPPED(status_)) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, &status_, 0);
  }
  bool stopped() const { return WIFSTOPPED(status_); }
  // The exit code; -1 where a signal ended it.
  int code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

 private:
  void refuse_call_itself() {
#if defined(__aarch64__)
    int none = -1;
    iovec part{&none, sizeof none};
    EXPECT_EQ(::ptrace(PTRACE_SETREGSET, child_, NT_ARM_SYSTEM_CALL, &part), 0);
#elif defined(__x86_64__)
    set_register(offsetof(user_regs_struct, orig_rax) / sizeof(std::uint64_t), ~std::uint64_t{0});
#endif
  }
  void set_register(std::size_t index, std::uint64_t value) {
    if (!kKnowsRegisters) return;
    std::array<std::uint64_t, sizeof(user_regs_struct) / sizeof(std::uint64_t)> registers{};
    iovec whole{registers.data(), sizeof registers};
    EXPECT_EQ(::ptrace(PTRACE_GETREGSET, child_, NT_PRSTATUS, &whole), 0);
    registers.at(index) = value;
    EXPECT_EQ(::ptrace(PTRACE_SETREGSET, child_, NT_PRSTATUS, &whole), 0);
  }

  std::uint64_t most_;
  pid_t child_ = 0;
  int status_ = 0;
  long number_ = 0;
};

class FileFaults : public testing::Test {
 protected:
  void SetUp() override {
    const Place place(true);
    Writer writer(place.path(), kBlock);
    while (writer.next()) {
    }
    if (writer.stopped()) GTEST_SKIP() << "this kernel does not tell a tracer its system calls";
    if (writer.code() == kNotPermitted) GTEST_SKIP() << "tracing (ptrace) is not permitted here";
    ASSERT_EQ(writer.code(), kWritten);
    ASSERT_EQ(place.holds(), "new");
  }

  static constexpr std::uint64_t kBlock = 64 << 10;
  static constexpr int kFewestCalls = 5;
};

// Kills the writer at its k-th call; false where it ended before.
bool killed_at(Writer& writer, int k, bool at_entry) {
  int entries = 0;
  while (const auto call = writer.next()) {
    entries += call->entry ? 1 : 0;
    if (entries != k || call->entry != at_entry) continue;
    writer.kill();
    return true;
  }
  return false;
}

void expect_whole_after_kill(const Place& place, std::set<std::string>& seen) {
  seen.insert(place.holds());
  EXPECT_TRUE(place.keeps_its_mode());
  for (const std::string& left : place.litter()) {
    EXPECT_TRUE(left.ends_with(".partial")) << left;
    const timeval long_ago[2] = {{::time(nullptr) - 7200, 0}, {::time(nullptr) - 7200, 0}};
    ::utimes(left.c_str(), long_ago);
  }
  EXPECT_EQ(write_new(place.path()), kWritten);
  EXPECT_EQ(place.holds(), "new");
  EXPECT_EQ(place.litter(), std::set<std::string>());
}

TEST_F(FileFaults, AKillAtAnySystemCallLeavesTheOldOrTheNewFile) {
  for (const bool with_old : {true, false}) {
    for (const bool at_entry : {true, false}) {
      std::set<std::string> seen;
      int k = 1;
      for (;; ++k) {
        SCOPED_TRACE(k);
        const Place place(with_old);
        Writer writer(place.path(), kBlock);
        if (!killed_at(writer, k, at_entry)) break;
        expect_whole_after_kill(place, seen);
      }
      EXPECT_GT(k, kFewestCalls);
      EXPECT_EQ(seen, (std::set<std::string>{with_old ? "old" : "absent", "new"}));
    }
  }
}

struct Refused {
  long call = -1;        // the one that was refused
  bool renamed = false;  // before it
};

// Else a file would be lost or lie half on the disk. Opening and closing count until the rename:
// after it they are about the folder.
bool must_be_told(const Refused& refused) {
  const long call = refused.call;
  const bool always = call == SYS_write || call == SYS_fsync || call == SYS_fchmod;
  return always || renames(call) || (!refused.renamed && (call == SYS_openat || call == SYS_close));
}

// Lets the k-th call that touches files fail, and the writer end.
Refused refuse(Writer& writer, int k, int code) {
  Refused refused;
  int calls = 0;
  while (const auto call = writer.next()) {
    if (!call->entry || !touches_files(call->number)) continue;
    if (++calls == k) {
      refused.call = call->number;
      writer.refuse_call(code);
    } else if (calls < k && renames(call->number)) {
      refused.renamed = true;
    }
  }
  return refused;
}

TEST_F(FileFaults, AFailureOfAnySystemCallIsToldAndLeavesNothingBehind) {
  if (!kKnowsRegisters) GTEST_SKIP() << "how to let a call fail is not known of this processor";
  if (kSanitized) GTEST_SKIP() << "a sanitizer makes system calls of its own, and needs them";
  for (const bool with_old : {true, false}) {
    for (const int code : {ENOSPC, EIO}) {
      std::set<std::pair<long, bool>> hit;
      for (int k = 1;; ++k) {
        const Place place(with_old);
        Writer writer(place.path(), kBlock);
        const Refused refused = refuse(writer, k, code);
        if (refused.call < 0) break;
        SCOPED_TRACE(testing::Message() << "file call " << k << ", system call " << refused.call);
        hit.emplace(refused.call, refused.renamed);
        const bool told = writer.code() == kRefused;
        EXPECT_TRUE(told || writer.code() == kWritten) << writer.code();
        const bool before = told && !refused.renamed;
        EXPECT_EQ(place.holds(), !before ? "new" : with_old ? "old" : "absent");
        EXPECT_TRUE(told || !must_be_told(refused));
        EXPECT_TRUE(place.keeps_its_mode());
        EXPECT_EQ(place.litter(), std::set<std::string>());
      }
      EXPECT_GT(static_cast<int>(hit.size()), kFewestCalls);
      EXPECT_TRUE(hit.contains({SYS_fsync, false})) << "what is renamed may not be on the disk";
      EXPECT_TRUE(hit.contains({SYS_fsync, true})) << "the new name may not be on the disk";
    }
  }
}

TEST_F(FileFaults, WritesThatTakeLessThanTheyWereGivenAreCarriedOn) {
  if (!kKnowsRegisters) GTEST_SKIP() << "how to shorten a write is not known of this processor";
  if (kSanitized) GTEST_SKIP() << "a sanitizer makes system calls of its own, and needs them";
  for (const std::uint64_t most : {std::uint64_t{999}, std::uint64_t{kNew.size() / 2}}) {
    const Place place(true);
    Writer writer(place.path(), most);
    std::uint64_t writes = 0;
    while (const auto call = writer.next()) writes += call->entry && call->number == SYS_write;
    EXPECT_EQ(writer.code(), kWritten);
    EXPECT_EQ(writes, (kNew.size() + most - 1) / most);
    EXPECT_EQ(place.holds(), "new");
  }
}

}  // namespace
}  // namespace roofbeam
