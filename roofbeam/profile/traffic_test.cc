// SPDX-License-Identifier: Apache-2.0
// Which ceiling a mix of reading and writing stands under.
#include <gtest/gtest.h>

#include "roofbeam/profile/lookup.h"

namespace roofbeam {
namespace {

Ceiling rate(double value) {
  Ceiling made;
  made.unit = "bytes_per_s";
  made.burst = {value, value * 0.9, value * 1.1, 5, Method::best};
  return made;
}

DeviceProfile device() {
  DeviceProfile made;
  made.id = "cpu";
  made.cores_usable = 2;
  made.ceilings["bandwidth.dram.read.all"] = rate(120);
  made.ceilings["bandwidth.dram.triad.all"] = rate(90);
  made.ceilings["bandwidth.dram.copy.all"] = rate(80);
  made.ceilings["bandwidth.dram.write.all"] = rate(60);
  return made;
}

Found of(const DeviceProfile& from, double read, double written, Stores stores = Stores::plain) {
  const auto found = traffic_ceiling(from, "dram", Bytes(read), Bytes(written), 2, stores);
  EXPECT_TRUE(found) << found.error().what;
  return found.value_or(Found{});
}

TEST(Traffic, AMixThatWasMeasuredTakesItsOwnCeiling) {
  EXPECT_EQ(of(device(), 8, 0).name, "bandwidth.dram.read.all");
  EXPECT_EQ(of(device(), 8, 4).name, "bandwidth.dram.triad.all");
  EXPECT_EQ(of(device(), 8, 8).name, "bandwidth.dram.copy.all");
  EXPECT_EQ(of(device(), 0, 8).name, "bandwidth.dram.write.all");
  EXPECT_EQ(of(device(), 990, 10).name, "bandwidth.dram.read.all") << "a few writes change nothing";
}

// 5 read and 1 written: the written one takes two of the read ones along as a triad does, and three
// are left. 3 bytes at 90 and 3 at 120 take 7/120 s: 6 bytes at 720/7 B/s.
TEST(Traffic, AnyOtherMixIsTheHarmonicMeanOfItsNeighbours) {
  const Found found = of(device(), 5, 1);
  EXPECT_EQ(found.name, "bandwidth.dram.read+triad.all");
  EXPECT_NEAR(found.ceiling.burst.value, 720.0 / 7, 1e-9);
  EXPECT_NEAR(found.ceiling.burst.low, 0.9 * 720.0 / 7, 1e-9);
  EXPECT_EQ(found.ceiling.provenance, "inferred");
  EXPECT_TRUE(found.fell_back.empty());
}

// 1 read, 3 written: a copy of 1 and 1, and 2 written. 2/80 + 2/60 = 7/120 s for 4 bytes.
TEST(Traffic, MoreWrittenThanReadLiesBetweenCopyAndWrite) {
  const Found found = of(device(), 1, 3);
  EXPECT_EQ(found.name, "bandwidth.dram.copy+write.all");
  EXPECT_NEAR(found.ceiling.burst.value, 480.0 / 7, 1e-9);
}

// Without triad and copy: 2/120 + 1/60 = 1/30 s for 3 bytes.
TEST(Traffic, WithoutTheNeighboursReadAndWriteAreMixed) {
  DeviceProfile few = device();
  few.ceilings.erase("bandwidth.dram.triad.all");
  few.ceilings.erase("bandwidth.dram.copy.all");
  const Found found = of(few, 2, 1);
  EXPECT_EQ(found.name, "bandwidth.dram.read+write.all");
  EXPECT_NEAR(found.ceiling.burst.value, 90, 1e-9);
}

TEST(Traffic, WhereWritingIsNotKnownReadingStandsInAndThatIsSaid) {
  DeviceProfile reads = device();
  for (const char* access : {"triad", "copy", "write"}) {
    reads.ceilings.erase(std::string("bandwidth.dram.") + access + ".all");
  }
  const Found found = of(reads, 2, 1);
  EXPECT_EQ(found.name, "bandwidth.dram.read.all");
  EXPECT_NE(found.fell_back.find("how fast dram is written"), std::string::npos);
}

TEST(Traffic, StoresPastTheCachesCountOnlyWhereAnyStoresMay) {
  DeviceProfile past = device();
  past.ceilings["bandwidth.dram.copy_nt.all"] = rate(110);
  EXPECT_EQ(of(past, 1, 1).name, "bandwidth.dram.copy.all");
  EXPECT_EQ(of(past, 1, 1, Stores::fastest).name, "bandwidth.dram.copy_nt.all");
  past.ceilings["bandwidth.dram.copy_nt.all"] = rate(70);
  EXPECT_EQ(of(past, 1, 1, Stores::fastest).name, "bandwidth.dram.copy.all");
}

TEST(Traffic, AccessesThatHaveToBeMeasuredAreThoseThatAreMixed) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(accesses_of(Bytes(2), Bytes(1)), Names{"triad"});
  EXPECT_EQ(accesses_of(Bytes(5), Bytes(1)), (Names{"read", "triad"}));
  EXPECT_EQ(accesses_of(Bytes(2), Bytes(1.5)), (Names{"triad", "copy"}));
}

}  // namespace
}  // namespace roofbeam
