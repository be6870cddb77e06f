// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/amounts.h"

#include <gtest/gtest.h>

#include <string>

namespace roofbeam {
namespace {

TEST(Amounts, TakePrefixesAndUnits) {
  EXPECT_DOUBLE_EQ(parse_flops("2.1T")->value(), 2.1e12);
  EXPECT_DOUBLE_EQ(parse_flops("2.1 TFLOP")->value(), 2.1e12);
  EXPECT_DOUBLE_EQ(parse_flops("7Gflops")->value(), 7e9);
  EXPECT_DOUBLE_EQ(parse_flops("1E")->value(), 1e18);
  EXPECT_DOUBLE_EQ(parse_flops("1e9")->value(), 1e9);
  EXPECT_DOUBLE_EQ(parse_flops("3TOPS")->value(), 3e12);
  EXPECT_DOUBLE_EQ(parse_bytes("3.4GB")->value(), 3.4e9);
  EXPECT_DOUBLE_EQ(parse_bytes("3.4G")->value(), 3.4e9);
  EXPECT_DOUBLE_EQ(parse_bytes("2GiB")->value(), 2147483648.0);
  EXPECT_DOUBLE_EQ(parse_bytes("512")->value(), 512);
  EXPECT_DOUBLE_EQ(parse_bytes("64 KiB")->value(), 65536);
  EXPECT_DOUBLE_EQ(parse_bytes("5 bytes")->value(), 5);
  EXPECT_DOUBLE_EQ(parse_seconds("12ms")->value(), 0.012);
  EXPECT_DOUBLE_EQ(parse_seconds("3µs")->value(), 3e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("3us")->value(), 3e-6);
  EXPECT_DOUBLE_EQ(parse_seconds("1.5e-3")->value(), 1.5e-3);
  EXPECT_DOUBLE_EQ(parse_seconds("2min")->value(), 120);
  EXPECT_DOUBLE_EQ(parse_count("3.5k").value(), 3500);
  EXPECT_DOUBLE_EQ(parse_count("0").value(), 0);
}

TEST(Amounts, WhatIsNoneIsRefusedWithTheUnitsThereAre) {
  EXPECT_EQ(parse_bytes("3.4 stones").error().what, "\"stones\" is no unit of an amount of bytes");
  EXPECT_EQ(parse_seconds("-1s").error().what, "\"-1s\" is below 0, and a time never is");
  EXPECT_EQ(parse_flops("many").error().what, "\"many\" is not an amount of flops");
  for (const char* text : {"", " ", "ms", "1e", "1.2.3", "nan", "inf", "0x10", "1e308E", "--1"}) {
    EXPECT_FALSE(parse_seconds(text)) << text;
    EXPECT_FALSE(parse_bytes(std::string(text) + "x")) << text;
  }
  EXPECT_EQ(parse_flops("1e300E").error().what, "\"1e300E\" is too large");
  EXPECT_EQ(parse_seconds("1m").error().hint, "ns us ms s min h: 12ms");
}

}  // namespace
}  // namespace roofbeam
