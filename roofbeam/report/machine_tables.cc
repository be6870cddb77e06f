// SPDX-License-Identifier: Apache-2.0
// The ceilings of a device as tables. Whatever no table knows stands in the last one, so that
// nothing is dropped.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "roofbeam/base/format.h"
#include "roofbeam/report/answers.h"

namespace roofbeam {
namespace {

constexpr double kNearWhole = 0.01;     // flop/cycle is a whole number, but for the clock's error
constexpr double kSame = 0.02;          // burst and sustained that differ by less are told as one
constexpr std::size_t kNamesShown = 4;  // of a list of names that share one reason

std::string shown(const std::string& unit, double value) {
  return show_si(value, unit == "flop_per_s" ? "FLOP/s" : unit == "bytes_per_s" ? "B/s" : "s");
}

// The interval as its wider half.
std::string spread(const Estimate<double>& estimate) {
  if (estimate.samples == 1) return "unknown";
  if (estimate.low == estimate.high) return "exact";
  const double half =
      std::max(estimate.high / estimate.value - 1, 1 - estimate.low / estimate.value);
  return format("± {:.1f} %", 100 * half);
}

// What stands in the same row: one ceiling with one core and with all.
struct Row {
  std::vector<std::string> key;  // of the name, between class and scope
  const Ceiling* core = nullptr;
  const Ceiling* all = nullptr;

  const Ceiling& main() const { return all != nullptr ? *all : *core; }
};

std::size_t rank(const std::string& word) {
  static const std::vector<std::string> order = {
      "f64",          "f32",    "tf32",     "f16",  "bf16",    "fp8",   "int8",
      "int4",         "nvfp4",  "l1",       "l2",   "l3",      "dram",  "shared",
      "device_cache", "device", "fma",      "any",  "add",     "dot",   "matrix",
      "read",         "write",  "write_nt", "copy", "copy_nt", "triad", "triad_nt"};
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), word) - order.begin());
}

bool comes_before(const Row& x, const Row& y) {
  for (std::size_t i = 0; i < std::min(x.key.size(), y.key.size()); ++i) {
    if (x.key[i] == y.key[i]) continue;
    const std::size_t a = rank(x.key[i]);
    const std::size_t b = rank(y.key[i]);
    return a != b ? a < b : x.key[i] < y.key[i];
  }
  return x.key.size() < y.key.size();
}

class Tables {
 public:
  Tables(Document& document, const DeviceProfile& device) : document_(document), device_(device) {}

  void add_all() {
    add_arithmetic();
    add_memory();
    add_products();
    add_latency();
    add_overheads();
    add_others();
    add_sustained();
    add_disturbed();
    add_absent();
  }

 private:
  // The rows of a class whose scope is core or all, in the order people read them.
  std::vector<Row> rows_of(const std::string& cls, std::size_t keys) {
    std::map<std::vector<std::string>, Row> rows;
    for (const auto& [name, ceiling] : device_.ceilings) {
      std::vector<std::string> parts = split(name, '.');
      const std::string scope = parts.back();
      if (parts.front() != cls || parts.size() != keys + 2) continue;
      if (scope != "core" && scope != "all") continue;
      const std::vector<std::string> key(parts.begin() + 1, parts.end() - 1);
      Row& row = rows[key];
      row.key = key;
      (scope == "core" ? row.core : row.all) = &ceiling;
      told_.insert(name);
    }
    std::vector<Row> sorted;
    for (auto& [key, row] : rows) sorted.push_back(row);
    std::sort(sorted.begin(), sorted.end(), comes_before);
    return sorted;
  }

  static bool any(const std::vector<Row>& rows, bool (*has)(const Row&)) {
    return std::any_of(rows.begin(), rows.end(), has);
  }

  std::string all_title() const {
    if (device_.kind != "cpu") return "whole device";
    return device_.cores_usable == 1 ? "one core" : format("{} cores", device_.cores_usable);
  }

  bool has_core(const std::vector<Row>& rows) const {
    return device_.cores_usable > 1 &&
           any(rows, [](const Row& row) { return row.core != nullptr; });
  }

  // The columns that all rates have, and their cells.
  void add_rates(Table& table, const std::vector<Row>& rows) const {
    const bool core = has_core(rows);
    if (core) table.columns.push_back({"one core", true});
    table.columns.push_back({all_title(), true});
    table.columns.push_back({"95 % of runs", true});
    for (const Row& row : rows) table.rows.push_back(cells_of(row, core));
  }

