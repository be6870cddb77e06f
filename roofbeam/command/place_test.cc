// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/command/place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "roofbeam/command/kernel_point.h"
#include "roofbeam/command/placing.h"

namespace roofbeam {
namespace {

const std::string kSource = ROOFBEAM_SOURCE_DIR;
const std::string kQuiet = "fake:" + kSource + "/tests/fakes/quiet.json";
constexpr double kNear = 0.015;  // that machine's own noise

// Keeps what it was told.
class Listener : public ProgressSink {
 public:
  void step(const std::string&, int, int) override {}
  void note(const std::string& line) override { notes.push_back(line); }
  std::vector<std::string> notes;
};

Observed row_of(double flops, double read, const std::vector<double>& times) {
  Observed row;
  row.operation.name = "row";
  row.operation.flops = Flops(flops);
  if (read > 0) row.operation.traffic = {{kMainMemory, Bytes(read), Bytes(0)}};
  for (double time : times) row.times.emplace_back(time);
  return row;
}

PlaceOptions options_of(const Observed& row, int threads = 1) {
  PlaceOptions options;
  options.rows = {row};
  options.where.device = kQuiet;
  options.where.threads = threads;
  return options;
}

Result<PointsAnswer> placed(const PlaceOptions& options) {
  Listener listener;
  return place(options, {StopToken(), listener});
}

Error error_of(const PlaceOptions& options) {
  const auto answer = placed(options);
  EXPECT_FALSE(answer);
  return answer ? Error{} : answer.error();
}

bool says(const std::vector<std::string>& lines, const std::string& words) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  });
}

// A core of that machine reads 25 GB/s: 1 GB takes 40 ms, and it took 50.
TEST(Place, OneTimeIsTakenAsItIsAndSaid) {
  const auto answer = placed(options_of(row_of(1e8, 1e9, {0.05})));
  ASSERT_TRUE(answer) << answer.error().what;
  ASSERT_EQ(answer->points.size(), 1U);
  const Point& point = answer->points[0];
  EXPECT_EQ(point.verdict->bound_by, Cause::bandwidth);
  EXPECT_NEAR(point.verdict->headroom.value, 1.25, 1.25 * kNear);
  EXPECT_EQ(point.time->low, point.time->high);
  EXPECT_TRUE(says(answer->remarks, "the time has no interval"));
  EXPECT_EQ(answer->command, "place");
  EXPECT_FALSE(answer->ceilings.empty());
  EXPECT_EQ(answer->state.standing, Standing::usable);
}

TEST(Place, FiveTimesHaveTheIntervalOfTheirMedian) {
  const auto answer = placed(options_of(row_of(1e8, 1e9, {0.05, 0.049, 0.051, 0.052, 0.048})));
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->points[0].time->value, Seconds(0.05));
  EXPECT_LT(answer->points[0].time->low, answer->points[0].time->high);
  EXPECT_EQ(answer->points[0].time->samples, 5);
  EXPECT_TRUE(answer->remarks.empty());
}

TEST(Place, WithoutATimeItIsAPrediction) {
  const auto answer = placed(options_of(row_of(1e8, 1e9, {})));
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_FALSE(answer->points[0].verdict);
  ASSERT_TRUE(answer->points[0].predicted);
  EXPECT_NEAR(answer->points[0].predicted->value.value(), 0.04, 0.05 * 0.04);
}

// Two cores do 240 GFLOP/s together: 12 Gflop in 10 ms is five times as much.
TEST(Place, WhatLiesAboveItsCeilingIsProbedAgainAndThenInvalid) {
  Observed row = row_of(12e9, 0, {0.01});
  row.operation.arithmetic = "fma";
  Listener listener;
  const auto answer = place(options_of(row, 2), {StopToken(), listener});
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(listener.notes, std::vector<std::string>(
                                {"this is faster than the ceilings on record: probing again"}));
  EXPECT_EQ(answer->state.standing, Standing::invalid);
  EXPECT_EQ(answer->points[0].verdict->bound_by, Cause::cannot_tell);
}

TEST(Place, RowsOfAFileStandUnderTheCeilingsOfTheirThreads) {
  PlaceOptions options;
  options.file = kSource + "/tests/imports/work.csv";
  options.where.device = kQuiet;
  const auto answer = placed(options);
  ASSERT_TRUE(answer) << answer.error().what;
  ASSERT_EQ(answer->points.size(), 3U);
  EXPECT_EQ(answer->points[0].workers, 2);
  EXPECT_EQ(answer->points[1].workers, 1);
  EXPECT_EQ(answer->points[1].dtype, "bf16");
  EXPECT_EQ(answer->points[2].name, "copy");
  EXPECT_FALSE(answer->points[2].time);
  EXPECT_TRUE(says(answer->remarks, "the column \"comment\" is left out"));
}

TEST(Place, ACommandGivesTheTimeOfCountsByHand) {
  PlaceOptions options = options_of(row_of(1e8, 1e9, {}));
  options.command = {"sleep", "0.05"};
  const auto answer = placed(options);
  ASSERT_TRUE(answer) << answer.error().what;
  ASSERT_EQ(answer->points.size(), 1U);
  EXPECT_GE(answer->points[0].time->value, Seconds(0.05));
  EXPECT_EQ(answer->points[0].bytes_read, Bytes(1e9));
  EXPECT_TRUE(says(answer->remarks, "the time is the command's"));
}

