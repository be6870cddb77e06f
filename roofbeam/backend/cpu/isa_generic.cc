// SPDX-License-Identifier: Apache-2.0
// Whatever vectors of 16 bytes every CPU of the architecture has (SSE2, NEON), as the compilers
// know them. Without a fused instruction a multiply-add is two, and these ceilings are lower than
// the CPU's own. Adds take the units of those two: nothing mixed can exceed multiply-adds.
#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
#include "roofbeam/backend/cpu/isa_gemv.h"
#include "roofbeam/backend/cpu/isa_grids.h"
#include "roofbeam/backend/cpu/isa_streams.h"

namespace roofbeam {
namespace {

template <class T>
struct Generic {
  typedef T Vector __attribute__((vector_size(16)));  // g++ takes no `using` of a dependent type
  static constexpr int kLanes = static_cast<int>(sizeof(Vector) / sizeof(T));
  static constexpr bool kIntoSum = false;

  static Vector load(const void* from) {
    Vector loaded;
    __builtin_memcpy(&loaded, from, sizeof loaded);
    return loaded;
  }
  static void store(void* to, Vector value) { __builtin_memcpy(to, &value, sizeof value); }
  static Vector fma(Vector x, Vector y, Vector z) { return x * y + z; }
  static Vector add(Vector x, Vector y) { return x + y; }
};

struct Stream {
  using Vector = float __attribute__((vector_size(16), may_alias));
  using Words = std::uint64_t __attribute__((vector_size(16), may_alias));
  static constexpr int kLanes = 4;

  static Vector load(const float* from) { return *reinterpret_cast<const Vector*>(from); }
  static void store(float* to, Vector value) { *reinterpret_cast<Vector*>(to) = value; }
  static Vector splat(float value) { return Vector{value, value, value, value}; }
  static Vector fma(Vector x, Vector y, Vector z) { return x * y + z; }
  static Vector left(const float* at, Vector, Vector) {
    Vector loaded;
    __builtin_memcpy(&loaded, at - 1, sizeof loaded);
    return loaded;
  }
  static Vector right(const float* at, Vector, Vector) {
    Vector loaded;
    __builtin_memcpy(&loaded, at + 1, sizeof loaded);
    return loaded;
  }
  static Vector add(Vector x, Vector y) { return x + y; }
  static Vector sub(Vector x, Vector y) { return x - y; }
  static Vector mul(Vector x, Vector y) { return x * y; }
  static Vector greater(Vector x, Vector y) { return x > y ? x : y; }
  static Vector times_power(Vector x, Vector t) {
    using Bits = std::uint32_t __attribute__((vector_size(16), may_alias));
    return reinterpret_cast<Vector>(reinterpret_cast<Bits>(x) + (reinterpret_cast<Bits>(t) << 23));
  }
  static Words no_words() { return Words{}; }
  static Words load_words(const float* from) { return *reinterpret_cast<const Words*>(from); }
  static Words add_words(Words x, Words y) { return x + y; }
  static std::uint64_t sum(Words words) { return words[0] + words[1]; }
};

using Floats = float __attribute__((vector_size(16)));
using Integers = std::int32_t __attribute__((vector_size(16)));
using Bits = std::uint32_t __attribute__((vector_size(16)));

template <class Part>
Part load_part(const void* from) {
  Part part;
  __builtin_memcpy(&part, from, sizeof part);
  return part;
}

// kSums, or kTile of four vectors, and their operands fit in the smallest set of registers.
template <class E, class P, class S, class R, int kCount, int kSums, int kTile>
struct GemvTypes {
  using Element = E;
  using Part = P;
  using Sum = S;
  using Result = R;
  static constexpr int kElements = kCount;
  static constexpr int kRows = kSums;
  static constexpr int kRowSums = kSums;
  static constexpr int kTileRows = kTile;
  static constexpr int kTileVectors = 4;

