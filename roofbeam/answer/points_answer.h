// SPDX-License-Identifier: Apache-2.0
// Points under a roof, as `roofline` and `place` answer them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "roofbeam/answer/common.h"
#include "roofbeam/answer/point.h"

namespace roofbeam {

struct PointsAnswer {
  std::string command;  // roofline or place: the schema's name
  DeviceFacts device;
  int threads = 1;
  std::vector<Point> points;
  std::vector<NamedCeiling> ceilings;  // those the points stand under, each once
  DrawnRoof roof;
  std::optional<PredictionSummary> predictions;
  std::vector<std::string> remarks;  // what the list as a whole shows, a sentence each
  AnswerState state;

  bool operator==(const PointsAnswer&) const = default;
};

// Schemas roofbeam.roofline/1 and roofbeam.place/1.
Json to_json(const PointsAnswer& answer);
Result<PointsAnswer> points_answer_from(const Json& json, const std::string& command,
                                        const std::string& where);

}  // namespace roofbeam