TEST(Place, ACommandAloneIsJudgedByItsThreads) {
  PlaceOptions options;
  options.command = {"sleep", "0.2"};
  options.where.device = kQuiet;
  const auto answer = placed(options);
  ASSERT_TRUE(answer) << answer.error().what;
  ASSERT_EQ(answer->points.size(), 1U);
  EXPECT_EQ(answer->points[0].name, "sleep 0.2");
  EXPECT_EQ(answer->points[0].verdict->bound_by, Cause::cannot_tell);
  EXPECT_GT(answer->points[0].verdict->headroom.value, 2);
}

// h100-sxm: 989.4 TFLOP/s in bf16 by its sheet, 3350 GB/s.
TEST(Place, OnAKnownDeviceItIsPredictedFromItsSheet) {
  PlaceOptions options;
  options.rows = {row_of(2.1e12, 3.4e9, {})};
  options.dtype = "bfloat16";
  options.on = "h100-sxm";
  const auto answer = placed(options);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(answer->device.id, "h100-sxm");
  EXPECT_EQ(answer->points[0].dtype, "bf16");
  ASSERT_TRUE(answer->points[0].predicted);
  EXPECT_NEAR(answer->points[0].predicted->value.value(), 2.1e12 / 989.4e12, 1e-6);
  EXPECT_EQ(answer->state.warnings.at(0).code, "datasheet");
}

TEST(Place, OnASavedProfileItsOwnCeilingsCount) {
  PlaceOptions options;
  options.rows = {row_of(6e9, 0, {})};
  options.on = kSource + "/tests/profiles/low_compute.json";
  options.where.threads = 1;
  const auto answer = placed(options);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_NEAR(answer->points[0].predicted->value.value(), 6e9 / 40e9, 0.1 * 6 / 40);
}

// The triad of the kernel table, as roofline measures and places it.
Placed measured_triad(const DeviceOptions& where, const Caller& caller) {
  auto session = open_session(where, caller.stop);
  auto known = ceilings_of(*session, where, caller);
  for (const KernelRow& row : kernel_rows()) {
    if (row.kernel != "triad") continue;
    std::vector<KernelCase> cases = cases_of(row, session->device.box, session->threads);
    std::erase_if(cases, [](const KernelCase& one) { return one.memory != kMainMemory; });
    const auto wanted = ceilings_wanted(cases, known->device, session->threads);
    EXPECT_TRUE(complete_ceilings(*session, *known, wanted, where, caller));
    auto prepared = prepare_point(*session, *known, cases.at(0));
    EXPECT_TRUE(prepared) << prepared.error().what;
    auto placed = measure_point(*session, *known, *prepared, where, caller);
    EXPECT_TRUE(placed) << placed.error().what;
    return *placed;
  }
  ADD_FAILURE() << "the kernel table has no triad";
  return {};
}

// Its counts and its time, given by hand, are the same point. Ceilings are measured for each of the
// two, hence the machine's noise.
TEST(Place, AKernelPlacedByHandIsRooflinesPoint) {
  Listener listener;
  PlaceOptions options;
  options.where.device = kQuiet;
  const Point kernel = measured_triad(options.where, {StopToken(), listener}).point;
  Observed row;
  row.operation.name = kernel.name;
  row.operation.dtype = kernel.dtype;
  row.operation.flops = kernel.flops;
  row.operation.traffic = {{kMainMemory, kernel.bytes_read, kernel.bytes_written}};
  row.time = kernel.time;
  row.threads = kernel.workers;
  options.rows = {row};
  const auto answer = placed(options);
  ASSERT_TRUE(answer) << answer.error().what;
  const Point& own = answer->points.at(0);
  EXPECT_EQ(own.memory, kernel.memory);
  EXPECT_EQ(own.verdict->bound_by, kernel.verdict->bound_by);
  EXPECT_EQ(own.verdict->bound_level, kernel.verdict->bound_level);
  const double headroom = kernel.verdict->headroom.value;
  EXPECT_NEAR(own.verdict->headroom.value, headroom, kNear * headroom);
  EXPECT_NEAR(own.roof->value(), kernel.roof->value(), kNear * kernel.roof->value());
  EXPECT_DOUBLE_EQ(own.intensity->value(), kernel.intensity->value());
  EXPECT_DOUBLE_EQ(own.rate()->value.value(), kernel.rate()->value.value());
}

TEST(Place, WhatMakesNoSenseIsRefusedAndNamed) {
  const Observed row = row_of(1e9, 1e9, {0.1});
  EXPECT_EQ(error_of({}).what, "there is nothing to place");
  PlaceOptions options = options_of(row);
  options.dtype = "f33";
  EXPECT_EQ(error_of(options).where, "--dtype");
  options = options_of(row);
  options.rows[0].operation.arithmetic = "fmaa";
  EXPECT_EQ(error_of(options).hint, "did you mean fma?");
  options = options_of(row);
  options.rows.push_back(row);
  options.command = {"true"};
  EXPECT_EQ(error_of(options).what, "a command's time cannot be that of 2 rows");
  options = options_of(row);
  options.on = "h100-sxn";
  EXPECT_EQ(error_of(options).where, "--on");
  options.on = "h100-sxm";
  EXPECT_EQ(error_of(options).where, "--threads");
  options = options_of(row);
  options.file = kSource + "/tests/imports/none.csv";
  EXPECT_EQ(error_of(options).where, options.file);
  options = options_of(row, 3);
  EXPECT_EQ(error_of(options).where, "--threads");
}

TEST(Place, AStopBeforeTheCeilingsIsInterrupted) {
  const std::atomic<bool> stop = true;
  Listener listener;
  const auto answer = place(options_of(row_of(1e8, 1e9, {0.05})), {StopToken(stop), listener});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::interrupted);
}

}  // namespace
}  // namespace roofbeam
