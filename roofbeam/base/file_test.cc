// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace roofbeam {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "roofbeam-file-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

TEST(File, WritesInNewFoldersAndReadsBack) {
  const Folder folder;
  const std::string path = folder / "a/b/c.json";
  ASSERT_TRUE(write_file_atomic(path, "one"));
  ASSERT_TRUE(write_file_atomic(path, "two"));
  EXPECT_EQ(*read_file(path), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(path).parent_path()), {}), 1)
      << "a partial file was left behind";
}

TEST(File, ALinkStaysALinkAndTheModeIsKept) {
  const Folder folder;
  ASSERT_TRUE(write_file_atomic(folder / "real", "old"));
  ASSERT_EQ(::chmod((folder / "real").c_str(), 0600), 0);
  fs::create_symlink("real", folder / "link");
  ASSERT_TRUE(write_file_atomic(folder / "link", "new"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(*read_file(folder / "real"), "new");
  EXPECT_EQ(fs::status(folder / "real").permissions(), fs::perms(0600));
}

TEST(File, WhatOthersWroteToAStreamStays) {
  const Folder folder;
  ASSERT_TRUE(write_file_atomic(folder / "log", "first\n"));
  const int fd = ::open((folder / "log").c_str(), O_WRONLY | O_APPEND);
  ASSERT_GE(fd, 0);
  ASSERT_TRUE(write_file_atomic("/proc/self/fd/" + std::to_string(fd), "second\n"));
  ::close(fd);
  EXPECT_EQ(*read_file(folder / "log"), "first\nsecond\n");
}

TEST(File, AFullDeviceSaysSo) {
  const auto full = write_file_atomic("/dev/full", "content");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().what, "could not write: No space left on device");
  EXPECT_EQ(full.error().where, "/dev/full");
  EXPECT_NE(full.error().hint.find("full"), std::string::npos);
}

constexpr int kNotPermitted = 77;

// Runs `body` in a child; the exit code, -1 where it crashed.
int in_child(const std::function<int()>& body) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Writes 100 KiB over "old", which must fail; what did not hold, a bit each.
int refused_and_old_kept(const Folder& folder, std::string_view reason, std::string_view hint) {
  const std::string path = folder / "f";
  if (!write_file_atomic(path, "old")) return 1;
  const auto before = std::distance(fs::directory_iterator(folder.path()), {});
  const auto done = write_file_atomic(path, std::string(100 << 10, 'n'));
  if (done) return 2;
  return (done.error().what.find(reason) == std::string::npos ? 4 : 0) |
         (done.error().hint.find(hint) == std::string::npos ? 8 : 0) |
         (done.error().where != path ? 16 : 0) | (*read_file(path) != "old" ? 32 : 0) |
         (std::distance(fs::directory_iterator(folder.path()), {}) != before ? 64 : 0);
}

TEST(File, AFullDiskKeepsTheOldFileAndSaysSo) {
  const int code = in_child([] {
    const std::string disk = fs::temp_directory_path().string();
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", disk.c_str(), "tmpfs", 0, "size=64k") != 0) {
      return kNotPermitted;
    }
    const Folder folder;
    return refused_and_old_kept(folder, "No space left on device", "full");
  });
  if (code == kNotPermitted) GTEST_SKIP() << "a tiny disk cannot be mounted here";
  EXPECT_EQ(code, 0);
}

TEST(File, ALimitOfFileSizesKeepsTheOldFileAndSaysSo) {
  const Folder folder;
  const int code = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{64 << 10, 64 << 10};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) return kNotPermitted;
    return refused_and_old_kept(folder, "File too large", "ulimit -f");
  });
  if (code == kNotPermitted) GTEST_SKIP() << "file sizes cannot be limited here";
  EXPECT_EQ(code, 0);
}

TEST(File, WhatKilledWritersLeftIsRemovedOnceItIsOld) {
  const Folder folder;
  const std::string ours = folder / ("f." + std::to_string(::getpid()) + "-0.partial");
  for (const std::string& left : {ours, folder / "f.7-0.partial", folder / "f.8-0.partial",
                                  folder / "g.7-0.partial", folder / "f.x.partial"}) {
    ASSERT_TRUE(write_file_atomic(left, "half"));
    const std::time_t when = std::time(nullptr) - (left == folder / "f.8-0.partial" ? 0 : 7200);
    const timeval times[2] = {{when, 0}, {when, 0}};
    ASSERT_EQ(::utimes(left.c_str(), times), 0);
  }
  ASSERT_TRUE(write_file_atomic(folder / "f", "whole")) << "a name that is taken is no obstacle";
  EXPECT_EQ(*read_file(folder / "f"), "whole");
  EXPECT_FALSE(fs::exists(ours));
  EXPECT_FALSE(fs::exists(folder / "f.7-0.partial"));
  EXPECT_TRUE(fs::exists(folder / "f.8-0.partial")) << "its writer may be at work";
  EXPECT_TRUE(fs::exists(folder / "g.7-0.partial")) << "this is of another file";
  EXPECT_TRUE(fs::exists(folder / "f.x.partial")) << "this is no name of ours";
}

TEST(File, SharedMemoryIsADiskAndNoStream) {
  const std::string path = "/dev/shm/roofbeam-file-test-" + std::to_string(::getpid());
  if (!write_file_atomic(path, "first")) GTEST_SKIP() << "/dev/shm cannot be written to";
  EXPECT_TRUE(write_file_atomic(path, "second"));
  EXPECT_EQ(*read_file(path), "second");
  fs::remove(path);
}

TEST(File, RefusesFoldersAndWhatIsTooLong) {
  const Folder folder;
  EXPECT_FALSE(read_file(folder.path()));
  EXPECT_FALSE(write_file_atomic(folder.path(), "x"));
  ASSERT_TRUE(write_file_atomic(folder / "f", "12345"));
  EXPECT_TRUE(read_file(folder / "f", 5));
  const auto long_one = read_file(folder / "f", 4);
  ASSERT_FALSE(long_one);
  EXPECT_EQ(long_one.error().code, ErrorCode::usage);
}

TEST(File, AMissingFileIsAUsageErrorWithItsPath) {
  const auto missing = read_file("/no/such/file");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error(), (Error{ErrorCode::usage, "could not read: No such file or directory",
                                    "/no/such/file", ""}));
}

}  // namespace
}  // namespace roofbeam
