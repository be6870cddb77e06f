// SPDX-License-Identifier: Apache-2.0
// Nsight Compute's `ncu --csv`: with `--page raw` a row for each kernel, a column for each metric
// and a row of units; else a row for each metric ("Metric Name", "Metric Unit", "Metric Value").
// Lines of its own (==PROF== …) may stand around. Format: Nsight Compute CLI, "Output Pages".
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "roofbeam/base/format.h"
#include "roofbeam/base/table_reader.h"
#include "roofbeam/workload/import/formats.h"

namespace roofbeam {
namespace {

struct Launch {
  std::string kernel;
  std::map<std::string, double> metrics;  // in base units
  std::vector<std::string> absent;        // metrics that are there without a value
};

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array kUnits = {
    Unit{"", 1},           Unit{"byte", 1},       Unit{"Kbyte", 1e3}, Unit{"Mbyte", 1e6},
    Unit{"Gbyte", 1e9},    Unit{"Tbyte", 1e12},   Unit{"B", 1},       Unit{"KB", 1e3},
    Unit{"MB", 1e6},       Unit{"GB", 1e9},       Unit{"TB", 1e12},   Unit{"inst", 1},
    Unit{"Kinst", 1e3},    Unit{"Minst", 1e6},    Unit{"Ginst", 1e9}, Unit{"nsecond", 1e-9},
    Unit{"usecond", 1e-6}, Unit{"msecond", 1e-3}, Unit{"second", 1},  Unit{"ns", 1e-9},
    Unit{"us", 1e-6},      Unit{"ms", 1e-3},      Unit{"s", 1}};

struct FlopMetric {
  std::string_view op;  // of …sass_thread_inst_executed_op_OP_pred_on.sum
  std::string_view dtype;
  double flops;
};
// Instructions of threads; those in f16 compute two numbers each.
constexpr std::array kOps = {
    FlopMetric{"ffma", "f32", 2}, FlopMetric{"fadd", "f32", 1}, FlopMetric{"fmul", "f32", 1},
    FlopMetric{"dfma", "f64", 2}, FlopMetric{"dadd", "f64", 1}, FlopMetric{"dmul", "f64", 1},
    FlopMetric{"hfma", "f16", 4}, FlopMetric{"hadd", "f16", 2}, FlopMetric{"hmul", "f16", 2}};
// …ops_path_tensor_src_TYPE…: operations of the matrix units, counted as such.
constexpr std::array kTensorTypes = {"bf16", "fp16", "tf32", "fp64", "fp8", "int8", "int4"};

bool wanted(std::string_view metric) {
  const auto has = [&](std::string_view part) { return metric.find(part) != std::string::npos; };
  if (metric.ends_with(".pct_of_peak_sustained_elapsed") || !metric.ends_with(".sum")) return false;
  return metric.starts_with("dram__bytes") || metric == "gpu__time_duration.sum" ||
         has("sass_thread_inst_executed_op_") || has("inst_executed_pipe_tensor") ||
         has("ops_path_tensor_src");
}

// "1,234,567.8": commas between groups of three, else it is another country's number.
Result<double> number_of(std::string_view cell, const std::string& place) {
  std::string digits;
  const std::string text = trim(cell);
  const std::size_t whole = std::min(text.find('.'), text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ',') {
      digits += text[i];
    } else if (i == 0 || i > whole || (whole - i) % 4 != 0) {
      return usage_error(format("\"{}\" is no number with commas between thousands", cell), place,
                         "run ncu with LC_ALL=C");
    }
  }
  auto value = parse_real(digits);
  if (!value || *value < 0) return usage_error(format("\"{}\" is no amount", cell), place);
  return *value;
}

Result<double> factor_of(std::string_view unit, const std::string& place) {
  for (const Unit& row : kUnits) {
    if (row.name == trim(unit)) return row.factor;
  }
  return usage_error(format("\"{}\" is no unit known of ncu", unit), place,
                     "run ncu with --print-units base");
}

Status keep(Launch& launch, const std::string& metric, std::string_view value,
            std::string_view unit, const std::string& place) {
  if (!wanted(metric)) return {};
  const std::string text = trim(value);
  if (text.empty() || text == "n/a" || text == "nan") {
    launch.absent.push_back(metric);
    return {};
  }
  auto number = number_of(text, place);
  if (!number) return fail(number.error());
  auto factor = factor_of(unit, place);
  if (!factor) return fail(factor.error());
  launch.metrics[metric] = *number * *factor;
  return {};
}

using Launches = std::vector<Launch>;

// A row for each kernel; the first one may hold units, and then no kernel.
Result<Launches> read_wide(const TableRows& table) {
  Launches launches;
  const TableRows::Row* units = nullptr;
  for (const TableRows::Row& row : table.rows()) {
    if (table.text(row, "ID").empty()) {
      units = &row;
      continue;
    }
    Launch launch{std::string(table.text(row, "Kernel Name")), {}, {}};
    for (const std::string& column : table.columns()) {
      const std::string_view unit = units == nullptr ? "" : table.text(*units, column);
      auto kept = keep(launch, column, table.text(row, column), unit, table.place(row, column));
      if (!kept) return fail(kept.error());
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

// A row for each metric of each kernel.
Result<Launches> read_long(const TableRows& table) {
  Launches launches;
  std::string id;
  for (const TableRows::Row& row : table.rows()) {
    const std::string now = format("{}/{}", table.text(row, "Process ID"), table.text(row, "ID"));
    if (launches.empty() || now != id) {
      launches.push_back({std::string(table.text(row, "Kernel Name")), {}, {}});
    }
    id = now;
    auto kept = keep(launches.back(), std::string(table.text(row, "Metric Name")),
                     table.text(row, "Metric Value"), table.text(row, "Metric Unit"),
                     table.place(row, "Metric Value"));
    if (!kept) return fail(kept.error());
  }
  return launches;
}

bool is_header(std::string_view line) {
  return (line.starts_with("\"ID\",") || line.starts_with("ID,")) &&
         line.find("Kernel Name") != std::string_view::npos;
}

// The table alone; what stands around it becomes empty lines, so that numbers of lines hold.
std::string table_in(const std::vector<Line>& lines) {
  std::string table;
  bool begun = false;
  for (const Line& line : lines) {
    begun = begun || is_header(line.text);
    if (begun && !line.text.starts_with("==")) table += line.text;
    table += '\n';
  }
  return table;
}

struct Sums {
  std::map<std::string, double> by_type;
  bool halves = false;          // f16 instructions
  bool tensor_unknown = false;  // matrix units worked, and nothing says how much
};

Sums sums_of(const Launch& launch) {
  Sums sums;
  double tensor_instructions = 0;
  bool tensor_counted = false;
  for (const auto& [metric, value] : launch.metrics) {
    // The same count has two names: of SMs, and of their quarters. One of them is enough.
    if (metric.starts_with("sm__") && launch.metrics.count("smsp" + metric.substr(2)) > 0) continue;
    for (const FlopMetric& row : kOps) {
      if (metric.find(format("_executed_op_{}_pred_on", row.op)) == std::string::npos) continue;
      sums.by_type[std::string(row.dtype)] += row.flops * value;
      sums.halves = sums.halves || (row.dtype == "f16" && value > 0);
    }
    for (const char* type : kTensorTypes) {
      if (metric.find(format("tensor_src_{}", type)) == std::string::npos) continue;
      const std::string_view told = type;
      sums.by_type[told == "fp16" ? "f16" : told == "fp64" ? "f64" : std::string(told)] += value;
      tensor_counted = true;
    }
    if (metric.find("inst_executed_pipe_tensor") != std::string::npos) tensor_instructions += value;
  }
  sums.tensor_unknown = tensor_instructions > 0 && !tensor_counted;
  return sums;
}

std::optional<double> metric_of(const Launch& launch, const std::string& name) {
  const auto found = launch.metrics.find(name);
  return found == launch.metrics.end() ? std::nullopt : std::optional(found->second);
}

// What was read so far.
struct Collected {
  std::vector<Observed> rows;
  std::vector<double> launches;              // of each row
  std::map<std::string, std::size_t> known;  // rows by what makes them one
  std::vector<std::string> remarks;
  std::set<std::string> said;

  void note(const std::string& remark) {
    if (said.insert(remark).second) remarks.push_back(remark);
  }
};

Observed observed_of(const Launch& launch, Collected& all) {
  Observed observed;
  Operation& operation = observed.operation;
  operation.name = launch.kernel.empty() ? "kernel" : launch.kernel;
  operation.launches = 1;
  Sums sums = sums_of(launch);
  if (sums.tensor_unknown) {
    sums.by_type.clear();
    all.note(
        format("{}: its matrix units worked, and nothing in the file says how many flops "
               "that was: only its bytes are placed (ncu --metrics "
               "sm__ops_path_tensor_src_… counts them)",
               operation.name));
  }
  std::vector<std::string> mixed;
  set_flops(operation, sums.by_type, mixed);
  for (const std::string& remark : mixed) all.note(remark);
  if (sums.halves) {
    all.note(
        format("{}: f16 instructions count for both of their halves: at most so many "
               "flops",
               operation.name));
  }
  const auto read = metric_of(launch, "dram__bytes_read.sum");
  const auto written = metric_of(launch, "dram__bytes_write.sum");
  const auto both = metric_of(launch, "dram__bytes.sum");
  set_traffic(operation, read || written ? read.value_or(0) : both.value_or(0),
              written.value_or(0));
  const auto time = metric_of(launch, "gpu__time_duration.sum");
  if (time && *time > 0) observed.times = {Seconds(*time)};
  for (const std::string& metric : launch.absent) {
    all.note(format("{}: {} has no value", operation.name, metric));
  }
  return observed;
}

// Launches of one kernel that did as many flops are one row with several times; their bytes, which
// caches make a little different each time, are those of the mean.
void add(Collected& all, Observed observed) {
  const Operation& operation = observed.operation;
  const std::string key =
      format("{} {} {}", operation.name, operation.dtype, operation.flops.value());
  const auto [at, fresh] = all.known.emplace(key, all.rows.size());
  if (fresh) {
    all.rows.push_back(std::move(observed));
    all.launches.push_back(1);
    return;
  }
  Observed& row = all.rows[at->second];
  all.launches[at->second] += 1;
  row.times.insert(row.times.end(), observed.times.begin(), observed.times.end());
  if (row.operation.traffic.empty() || operation.traffic.empty()) return;
  Traffic& mean = row.operation.traffic.front();
  const double share = 1 / all.launches[at->second];
  mean.read += (operation.traffic.front().read - mean.read) * share;
  mean.written += (operation.traffic.front().written - mean.written) * share;
}

}  // namespace

bool looks_like_ncu(std::string_view text) {
  auto lines = lines_of(text.substr(0, kLongestImport), "");
  return std::any_of(lines->begin(), lines->end(),
                     [](const Line& line) { return is_header(line.text); });
}

Result<Imported> read_ncu(std::string_view text, const std::string& where) {
  auto lines = lines_of(text, where);
  if (!lines) return fail(lines.error());
  auto table = read_table(table_in(*lines), where);
  if (!table) return fail(table.error());
  if (table->rows().size() > kMostRows) {
    return usage_error(format("more than {} rows", kMostRows), where);
  }
  auto launches = table->has("Metric Name") ? read_long(*table) : read_wide(*table);
  if (!launches) return fail(launches.error());
  Collected all;
  for (const Launch& launch : *launches) {
    Observed observed = observed_of(launch, all);
    if (observed.operation.flops > Flops(0) || !observed.operation.traffic.empty()) {
      add(all, std::move(observed));
    } else {
      all.note(
          format("{}: neither flops nor bytes were counted (ncu --metrics "
                 "dram__bytes.sum,gpu__time_duration.sum,…)",
                 observed.operation.name));
    }
  }
  if (!all.rows.empty()) {
    all.note(
        "times are as ncu measures them: caches emptied and clocks fixed for each kernel, unless "
        "it was told otherwise");
  }
  return Imported{"", std::move(all.rows), std::move(all.remarks)};
}

}  // namespace roofbeam