  static Part load(const Element* from) { return load_part<Part>(from); }
  static Sum add(Sum x, Sum y) { return x + y; }
  static Sum none() { return Sum{}; }
  static Result total(Sum sum) { return (sum[0] + sum[1]) + (sum[2] + sum[3]); }
  static void put_totals(const Sum* sums, Result* to, bool add) {
    for (int i = 0; i < 4; ++i) to[i] = total(sums[i]) + (add ? to[i] : 0);
  }
};
struct Gemv32 : GemvTypes<float, Floats, Floats, float, 4, 8, 2> {
  static Sum dot(Sum sum, Part w, Part x) { return sum + w * x; }
};
// Widened to f32: the upper elements of 32 bits as they are, the lower ones shifted up.
struct Gemv16 : GemvTypes<std::uint16_t, Bits, Floats, float, 8, 4, 1> {
  static Floats lower(Part part) { return reinterpret_cast<Floats>(part << 16); }
  static Floats upper(Part part) { return reinterpret_cast<Floats>(part & 0xffff0000); }
  static Sum dot(Sum sum, Part w, Part x) {
    return sum + lower(w) * lower(x) + upper(w) * upper(x);
  }
};
using Bytes8 = std::int8_t __attribute__((vector_size(8)));
using Shorts = std::int16_t __attribute__((vector_size(16)));
// A product of a byte below 128 and a signed one fits in 16 bits.
struct Gemv8 : GemvTypes<std::uint8_t, Bytes8, Integers, std::int32_t, 8, 8, 2> {
  static Sum dot(Sum sum, Part w, Part x) {
    const Shorts products = __builtin_convertvector(w, Shorts) * __builtin_convertvector(x, Shorts);
    const auto pairs = reinterpret_cast<Integers>(products);
    return sum + (pairs >> 16) +
           (reinterpret_cast<Integers>(reinterpret_cast<Bits>(pairs) << 16) >> 16);
  }
};

// Counts on a path of its own. Assembly that must not run for the others: no arithmetic or
// conditional move can replace it.
inline void count_if(bool negative, std::int64_t& count) {
  if (!negative) return;
  ++count;
  asm volatile("" : "+r"(count));
}

// The elements added up, in doubles that hold the sum exactly, and 4 for each negative one.
std::uint64_t branchy_block(const StreamArrays& arrays, std::int64_t elements) {
  using Doubles = double __attribute__((vector_size(16)));
  using Two = float __attribute__((vector_size(8)));
  Doubles sums[4] = {};
  std::int64_t count = 0;
  for (std::int64_t pass = 0; pass < arrays.passes; ++pass) {
    for (const float* b = arrays.b; b != arrays.b + elements; b += 8) {
      std::int64_t pairs[4];
      __builtin_memcpy(pairs, b, sizeof pairs);
      // In registers before the first branch, as the probe of branches has its bits: a wrong guess
      // should not wait for a load besides.
      asm volatile("" : "+r"(pairs[0]), "+r"(pairs[1]), "+r"(pairs[2]), "+r"(pairs[3]));
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) {
        sums[i] += __builtin_convertvector(load_part<Two>(b + 2 * i), Doubles);
        count_if(static_cast<std::int32_t>(pairs[i]) < 0, count);
        count_if(pairs[i] < 0, count);
      }
    }
  }
  const Doubles both = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  const double total = both[0] + both[1] + 4 * static_cast<double>(count);
  std::uint64_t bits = 0;
  __builtin_memcpy(&bits, &total, sizeof bits);
  return bits;
}

constexpr ChainRow any_of(ChainRow fma) {
  fma.kernel = "any";
  fma.chain.form = ChainForm::any;
  return fma;
}

// 12 accumulators and four constants are the 16 registers of the smallest.
constexpr ChainRow kFma32 = fma_row<Generic<float>, 12>(DataType::f32);
constexpr ChainRow kFma64 = fma_row<Generic<double>, 12>(DataType::f64);
constexpr ChainRow kChains[] = {
    kFma32,
    kFma64,
    add_row<Generic<float>, 12>(DataType::f32),
    add_row<Generic<double>, 12>(DataType::f64),
    any_of(kFma32),
    any_of(kFma64),
    fma_chain_row<Generic<float>>(DataType::f32),
};
constexpr StreamRow kStreams[] = {
    {"read", read_block<Stream>},        {"write", write_block<Stream, false>},
    {"copy", copy_block<Stream, false>}, {"triad", triad_block<Stream, false>},
    {"vadd", vadd_block<Stream>},        {"vscale", vscale_block<Stream>},
    {"vdot", vdot_block<Stream>},        {"branchy", branchy_block},
};
constexpr GemvRow kGemvs[] = {
    {DataType::f32, gemv_block<Gemv32>},
    {DataType::bf16, gemv_block<Gemv16>},
    {DataType::int8, gemv_block<Gemv8>},
};

}  // namespace

IsaTable isa_generic() {
  return table_of(kChains, kStreams, kGemvs, kAllGrids<Stream>);
}

}  // namespace roofbeam
