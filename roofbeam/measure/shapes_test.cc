// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/measure/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "roofbeam/kernel/kernel_table.h"
#include "roofbeam/measure/sweep.h"

namespace roofbeam {
namespace {

constexpr double kKib = 1024;
constexpr double kMib = 1024 * 1024;

Box server() {
  Box box;
  box.topology.caches = {
      {1, Bytes(32 * kKib), 16, 1}, {2, Bytes(1 * kMib), 16, 1}, {3, Bytes(32 * kMib), 2, 8}};
  box.limits.memory_available = Bytes(64 * 1024 * kMib);
  return box;
}

double each(const Box& box, std::string_view memory, int workers, Effort effort) {
  return footprint_each(box, memory, workers, effort).value_or(Bytes(0)).value();
}

TEST(Footprint, IsHalfOfAPrivateCacheAndAThirdOfASharedOne) {
  const Box box = server();
  EXPECT_EQ(each(box, "l1", 1, Effort::quick), 16 * kKib);
  EXPECT_EQ(each(box, "l1", 16, Effort::quick), 16 * kKib);
  EXPECT_EQ(each(box, "l2", 16, Effort::quick), 512 * kKib);
  EXPECT_EQ(each(box, "l3", 1, Effort::quick), 32 * kMib / 3);
  EXPECT_EQ(each(box, "l3", 4, Effort::quick), 32 * kMib / 3 / 4);
  // Eight cores share an instance; 16 workers use both.
  EXPECT_EQ(each(box, "l3", 16, Effort::quick), 32 * kMib / 3 / 8);
}

TEST(Footprint, OfDramIsFourTimesAllLastLevelCachesAndWithinTheMemoryThereIs) {
  Box box = server();
  EXPECT_EQ(each(box, "dram", 1, Effort::quick), 256 * kMib);
  EXPECT_EQ(each(box, "dram", 16, Effort::quick), 16 * kMib);
  EXPECT_EQ(each(box, "dram", 2, Effort::normal), 256 * kMib);  // half a GiB together
  box.limits.memory_available = Bytes(300 * kMib);
  EXPECT_EQ(each(box, "dram", 1, Effort::normal), 150 * kMib);
  box.topology.caches.clear();
  box.limits.memory_available = Bytes(0);  // unknown
  EXPECT_EQ(each(box, "dram", 1, Effort::quick), 128 * kMib);
}

TEST(Footprint, OfACacheThatIsNotThereIsAbsent) {
  Box box = server();
  box.topology.caches.pop_back();
  EXPECT_FALSE(footprint_each(box, "l3", 1, Effort::quick));
  EXPECT_FALSE(footprint_each(box, "l4", 1, Effort::quick));
  EXPECT_FALSE(footprint_each(box, "", 1, Effort::quick));
}

// A hybrid CPU has two caches of a level: what fits in the smaller one fits in both.
TEST(Footprint, OfTwoKindsOfCoreIsThatOfTheSmallerCache) {
  Box box = server();
  box.topology.caches = {{1, Bytes(48 * kKib), 6, 1}, {1, Bytes(32 * kKib), 8, 1}};
  EXPECT_EQ(each(box, "l1", 1, Effort::quick), 16 * kKib);
}

TEST(ShapeOver, HoldsAllArraysInTheFootprint) {
  for (const char* name : {"read", "write", "copy", "triad", "copy_nt", "triad_nt"}) {
    const KernelSpec& spec = *find_kernel(name);
    const Shape shape = shape_over(spec, DataType::f32, Bytes(96 * kKib), 2);
    EXPECT_EQ(spec.work(shape, DataType::f32).footprint.value(), 192 * kKib) << name;
    EXPECT_EQ(shape.n, shape.m) << name;
  }
  const KernelSpec& chase = *find_kernel("chase");
  EXPECT_EQ(shape_over(chase, DataType::f32, Bytes(96 * kKib), 1).m, 1536);
}

TEST(ShapeOver, OfRowsHoldsAllOfThemInTheFootprint) {
  for (const char* name : {"gemv", "softmax", "layer_norm", "stencil"}) {
    const KernelSpec& spec = *find_kernel(name);
    for (const DataType dtype : spec.types) {
      for (const double kib : {16, 512, 5000, 262144}) {
        const Shape shape = shape_over(spec, dtype, Bytes(kib * kKib), 2);
        const double held = spec.work(shape, dtype).footprint.value() / (2 * kib * kKib);
        EXPECT_GT(held, 0.85) << name << " " << kib;
        EXPECT_LT(held, 1.1) << name << " " << kib;
        EXPECT_EQ(shape.repeats, 1);
      }
    }
  }
  const KernelSpec& gemv = *find_kernel("gemv");
  EXPECT_EQ(shape_over(gemv, DataType::f32, Bytes(16 * kKib), 2), (Shape{1, 32, 256}));
  EXPECT_EQ(shape_over(gemv, DataType::int8, Bytes(256 * kMib), 1), (Shape{1, 65472, 4096}));
  EXPECT_EQ(shape_over(gemv, DataType::f32, Bytes(512 * kKib), 1, 32), (Shape{32, 208, 512}));
  const Shape branchy = shape_over(*find_kernel("branchy"), DataType::f32, Bytes(16 * kKib), 2);
  EXPECT_EQ(branchy.m, 2 << 20) << "more than a predictor learns";
}

TEST(DramWindow, OfWhatCannotBePartedIsOncePastAllOfIt) {
  const KernelSpec& spec = *find_kernel("softmax");
  const Shape over = shape_over(spec, DataType::f32, Bytes(256 * kMib), 1);
  EXPECT_EQ(dram_window(server(), spec, DataType::f32, over), over);
  const Shape little = shape_over(spec, DataType::f32, Bytes(32 * kMib), 1);
  EXPECT_EQ(dram_window(server(), spec, DataType::f32, little).repeats, 4);
}

TEST(DramWindow, MovesTwiceAllLastLevelCaches) {
  for (const char* name : {"read", "copy_nt", "triad"}) {
    const KernelSpec& spec = *find_kernel(name);
    const Shape over = shape_over(spec, DataType::f32, Bytes(256 * kMib), 1);
    const Shape shape = dram_window(server(), spec, DataType::f32, over);
    EXPECT_GE(spec.work(shape, DataType::f32).bytes().value(), 128 * kMib) << name;
    EXPECT_LT(spec.work(shape, DataType::f32).bytes().value(), 129 * kMib) << name;
    EXPECT_EQ(shape.m, over.m) << name;
  }
}

TEST(Plateau, IsWhereNeighbouringSizesReadAlike) {
  const std::vector<SweepPoint> sweep = {{Bytes(8 * kKib), ByteRate(100)},
                                         {Bytes(11 * kKib), ByteRate(101)},
                                         {Bytes(16 * kKib), ByteRate(100)},
                                         {Bytes(23 * kKib), ByteRate(97)},
                                         {Bytes(32 * kKib), ByteRate(60)}};
  EXPECT_TRUE(on_plateau(sweep, Bytes(16 * kKib), 100));
  EXPECT_FALSE(on_plateau(sweep, Bytes(23 * kKib), 97)) << "the next size falls off";
  EXPECT_FALSE(on_plateau(sweep, Bytes(16 * kKib), 130)) << "the ceiling is not what was swept";
  EXPECT_FALSE(on_plateau({}, Bytes(16 * kKib), 100)) << "nothing was swept";
}

TEST(Ceilings, EveryRowIsAKernelInATypeItHasWithAUniqueName) {
  std::set<std::string_view> stems;
  for (const CeilingRow& row : ceiling_rows()) {
    EXPECT_TRUE(stems.insert(row.stem).second) << row.stem;
    const KernelSpec* spec = find_kernel(row.kernel);
    ASSERT_NE(spec, nullptr) << row.kernel;
    const bool typed = std::count(spec->types.begin(), spec->types.end(), row.dtype) == 1;
    EXPECT_TRUE(typed || row.kernel == "matmul") << row.stem;
    EXPECT_NE(row.stem.find(class_of(row.stem)), std::string_view::npos);
    const bool bytes = row.unit == "bytes_per_s";
    EXPECT_EQ(bytes, class_of(row.stem) == "bandwidth") << row.stem;
  }
  for (const std::string_view stem : sustained_stems()) EXPECT_EQ(stems.count(stem), 1U) << stem;
}

}  // namespace
}  // namespace roofbeam
