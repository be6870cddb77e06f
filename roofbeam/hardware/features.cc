// SPDX-License-Identifier: Apache-2.0
// The only file that asks which architecture it is compiled for. A new feature is one row;
// tools/record_machine has the same names.
#include "roofbeam/hardware/features.h"

#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace roofbeam {

#if defined(__x86_64__)

namespace {

struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// What CPUID says; all zero where the CPU has no such leaf.
Registers cpuid(unsigned leaf, unsigned subleaf) {
  Registers found;
  if (leaf == 7 && subleaf > 0) {
    Registers first;
    if (!__get_cpuid_count(7, 0, &first.eax, &first.ebx, &first.ecx, &first.edx)) return found;
    if (first.eax < subleaf) return found;
  }
  __get_cpuid_count(leaf, subleaf, &found.eax, &found.ebx, &found.ecx, &found.edx);
  return found;
}

// XCR0: which registers the operating system saves; 0 where it uses no XSAVE.
std::uint64_t saved_state() {
  constexpr unsigned kOsxsave = 1U << 27;
  if ((cpuid(1, 0).ecx & kOsxsave) == 0) return 0;
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

// Bits of XCR0.
constexpr std::uint64_t kAlways = 0;                     // saved by FXSAVE on every x86_64
constexpr std::uint64_t kYmm = 0x6;                      // xmm, upper halves of ymm
constexpr std::uint64_t kZmm = kYmm | 0xe0;              // mask registers, zmm
constexpr std::uint64_t kTile = std::uint64_t{3} << 17;  // tile configuration, tile data

struct Row {
  const char* name;
  unsigned leaf, subleaf;
  unsigned Registers::*word;
  int bit;
  std::uint64_t saved;  // all of these bits of XCR0 must be set
};

// Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E.
constexpr Row kRows[] = {
    {"sse2", 1, 0, &Registers::edx, 26, kAlways},
    {"avx", 1, 0, &Registers::ecx, 28, kYmm},
    {"avx2", 7, 0, &Registers::ebx, 5, kYmm},
    {"fma", 1, 0, &Registers::ecx, 12, kYmm},
    {"f16c", 1, 0, &Registers::ecx, 29, kYmm},
    {"avx512f", 7, 0, &Registers::ebx, 16, kZmm},
    {"avx512bw", 7, 0, &Registers::ebx, 30, kZmm},
    {"avx512vl", 7, 0, &Registers::ebx, 31, kZmm},
    {"avx512dq", 7, 0, &Registers::ebx, 17, kZmm},
    {"avx512_vnni", 7, 0, &Registers::ecx, 11, kZmm},
    {"avx512_bf16", 7, 1, &Registers::eax, 5, kZmm},
    {"avx512_fp16", 7, 0, &Registers::edx, 23, kZmm},
    {"avx_vnni", 7, 1, &Registers::eax, 4, kYmm},
    {"amx_tile", 7, 0, &Registers::edx, 24, kTile},
    {"amx_bf16", 7, 0, &Registers::edx, 22, kTile},
    {"amx_int8", 7, 0, &Registers::edx, 25, kTile},
};

}  // namespace

std::vector<std::string> cpu_features() {
  std::vector<std::string> found;
  const std::uint64_t saved = saved_state();
  for (const Row& row : kRows) {
    const Registers registers = cpuid(row.leaf, row.subleaf);
    const bool there = ((registers.*row.word >> row.bit) & 1U) != 0;
    if (there && (saved & row.saved) == row.saved) found.emplace_back(row.name);
  }
  return found;
}

#elif defined(__aarch64__)

namespace {

struct Row {
  const char* name;
  unsigned long word;  // which entry of the auxiliary vector
  int bit;
};

// Linux: arch/arm64/include/uapi/asm/hwcap.h, written out since older headers lack some. The kernel
// sets a bit only for what it saves.
constexpr Row kRows[] = {
    {"asimd", AT_HWCAP, 1},  {"asimdhp", AT_HWCAP, 10}, {"asimddp", AT_HWCAP, 20},
    {"bf16", AT_HWCAP2, 14}, {"i8mm", AT_HWCAP2, 13},   {"sve", AT_HWCAP, 22},
};

}  // namespace

std::vector<std::string> cpu_features() {
  std::vector<std::string> found;
  for (const Row& row : kRows) {
    if (((getauxval(row.word) >> row.bit) & 1UL) != 0) found.emplace_back(row.name);
  }
  return found;
}

#else

std::vector<std::string> cpu_features() {
  return {};
}

#endif

}  // namespace roofbeam
