// SPDX-License-Identifier: Apache-2.0
// A point under the roof: some work, what the ceilings let expect of it, and what was observed.
// The answers of roofline, place and tour are lists of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roofbeam/base/json.h"
#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"
#include "roofbeam/stats/estimate.h"
#include "roofbeam/verdict/verdict.h"

namespace roofbeam {

struct Point {
  std::string name;     // add, matrix x vector, or what its owner calls it
  std::string dtype;    // f32
  std::string shape;    // for people: "3 arrays of 16 KiB", "4096 x 4096"; empty where not known
  std::string memory;   // the memory that holds its data: l1, l2, l3, dram, device
  std::string variant;  // how it was computed: avx512, onednn; empty where not known
  int workers = 1;
  Flops flops;  // of one execution, as are the bytes
  Bytes bytes_read;
  Bytes bytes_written;
  std::optional<Intensity> intensity;  // absent where it moves no bytes
  // From the ceilings alone, before it was measured. Absent with a reason: work that waits for
  // itself in a way no ceiling measures.
  std::optional<Estimate<Seconds>> predicted;
  std::string no_prediction;
  std::optional<Estimate<Seconds>> time;  // absent where it was not measured, with a reason
  std::string no_time;
  // What was predicted from its very own ceiling says nothing about predicting.
  bool repeat = false;
  std::optional<FlopRate> roof;  // the height over its intensity; absent where it has no flops
  // A bound against the observation; only where there is a time.
  std::optional<Verdict> verdict;
  // What else ran meanwhile; empty in quiet. Such a time says little about a prediction.
  std::string disturbed;
  std::string check;  // how its result was checked; empty where it was not ours to check

  Bytes bytes() const { return bytes_read + bytes_written; }
  std::optional<Estimate<FlopRate>> rate() const;       // absent without time or flops
  std::optional<Estimate<ByteRate>> byte_rate() const;  // absent without time or bytes
  // Of the bound, as rates: bound time ÷ observed, 1 at the roof.
  std::optional<Estimate<double>> share_of_roof() const;
  // predicted ÷ measured − 1: above 0 it was faster than predicted.
  std::optional<double> error_ratio() const;
  // Whether the measured time lies inside the predicted interval.
  std::optional<bool> covered() const;

  bool operator==(const Point&) const = default;
};

// Fields as CLI.md names them for `points`, and more: memory, workers, flop, bytes_read, …
Json to_json(const Point& point);
Point point_from(JsonReader& reader);

// How good the predictions of a list of points were.
struct PredictionSummary {
  int compared = 0;  // points with both a prediction and a time, those below left out
  int repeats = 0;
  int disturbed = 0;
  int covered = 0;                // of those compared
  double median_error_ratio = 0;  // the middle of |error_ratio|
  double worst_error_ratio = 0;   // signed
  std::string worst;              // the point's name, dtype and memory
  std::string worst_why;          // what its verdict says of it

  bool operator==(const PredictionSummary&) const = default;
};
// Absent where nothing can be compared.
std::optional<PredictionSummary> summary_of(const std::vector<Point>& points);
Json to_json(const PredictionSummary& summary);
PredictionSummary summary_from(JsonReader& reader);

// The roof of a picture: a slope for each memory, a flat line for each arithmetic.
struct DrawnRoof {
  struct Line {
    std::string name;  // canonical: bandwidth.dram.read.all
    double rate = 0;   // B/s of a slope, flop/s of a flat line

    bool operator==(const Line&) const = default;
  };
  std::vector<Line> slopes;
  std::vector<Line> flats;

  bool operator==(const DrawnRoof&) const = default;
};
Json to_json(const DrawnRoof& roof);
DrawnRoof drawn_roof_from(JsonReader& reader);

}  // namespace roofbeam
