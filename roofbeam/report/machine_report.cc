// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/profile/store.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

std::string rate_at(const DeviceProfile& device, const std::string& name) {
  const Ceiling* ceiling = usable_ceiling(device, name);
  if (ceiling == nullptr) return "";
  const bool flops = ceiling->unit == "flop_per_s";
  return show_si(ceiling->burst.value, flops ? "FLOP/s" : "B/s");
}

std::string memory_of(const std::string& name) {
  const std::string level = split(name, '.').at(1);
  return level == "dram" ? "DRAM" : level + " memory";
}

// What the machine can do, and what its ridge means.
std::string sentence_of(const DeviceProfile& device, const Headline& headline) {
  std::vector<std::string> can;
  if (!headline.f32.empty()) can.push_back(rate_at(device, headline.f32) + " in f32");
  if (!headline.half.empty()) {
    can.push_back(
        format("{} in {}", rate_at(device, headline.half), split(headline.half, '.').at(1)));
  }
  if (!headline.memory.empty()) {
    can.push_back(
        format("{} from {}", rate_at(device, headline.memory), memory_of(headline.memory)));
  }
  if (can.empty()) return "None of the ceilings a machine is known by was measured.";
  std::string text = join(can, ", ");
  if (!headline.ridge) return text + ".";
  const std::string half =
      headline.half_ridge ? format(" ({} in {})", show_number(headline.half_ridge->value.value()),
                                   split(headline.half, '.').at(1))
                          : "";
  return format(
      "{}. Work in f32 that does fewer than {}{} flop for each byte it moves is held back by "
      "memory, the rest by arithmetic.",
      text, show_number(headline.ridge->value.value()), half);
}

std::string limits_of(const DeviceProfile& device) {
  std::vector<std::string> parts = {counted(device.affinity_cpus, "CPU", "CPUs") +
                                    " in the affinity mask"};
  if (device.cpuset_cpus) parts.push_back(format("{} in the cpuset", *device.cpuset_cpus));
  parts.push_back(device.quota_cpus ? format("a quota of {} CPUs: only the sustained rates have "
                                             "it in them",
                                             show_number(*device.quota_cpus))
                                    : "no quota");
  return format("{} usable: {}.", counted(device.cores_usable, "core", "cores"), join(parts, ", "));
}

std::string kept(const MachineAnswer& answer) {
  if (answer.saved_at.empty()) return format("Not saved: {}.", answer.not_saved);
  return format(
      "Saved in {}; for {} other commands take these ceilings from there.", answer.saved_at,
      disturbed(answer.profile) ? "an hour (some were disturbed or are missing)" : "30 days");
}

void add_device(Document& document, const DeviceProfile& device, const Headline& headline) {
  document.blocks.push_back(Heading{format("{}: {}", device.id, device.name)});
  document.blocks.push_back(Paragraph{sentence_of(device, headline), true});
  if (device.kind == "cpu") document.blocks.push_back(Paragraph{limits_of(device), false});
  add_ceilings(document, device);
  for (const Warning& warning : device.warnings) document.blocks.push_back(Notice{warning.text});
  for (Chart& chart : std::vector<Chart>{roof_chart(device), sweep_chart(device)}) {
    if (!chart.series.empty()) document.blocks.push_back(std::move(chart));
  }
}

}  // namespace

Document document(const MachineAnswer& answer) {
  Document document;
  document.title = "Machine";
  for (std::size_t i = 0; i < answer.profile.devices.size(); ++i) {
    add_device(document, answer.profile.devices[i], answer.headlines[i]);
  }
  if (!answer.beside.empty()) add_beside(document, answer.beside);
  document.blocks.push_back(Paragraph{kept(answer), false});
  add_state(document, answer.state);
  return document;
}

}  // namespace roofbeam
