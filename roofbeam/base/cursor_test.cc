// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/cursor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace roofbeam {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

TEST(Cursor, ReadsLittleEndianNumbersInTurn) {
  Cursor cursor(std::string_view("\x01\x02\x01\x04\x03\x02\x01\x08\0\0\0\0\0\0\x80", 15), "f");
  EXPECT_EQ(cursor.u8(), 1);
  EXPECT_EQ(cursor.u16(), 0x0102);
  EXPECT_EQ(cursor.u32(), 0x01020304U);
  EXPECT_EQ(cursor.u64(), 0x8000000000000008U);
  EXPECT_TRUE(cursor.at_end());
  EXPECT_TRUE(cursor.status());
}

TEST(Cursor, NeverLeavesItsBytesHoweverLargeTheLie) {
  for (std::uint64_t stated : {std::uint64_t{5}, std::uint64_t{1} << 63, kHuge}) {
    Cursor cursor("abcd", "f");
    cursor.skip(1);
    EXPECT_EQ(cursor.take(stated), "");
    EXPECT_EQ(cursor.offset(), 1U);
    ASSERT_FALSE(cursor.status());
    EXPECT_EQ(cursor.status().error().where, "f:1");
  }
}

TEST(Cursor, KeepsTheFirstFailureAndReadsNothingAfterIt) {
  Cursor cursor("abcd", "f");
  cursor.take(9);
  cursor.reject("another thing");
  EXPECT_EQ(cursor.u8(), 0);
  EXPECT_EQ(cursor.peek(), -1);
  EXPECT_EQ(cursor.count(1, 1), 0U);
  EXPECT_EQ(cursor.status().error().what, "9 bytes are stated here and 4 are left");
}

TEST(Cursor, ACountThatCannotBeTrueIsRefusedBeforeAnythingIsMade) {
  Cursor cursor("abcdefgh", "f");
  EXPECT_EQ(cursor.count(2, 4), 2U);
  EXPECT_EQ(cursor.count(8, 0), 8U) << "each thing takes a byte at least";
  EXPECT_EQ(cursor.count(kHuge, 16), 0U);
  EXPECT_FALSE(cursor.status());
}

TEST(Cursor, TextEndsAtItsEndOrNotAtAll) {
  Cursor cursor("one\ntwo", "f");
  EXPECT_EQ(cursor.until('\n', 100), "one");
  EXPECT_EQ(cursor.peek(), 't');
  EXPECT_EQ(cursor.until('\n', 100), "");
  EXPECT_EQ(cursor.status().error().what, "the file ends in the middle of something");
  Cursor endless("aaaaaaaa\n", "f");
  EXPECT_EQ(endless.until('\n', 4), "");
  EXPECT_EQ(endless.status().error().what, "longer than the 4 bytes this may have");
}

}  // namespace
}  // namespace roofbeam
