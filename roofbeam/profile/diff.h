// SPDX-License-Identifier: Apache-2.0
// What differs between two sets of named figures: two profiles, two results, a profile and a data
// sheet. Pure.
//
// Two figures differ where their intervals do not overlap. The gain is how much faster B is than A,
// whatever is measured: rates B ÷ A, times A ÷ B; above 1 B is better.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "roofbeam/hardware/known.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

struct Figure {
  std::string name;
  std::string unit;  // flop_per_s, bytes_per_s or s
  Estimate<double> value;
  std::string doubt;  // what disturbed it; empty where nothing did

  bool operator==(const Figure&) const = default;
};

struct FigureSet {
  std::vector<Figure> figures;
  std::map<std::string, std::string> absent;      // figures without a value, and why
  std::map<std::string, std::string> conditions;  // what they hold for: kernel, quota, library

  const Figure* find(const std::string& name) const;
};

// Every ceiling, and as "NAME sustained" what was measured over a second. Names begin with the
// device where the profile has several. Conditions are the parts of the profile's key.
FigureSet figures_of(const MachineProfile& profile);
// A data sheet's rates under the names that `like` has for the same thing: a sheet's bf16.matrix
// stands beside the compute.bf16.dot.all of a CPU.
FigureSet figures_of(const KnownDevice& sheet, const FigureSet& like);

struct Difference {
  std::string name;
  std::string unit;
  Estimate<double> a;
  Estimate<double> b;
  Estimate<double> gain;
  bool differs = false;
  std::string doubt;  // of either side, or that there is no interval; empty where there is none

  bool operator==(const Difference&) const = default;
};

struct Diff {
  // Found on one side only, and what the other one says of it.
  struct Only {
    std::string name;
    std::string why;

    bool operator==(const Only&) const = default;
  };
  struct Condition {
    std::string what;
    std::string a;  // empty where it is not known
    std::string b;

    bool operator==(const Condition&) const = default;
  };
  std::vector<Difference> common;  // least gain first
  std::vector<Only> only_a;
  std::vector<Only> only_b;
  std::vector<Condition> conditions;  // those that differ

  bool operator==(const Diff&) const = default;
};
Diff diff(const FigureSet& a, const FigureSet& b);

// Whether B keeps `least` of every figure of A.
struct Threshold {
  double least = 1;
  // False where some gain lies below it with its whole interval, absent where one straddles it or
  // has no interval.
  std::optional<bool> met;
  std::string worst;      // the figure that decided; empty where there is none
  Estimate<double> gain;  // of that figure

  bool operator==(const Threshold&) const = default;
};
Threshold hold_against(const std::vector<Difference>& common, double least);

}  // namespace roofbeam
