// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

using Beside = MachineAnswer::Beside;

// The units stand in the titles.
template <class Q>
std::string shown(const std::optional<Q>& value) {
  return value ? trim(show_si(value->value(), "")) : "-";
}

std::string count_of(int cores) {
  return cores < 10000 ? std::to_string(cores) : trim(show_si(cores, ""));
}

bool fits(const Beside& device) {
  return !device.memory || device.memory->value() >= kWeightsBytes;
}

// Matrix times vector reads each weight once: what memory allows is what there is.
std::string good_at(const Beside& device, const Beside& here) {
  std::vector<std::string> parts;
  if (&device != &here) {
    std::vector<std::string> ratios;
    if (device.half && here.half) {
      ratios.push_back(format("{} the 16-bit arithmetic", show_ratio(*device.half / *here.half)));
    } else if (device.f32 && here.f32) {
      ratios.push_back(format("{} the f32 arithmetic", show_ratio(*device.f32 / *here.f32)));
    }
    if (device.bandwidth && here.bandwidth) {
      ratios.push_back(format("{} the bandwidth", show_ratio(*device.bandwidth / *here.bandwidth)));
    }
    if (!ratios.empty()) parts.push_back(join(ratios, " and "));
  }
  if (device.ridge) {
    parts.push_back(format("busy with arithmetic only from {} flop/byte on",
                           show_number(device.ridge->value())));
  }
  if (device.weights_read) {
    const double passes = 1 / device.weights_read->value();
    parts.push_back(fits(device) ? format("reads 14 GB of weights in {}, so a 7B model in 16 bits "
                                          "gives one stream at most {} tokens/s",
                                          show(*device.weights_read), show_number(passes))
                                 : "14 GB of weights do not fit");
  }
  return format("{}: {}", device.id, join(parts, "; "));
}

}  // namespace

void add_beside(Document& document, const std::vector<Beside>& devices) {
  document.blocks.push_back(Heading{"Beside known devices"});
  Table table;
  table.columns = {{"device", false},        {"cores", true},         {"f32 FLOP/s", true},
                   {"16-bit FLOP/s", true},  {"bandwidth B/s", true}, {"memory B", true},
                   {"ridge flop/byte", true}};
  Bullets uses;
  bool base_clock = false;
  for (const Beside& device : devices) {
    table.rows.push_back({format("{} ({})", device.id, device.provenance), count_of(device.cores),
                          shown(device.f32), shown(device.half), shown(device.bandwidth),
                          shown(device.memory),
                          device.ridge ? show_number(device.ridge->value()) : "-"});
    uses.items.push_back(good_at(device, devices.front()));
    base_clock = base_clock || device.at_base_clock;
  }
  document.blocks.push_back(std::move(table));
  document.blocks.push_back(std::move(uses));
  document.blocks.push_back(Paragraph{
      format("What is measured here is reached; data sheets state dense rates and the memory's "
             "interface, of which programs reach 80 to 95 %.{} A GPU's cores are its arithmetic "
             "lanes, far less than a CPU's core. The ridge is that of 16-bit arithmetic, or of "
             "f32 where there is none.",
             base_clock ? " A CPU's sheet is at its base clock, so it may do more." : ""),
      false});
}

}  // namespace roofbeam