  static std::vector<std::string> cells_of(const Row& row, bool with_core) {
    std::vector<std::string> cells = {join(row.key, " ")};
    auto cell = [](const Ceiling* one) {
      return one == nullptr ? "-" : shown(one->unit, one->burst.value);
    };
    if (with_core) cells.push_back(cell(row.core));
    cells.push_back(cell(row.all));
    cells.push_back(spread(row.main().burst));
    return cells;
  }

  static std::string cycle_of(const Ceiling& ceiling) {
    if (!ceiling.cycle) return "-";
    const double flops = ceiling.cycle->flop_per_cycle.value;
    const double whole = std::round(flops);
    const bool near = std::fabs(flops - whole) <= kNearWhole * whole;
    return format("{} x {} x {}", show_number(near ? whole : flops),
                  show_si(ceiling.cycle->clock.value.value(), "Hz"), ceiling.cycle->cores);
  }

  void add_arithmetic() {
    const std::vector<Row> rows = rows_of("compute", 2);
    if (rows.empty()) return;
    Table table;
    table.columns = {{"arithmetic", false}};
    add_rates(table, rows);
    if (any(rows, [](const Row& row) { return row.main().cycle.has_value(); })) {
      table.columns.push_back({"flop/cycle x clock x cores", true});
      for (std::size_t i = 0; i < rows.size(); ++i) {
        table.rows[i].push_back(cycle_of(rows[i].main()));
      }
    }
    document_.blocks.push_back(std::move(table));
  }

