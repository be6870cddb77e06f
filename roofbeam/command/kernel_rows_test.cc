// SPDX-License-Identifier: Apache-2.0
// What `roofline` runs: every case lies where its row says, and counts what the page says.
#include "roofbeam/command/kernel_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "roofbeam/backend/registry.h"
#include "roofbeam/base/format.h"
#include "roofbeam/command/kernel_point.h"
#include "roofbeam/command/kernel_remarks.h"
#include "roofbeam/command/roofline.h"

namespace roofbeam {
namespace {

const std::string kQuiet = std::string("fake:") + ROOFBEAM_SOURCE_DIR + "/tests/fakes/quiet.json";

PointsAnswer on_the_quiet_machine(const std::vector<std::string>& only) {
  RooflineOptions options;
  options.where.device = kQuiet;
  options.only = only;
  NoProgress quiet;
  const auto answer = roofline_points(options, {StopToken(), quiet});
  EXPECT_TRUE(answer) << answer.error().what;
  return answer.value_or(PointsAnswer{});
}

TEST(KernelRows, EveryPointLiesInTheMemoryItWasMadeFor) {
  const PointsAnswer answer = on_the_quiet_machine({"add", "matrix x vector", "stencil"});
  std::map<std::string, std::set<std::string>> memories;
  for (const Point& point : answer.points) memories[point.name + point.dtype].insert(point.memory);
  const std::set<std::string> all = {"l1", "l2", "l3", "dram"};
  EXPECT_EQ(memories["addf32"], all);
  EXPECT_EQ(memories["matrix x vectorint8"], all);
  EXPECT_EQ(memories["stencilf32"], all);
}

// f32 add: 1 flop for two elements read and one written. Weights of 4, 2 and 1 byte, 2 flop each;
// the vectors add a little to the bytes.
TEST(KernelRows, IntensitiesAreThoseWorkedByHand) {
  const PointsAnswer answer = on_the_quiet_machine({"add", "triad", "matrix x vector"});
  const std::map<std::string, double> by_hand = {{"add f32", 1.0 / 12},
                                                 {"triad f32", 2.0 / 12},
                                                 {"matrix x vector f32", 0.5},
                                                 {"matrix x vector bf16", 1},
                                                 {"matrix x vector int8", 2}};
  for (const Point& point : answer.points) {
    const std::string label = point.name + " " + point.dtype;
    EXPECT_NEAR(point.intensity->value() / by_hand.at(label), 1, 0.04) << label;
  }
}

TEST(KernelRows, WhatWaitsForItselfReachesNoCeiling) {
  const PointsAnswer answer = on_the_quiet_machine({"pointer chase", "dependent chain", "branchy"});
  ASSERT_EQ(answer.points.size(), 6U);
  for (const Point& point : answer.points) {
    EXPECT_EQ(point.verdict->bound_by, Cause::none_reached) << point.name;
    EXPECT_EQ(point.predicted.has_value(), point.name != "dependent chain");
    EXPECT_EQ(point.repeat, point.name == "pointer chase");
  }
}

TEST(KernelRows, OnAMachineThatKnowsItsCeilingsPredictionsHold) {
  const PointsAnswer answer = on_the_quiet_machine({});
  ASSERT_TRUE(answer.predictions);
  EXPECT_LT(answer.predictions->median_error_ratio, 0.01);
  EXPECT_EQ(answer.predictions->covered, answer.predictions->compared);
  for (const Point& point : answer.points) {
    EXPECT_EQ(point.verdict->standing, Standing::usable) << point.name << " " << point.memory;
  }
}

// Every ceiling in turn is said to be 0.7 of what it is, under each kernel that it binds.
TEST(KernelRows, ACeilingThatIsTooLowIsCaughtUnderEveryKernelThatReachesIt) {
  DeviceOptions where;
  where.device = kQuiet;
  NoProgress quiet;
  const Caller caller{StopToken(), quiet};
  auto session = open_session(where, caller.stop);
  auto known = ceilings_of(*session, where, caller);
  std::vector<KernelCase> cases;
  for (const KernelRow& row : kernel_rows()) {
    if (row.kernel == "matmul") continue;  // a library reaches less than its arithmetic allows
    for (KernelCase& kernel : cases_of(row, session->device.box, session->threads)) {
      cases.push_back(std::move(kernel));
    }
  }
  const auto wanted = ceilings_wanted(cases, known->device, session->threads);
  ASSERT_TRUE(complete_ceilings(*session, *known, wanted, where, caller));
  int caught = 0;
  for (const KernelCase& kernel : cases) {
    const auto prepared = prepare_point(*session, *known, kernel);
    ASSERT_TRUE(prepared);
    const auto placed = measure_point(*session, *known, *prepared, where, caller);
    ASSERT_TRUE(placed) << placed.error().what;
    if (1 / placed->point.verdict->headroom.value < 0.9) continue;
    DeviceProfile low = known->device;
    for (const std::string& name : placed->ceilings) {
      low.ceilings[name].burst = scale(low.ceilings[name].burst, 0.7);
    }
    const auto under = place_operation(operation_of(*kernel.row, prepared->kernel.problem),
                                       placed->point.time, low, placed->point.workers);
    ASSERT_TRUE(under);
    EXPECT_EQ(under->point.verdict->standing, Standing::invalid)
        << kernel.row->name << " " << kernel.memory;
    ++caught;
  }
  EXPECT_GE(caught, 30);
}

TEST(KernelRemarks, SayWhatTheirPointsHold) {
  const PointsAnswer answer = on_the_quiet_machine({"matrix x"});
  ASSERT_EQ(answer.remarks.size(), 3U);
  EXPECT_EQ(answer.remarks[1].rfind("batching: 32 vectors", 0), 0U) << answer.remarks[1];
  EXPECT_TRUE(remarks_on({}).empty());
}

}  // namespace
}  // namespace roofbeam
