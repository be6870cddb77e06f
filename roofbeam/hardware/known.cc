// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/hardware/known.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "roofbeam/base/embedded.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/table_reader.h"

namespace roofbeam {

const std::vector<EmbeddedText>& known_device_tables();  // data/hardware.csv

namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

// The columns of rates and what the rest of the program calls them.
struct RateColumn {
  const char* column;
  const char* rate;
};
constexpr RateColumn kRates[] = {
    {"fp64_vector_tflops", "f64.vector"}, {"fp64_matrix_tflops", "f64.matrix"},
    {"fp32_vector_tflops", "f32.vector"}, {"tf32_dense_tflops", "tf32.matrix"},
    {"fp16_dense_tflops", "f16.matrix"},  {"bf16_dense_tflops", "bf16.matrix"},
    {"fp8_dense_tflops", "fp8.matrix"},   {"int8_dense_tops", "int8.matrix"},
    {"fp4_dense_tflops", "nvfp4.matrix"},
};
constexpr const char* kKinds[] = {"cpu", "gpu", "apu", "soc", "tpu", "accelerator"};

// Takes one row's cells; the first thing wrong is kept.
class RowReader {
 public:
  RowReader(const TableRows& table, const TableRows::Row& row) : table_(table), row_(row) {}

  std::string text(const char* column) { return std::string(table_.text(row_, column)); }
  std::string name(const char* column) {
    std::string value = text(column);
    if (value.empty()) reject(column, "empty");
    return value;
  }
  std::optional<double> positive(const char* column) {
    const auto value = table_.number(row_, column);
    if (!value) {
      keep(value.error());
      return std::nullopt;
    }
    if (*value && !(**value > 0 && std::isfinite(**value))) {
      reject(column, format("{} is not above 0", text(column)));
      return std::nullopt;
    }
    return *value;
  }
  template <class Quantity>
  std::optional<Quantity> amount(const char* column, double prefix) {
    const auto value = positive(column);
    if (!value) return std::nullopt;
    return Quantity(*value * prefix);
  }
  std::optional<int> count(const char* column) {
    constexpr double kMost = 1e6;
    const auto value = positive(column);
    if (!value) return std::nullopt;
    if (*value > kMost || *value != std::floor(*value)) {
      reject(column, format("{} is no count", text(column)));
      return std::nullopt;
    }
    return static_cast<int>(*value);
  }
  void reject(const char* column, const std::string& why) {
    keep({ErrorCode::usage, why, table_.place(row_, column), ""});
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  void keep(Error error) {
    if (!error_) error_ = std::move(error);
  }

  const TableRows& table_;
  const TableRows::Row& row_;
  std::optional<Error> error_;
};

KnownDevice device_of(RowReader& row) {
  KnownDevice device;
  device.id = row.name("id");
  device.name = row.name("name");
  device.vendor = row.name("vendor");
  device.kind = row.name("kind");
  if (std::find(std::begin(kKinds), std::end(kKinds), device.kind) == std::end(kKinds)) {
    row.reject("kind", format("\"{}\" is no kind of device", device.kind));
  }
  device.year = row.count("year").value_or(0);
  device.units = row.count("units").value_or(0);
  if (device.units == 0) row.reject("units", "empty");
  device.unit_kind = row.name("unit_kind");
  device.lanes_per_unit = row.count("lanes_per_unit");
  device.clock_base = row.amount<Hertz>("clock_base_ghz", kGiga);
  device.clock_boost = row.amount<Hertz>("clock_boost_ghz", kGiga);
  for (const RateColumn& column : kRates) {
    const auto rate = row.amount<FlopRate>(column.column, kTera);
    if (rate) device.rates[column.rate] = *rate;
  }
  device.memory = row.amount<Bytes>("mem_gb", kGiga);
  device.memory_kind = row.text("mem_type");
  device.bandwidth = row.amount<ByteRate>("mem_bw_GBps", kGiga);
  device.interconnect = row.text("interconnect");
  device.interconnect_both_ways = row.amount<ByteRate>("interconnect_GBps_bidir", kGiga);
  device.host_link = row.text("host_link");
  device.host_link_one_way = row.amount<ByteRate>("host_link_GBps_unidir", kGiga);
  device.power_w = row.positive("tdp_w");
  device.source = row.name("source");
  device.verified = row.name("verified");
  device.notes = row.text("notes");
  return device;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

}  // namespace

bool KnownDevice::confirmed() const {
  for (const char* doubt : {"unverified", "uncertain", "not checked"}) {
    if (verified.find(doubt) != std::string::npos) return false;
  }
  return verified.find("checked") != std::string::npos;
}

int cores_as_people_count(const KnownDevice& device) {
  return device.units * device.lanes_per_unit.value_or(1);
}

Result<std::vector<KnownDevice>> read_known(std::string_view text, const std::string& where) {
  auto table = read_table(text, where);
  if (!table) return fail(table.error());
  for (const char* column : {"id", "name", "vendor", "kind", "year", "units", "unit_kind",
                             "lanes_per_unit", "mem_gb", "mem_bw_GBps", "source", "verified"}) {
    if (!table->has(column)) {
      return usage_error(format("there is no column \"{}\"", column), where);
    }
  }
  std::vector<KnownDevice> devices;
  for (const TableRows::Row& cells : table->rows()) {
    RowReader row(*table, cells);
    KnownDevice device = device_of(row);
    for (const KnownDevice& other : devices) {
      if (other.id == device.id) row.reject("id", format("\"{}\" is there twice", device.id));
    }
    if (row.error()) return fail(*row.error());
    devices.push_back(std::move(device));
  }
  return devices;
}

const std::vector<KnownDevice>& known_devices() {
  static const std::vector<KnownDevice> devices = [] {
    auto read = read_known(known_device_tables().front().content, "data/hardware.csv");
    return read ? std::move(*read) : std::vector<KnownDevice>();  // a test reads the same file
  }();
  return devices;
}

std::vector<const KnownDevice*> find_known(std::string_view wanted) {
  std::vector<const KnownDevice*> found;
  const std::vector<std::string> words = split(lower(wanted), ' ');
  for (const KnownDevice& device : known_devices()) {
    if (lower(device.id) == lower(wanted)) return {&device};
    const std::string text = lower(device.id + " " + device.name);
    const bool all = std::all_of(words.begin(), words.end(), [&text](const std::string& word) {
      return text.find(word) != std::string::npos;
    });
    if (all) found.push_back(&device);
  }
  return found;
}

Result<const KnownDevice*> one_known(const std::string& wanted, const std::string& where) {
  const auto found = wanted.empty() ? std::vector<const KnownDevice*>() : find_known(wanted);
  if (found.size() == 1) return found.front();
  if (found.empty()) {
    return usage_error(format("no known device is called \"{}\"", wanted), where,
                       suggest_known(wanted));
  }
  std::vector<std::string> ids;
  for (const KnownDevice* device : found) ids.push_back(device->id);
  return usage_error(format("\"{}\" means several known devices", wanted), where,
                     "one of " + join(ids, ", "));
}

std::string suggest_known(const std::string& wanted, const std::string& otherwise) {
  std::vector<std::string> ids;
  for (const KnownDevice& device : known_devices()) ids.push_back(device.id);
  return nearest(wanted, ids).empty() ? otherwise : suggest(wanted, ids);
}

}  // namespace roofbeam