  void add_memory() {
    const std::vector<Row> rows = rows_of("bandwidth", 2);
    if (rows.empty()) return;
    Table table;
    table.columns = {{"memory", false}};
    add_rates(table, rows);
    if (any(rows, [](const Row& row) { return row.main().if_write_allocated.has_value(); })) {
      table.columns.push_back({"if write-allocated", true});
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& allocated = rows[i].main().if_write_allocated;
        table.rows[i].push_back(allocated ? shown(rows[i].main().unit, allocated->value) : "-");
      }
    }
    document_.blocks.push_back(std::move(table));
  }

  // The ceiling that a product in this type can use.
  std::string share_of(const std::string& dtype, const Ceiling& product) const {
    for (const char* operation : {"matrix", "dot", "fma"}) {
      const std::string name = format("compute.{}.{}.all", dtype, operation);
      const Ceiling* ceiling = usable_ceiling(device_, name);
      if (ceiling == nullptr) continue;
      return format("{} of {} {}", show_percent(product.burst.value / ceiling->burst.value), dtype,
                    operation);
    }
    return "-";
  }

  void add_products() {
    const std::vector<Row> rows = rows_of("gemm", 1);
    if (rows.empty()) return;
    Table table;
    table.columns = {{"matrix product", false},
                     {all_title(), true},
                     {"95 % of runs", true},
                     {"library", false},
                     {"share", false}};
    for (const Row& row : rows) {
      const Ceiling& product = row.main();
      table.rows.push_back({row.key[0], shown(product.unit, product.burst.value),
                            spread(product.burst), product.variant, share_of(row.key[0], product)});
    }
    document_.blocks.push_back(std::move(table));
  }

  static void add_time(const Ceiling* time, std::vector<std::string>& cells) {
    cells.push_back(time == nullptr ? "-" : shown(time->unit, time->burst.value));
    cells.push_back(time == nullptr ? "-" : spread(time->burst));
  }

  // Here a row holds the latency alone as its core, and the one under load as its all.
  void add_latency() {
    const std::string begin = "latency.";
    const std::string end = "_loaded";
    std::vector<Row> rows;
    for (const auto& [name, ceiling] : device_.ceilings) {
      if (name.rfind(begin, 0) != 0) continue;
      std::string level = name.substr(begin.size());
      const bool loaded = level.size() > end.size() &&
                          level.compare(level.size() - end.size(), end.size(), end) == 0;
      if (loaded) level.resize(level.size() - end.size());
      auto row = std::find_if(rows.begin(), rows.end(),
                              [&](const Row& other) { return other.key[0] == level; });
      if (row == rows.end()) row = rows.insert(rows.end(), {{level}, nullptr, nullptr});
      (loaded ? row->all : row->core) = &ceiling;
      told_.insert(name);
    }
    if (rows.empty()) return;
    std::sort(rows.begin(), rows.end(), comes_before);
    Table table;
    table.columns = {{"latency", false}, {"alone", true}, {"95 % of runs", true}};
    const bool loads = any(rows, [](const Row& row) { return row.all != nullptr; });
    if (loads) {
      table.columns.push_back({"while others read", true});
      table.columns.push_back({"95 % of runs", true});
    }
    for (const Row& row : rows) {
      std::vector<std::string> cells = {row.key[0]};
      add_time(row.core, cells);
      if (loads) add_time(row.all, cells);
      table.rows.push_back(std::move(cells));
    }
    document_.blocks.push_back(std::move(table));
  }

  void add_overheads() {
    static const std::map<std::string, const char*> sentences = {
        {"overhead.wake", "a sleeping worker wakes"},
        {"overhead.barrier", "all workers meet"},
        {"overhead.branch", "a branch guessed wrong"},
        {"overhead.sync", "the host waits for the device"},
        {"overhead.divergence", "neighbours take different branches"},
        {"launch.round_trip", "a launch, and waiting for its end"},
        {"launch.back_to_back", "one of many launches"},
        {"launch.host", "the host's share of a launch"},
        {"launch.graph_node", "a launch within a graph"}};
    Table table;
    table.columns = {{"overhead", false}, {"time", true}, {"95 % of runs", true}};
    for (const auto& [name, sentence] : sentences) {
      const auto found = device_.ceilings.find(name);
      if (found == device_.ceilings.end()) continue;
      table.rows.push_back({sentence, shown(found->second.unit, found->second.burst.value),
                            spread(found->second.burst)});
      told_.insert(name);
    }
    if (!table.rows.empty()) document_.blocks.push_back(std::move(table));
  }

  void add_others() {
    Table table;
    table.columns = {{"other ceilings", false}, {"value", true}, {"95 % of runs", true}};
    for (const auto& [name, ceiling] : device_.ceilings) {
      if (told_.count(name) == 1) continue;
      table.rows.push_back({name, shown(ceiling.unit, ceiling.burst.value), spread(ceiling.burst)});
    }
    if (!table.rows.empty()) document_.blocks.push_back(std::move(table));
  }

  void add_sustained() {
    Table table;
    table.columns = {{"over a second", false},
                     {"burst", true},
                     {"sustained", true},
                     {"95 % of runs", true},
                     {"share", true}};
    int measured = 0;
    for (const auto& [name, ceiling] : device_.ceilings) {
      if (!ceiling.sustained || ceiling.sustained_provenance != "measured") continue;
      ++measured;
      const double share = ceiling.sustained->value / ceiling.burst.value;
      if (std::fabs(share - 1) <= kSame) continue;
      table.rows.push_back({name, shown(ceiling.unit, ceiling.burst.value),
                            shown(ceiling.unit, ceiling.sustained->value),
                            spread(*ceiling.sustained), show_percent(share)});
    }
    if (!table.rows.empty()) {
      document_.blocks.push_back(std::move(table));
    } else if (measured > 0) {
      document_.blocks.push_back(
          Paragraph{"Sustained over a second they lie within 2 % of this.", false});
    }
  }

  static std::string names_shown(const std::vector<std::string>& names) {
    if (names.size() <= kNamesShown + 1) return join(names, ", ");
    const std::vector<std::string> first(names.begin(), names.begin() + kNamesShown);
    return format("{} and {} more", join(first, ", "), names.size() - kNamesShown);
  }

  void add_disturbed() {
    std::vector<std::string> names;
    for (const auto& [name, ceiling] : device_.ceilings) {
      if (ceiling.standing != Standing::usable) names.push_back(name);
    }
    if (names.empty()) return;
    document_.blocks.push_back(Notice{
        format("{} of {} {} disturbed while measured: {}", names.size(),
               counted(static_cast<std::int64_t>(device_.ceilings.size()), "ceiling", "ceilings"),
               names.size() == 1 ? "was" : "were", names_shown(names))});
  }

  // Names that share a reason stand together.
  void add_absent() {
    std::map<std::string, std::vector<std::string>> by_reason;
    for (const auto& [name, why] : device_.absent) by_reason[why].push_back(name);
    if (by_reason.empty()) return;
    Table table;
    table.columns = {{"not measured", false}, {"why", false}};
    for (const auto& [why, names] : by_reason) table.rows.push_back({names_shown(names), why});
    document_.blocks.push_back(std::move(table));
  }

  Document& document_;
  const DeviceProfile& device_;
  std::set<std::string> told_;  // ceilings that stand in a table
};

}  // namespace

void add_ceilings(Document& document, const DeviceProfile& device) {
  Tables(document, device).add_all();
}

}  // namespace roofbeam
