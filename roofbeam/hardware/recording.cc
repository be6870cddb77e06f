// SPDX-License-Identifier: Apache-2.0
// Reads the folder of a recorded machine. It may come from anyone, so nothing in it is believed
// before it was looked at.
#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "roofbeam/base/file.h"
#include "roofbeam/base/format.h"
#include "roofbeam/base/json.h"
#include "roofbeam/hardware/system.h"
#include "roofbeam/hardware/topology.h"

namespace roofbeam {
namespace {

constexpr const char* kRecordAgain = "record the machine again with tools/record_machine";
// A topology of 1,024 hardware threads is under 1 MiB.
constexpr std::size_t kLongestPart = std::size_t{8} << 20;
constexpr std::int64_t kMostCpus = 1 << 16;

Error with_hint(Error error) {
  if (error.hint.empty()) error.hint = kRecordAgain;
  return error;
}

std::vector<int> read_affinity(JsonReader& reader) {
  std::vector<int> cpus;
  for (const Json& item : reader.items("affinity")) {
    const std::int64_t* cpu = item.integer();
    if (cpu == nullptr || *cpu < 0 || *cpu >= kMostCpus) {
      reader.reject("affinity", format("expected CPU numbers from 0 to {}", kMostCpus - 1));
      return {};
    }
    cpus.push_back(static_cast<int>(*cpu));
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::vector<std::string> read_features(JsonReader& reader) {
  std::vector<std::string> names;
  for (const Json& item : reader.items("features")) {
    const std::string* name = item.text();
    if (name == nullptr) {
      reader.reject("features", "expected a list of strings");
      return {};
    }
    names.push_back(*name);
  }
  return names;
}

std::map<std::string, std::string> read_files(JsonReader& reader) {
  std::map<std::string, std::string> files;
  for (const auto& [path, text] : reader.members("files")) {
    if (text.text() == nullptr) {
      reader.reject("files", format("the text of \"{}\" is no string", path));
      return {};
    }
    files[path] = *text.text();
  }
  return files;
}

Result<Recording> read_system(const std::string& path) {
  auto text = read_file(path, kLongestPart);
  if (!text) return fail(text.error());
  auto document = parse_json(*text, path);
  if (!document) return fail(document.error());
  if (auto known = check_schema(*document, "machine_recording", 1, path); !known) {
    return fail(known.error());
  }
  JsonReader reader(*document, path);
  Recording recording;
  recording.architecture = reader.text("architecture");
  recording.affinity = read_affinity(reader);
  recording.features = read_features(reader);
  recording.files = read_files(reader);
  if (auto status = reader.status(); !status) return fail(status.error());
  return recording;
}

bool has_any(const Topology& topology, const std::vector<int>& cpus) {
  return std::any_of(topology.cores.begin(), topology.cores.end(), [&](const Core& core) {
    return std::any_of(core.pus.begin(), core.pus.end(),
                       [&](int pu) { return std::binary_search(cpus.begin(), cpus.end(), pu); });
  });
}

}  // namespace

Result<Recording> read_recording(const std::string& folder) {
  const std::string system_path = folder + "/system.json";
  const std::string topology_path = folder + "/topology.xml";
  auto recording = read_system(system_path);
  if (!recording) return fail(with_hint(recording.error()));
  auto xml = read_file(topology_path, kLongestPart);
  if (!xml) return fail(with_hint(xml.error()));
  auto topology = topology_from_xml(*xml, topology_path);
  if (!topology) return fail(with_hint(topology.error()));
  if (!has_any(*topology, recording->affinity)) {
    return fail({ErrorCode::usage, "names no CPU that topology.xml has", system_path + ": affinity",
                 kRecordAgain});
  }
  recording->topology = std::move(*topology);
  return recording;
}

}  // namespace roofbeam
