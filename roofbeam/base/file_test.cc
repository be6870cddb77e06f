// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

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

TEST(File, AFullDiskKeepsTheOldFileAndSaysSo) {
  const auto full = write_file_atomic("/dev/full", "content");
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().what, "could not write: No space left on device");
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
