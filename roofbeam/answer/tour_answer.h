// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "roofbeam/answer/machine_answer.h"
#include "roofbeam/answer/points_answer.h"

namespace roofbeam {

struct TourAnswer {
  // What more of one thing would do for one piece of work.
  struct WhatIf {
    std::string work;  // the point's name
    Estimate<double> bandwidth_gain;
    Estimate<double> arithmetic_gain;

    bool operator==(const WhatIf&) const = default;
  };
  PointsAnswer placed;          // the points, predicted and measured; its command is tour
  double factor = 2;            // how much more WhatIf asks about
  std::vector<WhatIf> what_if;  // one for each point that a ceiling holds back
  std::vector<MachineAnswer::Beside> beside;  // this machine first
  std::string next_command;
  std::string next_why;

  bool operator==(const TourAnswer&) const = default;
};

// Schema roofbeam.tour/1: that of roofbeam.roofline/1 and more.
Json to_json(const TourAnswer& answer);
Result<TourAnswer> tour_answer_from(const Json& json, const std::string& where);

}  // namespace roofbeam
