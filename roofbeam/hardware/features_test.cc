// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

const char* const kNames =
    "sse2 avx avx2 fma f16c avx512f avx512bw avx512vl avx512dq avx512_vnni avx512_bf16 avx512_fp16 "
    "avx_vnni amx_tile amx_bf16 amx_int8 asimd asimdhp asimddp bf16 i8mm sve";

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// The kernel knows the same names and also takes away what it does not save.
TEST(Features, AgreeWithTheKernel) {
  std::set<std::string> told;
  for (const std::string& line : split(read_file("/proc/cpuinfo").value(), '\n')) {
    const std::string key = trim(line.substr(0, line.find(':')));
    if (key != "flags" && key != "Features") continue;
    for (const std::string& word : words(line.substr(line.find(':') + 1))) told.insert(word);
    break;
  }
  if (told.empty()) GTEST_SKIP() << "/proc/cpuinfo lists no features";
  std::vector<std::string> expected;
  for (const std::string& name : words(kNames)) {
    if (told.count(name) != 0) expected.push_back(name);
  }
  EXPECT_EQ(cpu_features(), expected);
}

}  // namespace
}  // namespace roofbeam
