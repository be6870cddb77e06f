// SPDX-License-Identifier: Apache-2.0
// Whatever vectors of 16 bytes every CPU of the architecture has (SSE2, NEON), as the compilers
// know them. Without a fused instruction a multiply-add is two, and these ceilings are lower than
// the CPU's own. Adds take the units of those two: nothing mixed can exceed multiply-adds.
#include <cstdint>

#include "roofbeam/backend/cpu/isa_body.h"
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
  static Words no_words() { return Words{}; }
  static Words load_words(const float* from) { return *reinterpret_cast<const Words*>(from); }
  static Words add_words(Words x, Words y) { return x + y; }
  static std::uint64_t sum(Words words) { return words[0] + words[1]; }
};

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
};
constexpr StreamRow kStreams[] = {
    {"read", read_block<Stream>},
    {"write", write_block<Stream, false>},
    {"copy", copy_block<Stream, false>},
    {"triad", triad_block<Stream, false>},
};

}  // namespace

IsaTable isa_generic() {
  return table_of(kChains, kStreams);
}

}  // namespace roofbeam
