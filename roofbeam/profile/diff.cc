// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/profile/diff.h"

#include <algorithm>
#include <set>
#include <utility>

#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr const char* kNoInterval = "one sample alone has no interval";

// "cpu=Some CPU; quota=0": what a profile holds for, taken apart.
std::map<std::string, std::string> parts_of_key(const MachineProfile& profile) {
  std::map<std::string, std::string> parts;
  for (const std::string& part : split(profile.key, ';')) {
    const std::size_t at = part.find('=');
    if (part.empty()) continue;
    if (at == std::string::npos) {
      parts["key"] = part;
    } else {
      parts[part.substr(0, at)] = part.substr(at + 1);
    }
  }
  if (auto quota = parts.find("quota"); quota != parts.end() && quota->second == "0") {
    quota->second = "none";
  }
  parts["roofbeam"] = profile.version;
  return parts;
}

void add_ceilings(const DeviceProfile& device, const std::string& before, FigureSet& set) {
  for (const auto& [name, ceiling] : device.ceilings) {
    const std::string full = before + name;
    if (ceiling.standing >= Standing::invalid) {
      set.absent[full] = ceiling.reason;
      continue;
    }
    const std::string doubt = ceiling.standing == Standing::degraded ? ceiling.reason : "";
    set.figures.push_back({full, ceiling.unit, ceiling.burst, doubt});
    // What is inferred from the burst says nothing that the burst does not.
    if (ceiling.sustained && ceiling.sustained_provenance == "measured") {
      set.figures.push_back({full + " sustained", ceiling.unit, *ceiling.sustained, doubt});
    }
  }
  for (const auto& [name, why] : device.absent) set.absent[before + name] = why;
}

// The ceilings that a sheet's "<dtype>.<vector|matrix>" stands beside, the closest first.
std::vector<std::string> candidates(const std::string& rate) {
  const std::vector<std::string> parts = split(rate, '.');
  if (parts.size() != 2) return {rate};
  const std::string stem = "compute." + parts[0];
  if (parts[1] == "vector") return {stem + ".fma.all"};
  return {stem + ".matrix.all", stem + ".dot.all", stem + ".fma.all"};
}

void add_as_in(const FigureSet& like, const std::vector<std::string>& names, const char* unit,
               double value, FigureSet& set) {
  std::string chosen = names.front();
  for (const std::string& name : names) {
    if (like.find(name) == nullptr) continue;
    chosen = name;
    break;
  }
  // A sheet may have f32 twice, with its vector and its matrix units: the first one stays.
  if (set.find(chosen) != nullptr) return;
  set.figures.push_back({chosen, unit, exactly(value, Method::datasheet), ""});
}

Difference difference_of(const Figure& a, const Figure& b) {
  Difference made{a.name, a.unit, a.value, b.value, {}, false, ""};
  made.gain = a.unit == "s" ? a.value / b.value : b.value / a.value;
  std::vector<std::string> doubts;
  if (!a.doubt.empty()) doubts.push_back("A: " + a.doubt);
  if (!b.doubt.empty()) doubts.push_back("B: " + b.doubt);
  const bool alone = a.value.samples == 1 || b.value.samples == 1;
  if (alone) doubts.emplace_back(kNoInterval);
  made.differs = !alone && !overlap(a.value, b.value);
  made.doubt = join(doubts, "; ");
  return made;
}

bool has_interval(const Difference& difference) {
  return difference.a.samples != 1 && difference.b.samples != 1;
}

std::vector<Diff::Only> only_in(const FigureSet& here, const FigureSet& there) {
  std::vector<Diff::Only> found;
  for (const Figure& figure : here.figures) {
    if (there.find(figure.name) != nullptr) continue;
    const auto why = there.absent.find(figure.name);
    found.push_back({figure.name, why == there.absent.end() ? "" : why->second});
  }
  return found;
}

std::string value_in(const std::map<std::string, std::string>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? "" : found->second;
}

}  // namespace

const Figure* FigureSet::find(const std::string& name) const {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const Figure& figure) { return figure.name == name; });
  return found == figures.end() ? nullptr : &*found;
}

FigureSet figures_of(const MachineProfile& profile) {
  FigureSet set;
  set.conditions = parts_of_key(profile);
  for (const DeviceProfile& device : profile.devices) {
    add_ceilings(device, profile.devices.size() > 1 ? device.id + " " : "", set);
  }
  return set;
}

FigureSet figures_of(const KnownDevice& sheet, const FigureSet& like) {
  FigureSet set;
  for (const auto& [name, rate] : sheet.rates) {
    if (name.find(".vector") == std::string::npos) continue;
    add_as_in(like, candidates(name), "flop_per_s", rate.value(), set);
  }
  for (const auto& [name, rate] : sheet.rates) {
    if (name.find(".vector") != std::string::npos) continue;
    add_as_in(like, candidates(name), "flop_per_s", rate.value(), set);
  }
  if (sheet.bandwidth) {
    add_as_in(like, {"bandwidth.device.read.all", "bandwidth.dram.read.all"}, "bytes_per_s",
              sheet.bandwidth->value(), set);
  }
  set.conditions["figures"] =
      sheet.kind == "cpu" ? "a data sheet's, at the base clock" : "a data sheet's, dense";
  return set;
}

Diff diff(const FigureSet& a, const FigureSet& b) {
  Diff found;
  for (const Figure& figure : a.figures) {
    const Figure* other = b.find(figure.name);
    if (other != nullptr) found.common.push_back(difference_of(figure, *other));
  }
  std::stable_sort(
      found.common.begin(), found.common.end(),
      [](const Difference& x, const Difference& y) { return x.gain.value < y.gain.value; });
  found.only_a = only_in(a, b);
  found.only_b = only_in(b, a);
  std::set<std::string> keys;
  for (const auto* conditions : {&a.conditions, &b.conditions}) {
    for (const auto& [key, value] : *conditions) keys.insert(key);
  }
  for (const std::string& key : keys) {
    Diff::Condition pair{key, value_in(a.conditions, key), value_in(b.conditions, key)};
    if (pair.a != pair.b) found.conditions.push_back(std::move(pair));
  }
  return found;
}

Threshold hold_against(const std::vector<Difference>& common, double least) {
  Threshold held{least, std::nullopt, "", {}};
  const Difference* below = nullptr;     // lowest high end
  const Difference* doubtful = nullptr;  // lowest low end of those that straddle
  const Difference* lowest = nullptr;    // of those that hold
  for (const Difference& one : common) {
    auto lower = [](const Difference* best, const Difference& next, double Estimate<double>::*end) {
      return best == nullptr || next.gain.*end < best->gain.*end ? &next : best;
    };
    if (has_interval(one) && one.gain.high < least) {
      below = lower(below, one, &Estimate<double>::high);
    } else if (!has_interval(one) || one.gain.low < least) {
      doubtful = lower(doubtful, one, &Estimate<double>::low);
    } else {
      lowest = lower(lowest, one, &Estimate<double>::low);
    }
  }
  const Difference* worst = below != nullptr ? below : doubtful != nullptr ? doubtful : lowest;
  if (worst == nullptr) return held;
  held.worst = worst->name;
  held.gain = worst->gain;
  if (worst == below) held.met = false;
  if (worst == lowest) held.met = true;
  return held;
}

}  // namespace roofbeam
