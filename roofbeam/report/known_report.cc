// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

template <class Quantity>
std::string shown(const std::optional<Quantity>& value) {
  return value ? show(*value) : "-";
}

// Without its unit, so that 73 devices fit into the lines of a terminal.
std::string teraflops(const KnownDevice& device, const std::string& name) {
  const auto found = device.rates.find(name);
  return found == device.rates.end() ? "-" : show_number(found->second.value() / 1e12);
}

std::string units(const KnownDevice& device) {
  if (device.unit_kind == "core") return counted(device.units, "core", "cores");
  std::string text = format("{} {}", device.units, device.unit_kind);
  if (device.lanes_per_unit) {
    text =
        format("{} ({} of {} lanes)", cores_as_people_count(device), text, *device.lanes_per_unit);
  }
  return text;
}

Table facts(const KnownDevice& device) {
  Table table;
  table.columns = {{"fact", false}, {"value", false}};
  auto row = [&table](const std::string& what, const std::string& value) {
    if (!value.empty() && value != "-") table.rows.push_back({what, value});
  };
  row("kind", format("{}, {}, {}", device.kind, device.vendor, device.year));
  row("cores", units(device));
  row("base clock", device.clock_base ? show_si(device.clock_base->value(), "Hz") : "");
  row("boost clock", device.clock_boost ? show_si(device.clock_boost->value(), "Hz") : "");
  const char* clock = device.kind == "cpu" ? " at the base clock" : "";
  for (const auto& [name, value] : device.rates) row(name, show(value) + clock);
  row("memory", device.memory ? format("{} {}", show(*device.memory), device.memory_kind)
                              : device.memory_kind);
  row("bandwidth", shown(device.bandwidth));
  row("interconnect", device.interconnect_both_ways
                          ? format("{} ({} both ways together)", device.interconnect,
                                   show(*device.interconnect_both_ways))
                          : device.interconnect);
  row("host link", device.host_link_one_way ? format("{} ({} each way)", device.host_link,
                                                     show(*device.host_link_one_way))
                                            : device.host_link);
  row("power", device.power_w ? format("{} W", show_number(*device.power_w)) : "");
  row("source", device.source);
  row("verified", device.verified);
  row("notes", device.notes);
  return table;
}

Table overview(const std::vector<KnownDevice>& devices) {
  Table table;
  table.columns = {{"id", false},       {"cores", true},  {"f32", true}, {"bf16", true},
                   {"bandwidth", true}, {"memory", true}, {"", false}};
  for (const KnownDevice& device : devices) {
    table.rows.push_back({device.id, std::to_string(cores_as_people_count(device)),
                          teraflops(device, "f32.vector"), teraflops(device, "bf16.matrix"),
                          shown(device.bandwidth), shown(device.memory),
                          device.confirmed() ? "" : "?"});
  }
  return table;
}

}  // namespace

void add_known(Document& document, const std::vector<KnownDevice>& devices) {
  constexpr std::size_t kInFull = 3;
  if (devices.size() <= kInFull) {
    for (const KnownDevice& device : devices) {
      document.blocks.push_back(Heading{format("{}: {}", device.id, device.name)});
      document.blocks.push_back(facts(device));
    }
  } else {
    document.blocks.push_back(overview(devices));
    document.blocks.push_back(Paragraph{
        "Dense rates in TFLOP/s from data sheets, without 2:4 sparsity; a CPU's at its base clock. "
        "A GPU's "
        "cores are its arithmetic lanes, as the vendor counts them. ? means that something in the "
        "row is not confirmed; `roofbeam devices --known ID` says what, and where it is from.",
        false});
  }
}

}  // namespace roofbeam
