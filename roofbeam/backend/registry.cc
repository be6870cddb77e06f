// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/registry.h"

#include <algorithm>

#include "roofbeam/backend/cpu/cpu_backend.h"
#include "roofbeam/backend/fake/fake_backend.h"
#include "roofbeam/backend/gemm/gemm_backend.h"
#include "roofbeam/base/format.h"

namespace roofbeam {

const std::vector<BackendRow>& backend_rows() {
  static const std::vector<BackendRow> rows = {
      {"gemm", "CPU libraries for matrix products, each in a worker process", open_gemm_backend},
      {"cpu", "this CPU by our own probes and loops", open_cpu_backend},
  };
  return rows;
}

Result<Backends> open_backends(const std::string& device, const StopToken& stop) {
  constexpr std::string_view kFake = "fake:";
  Backends backends;
  if (device.rfind(kFake, 0) == 0) {
    auto machine = read_fake_machine(device.substr(kFake.size()));
    if (!machine) return fail(machine.error());
    backends.push_back(open_fake_backend(std::move(*machine)));
    return backends;
  }
  auto box = read_this_box();
  if (!box) return fail(box.error());
  const Device cpu = cpu_device(std::move(*box));
  for (const BackendRow& row : backend_rows()) backends.push_back(row.open(cpu, stop));
  return backends;
}

std::vector<Device> all_devices(const Backends& backends) {
  std::vector<Device> devices;
  for (const auto& backend : backends) {
    for (Device& device : backend->devices()) {
      const bool known = std::any_of(devices.begin(), devices.end(),
                                     [&](const Device& d) { return d.id == device.id; });
      if (!known) devices.push_back(std::move(device));
    }
  }
  return devices;
}

Result<Device> choose_device(const Backends& backends, const std::string& wanted) {
  const std::vector<Device> devices = all_devices(backends);
  if (devices.empty()) return failed("no device was found");
  if (wanted.empty() || wanted.rfind("fake:", 0) == 0) {
    for (const Device& device : devices) {
      if (device.kind == DeviceKind::gpu) return device;
    }
    return devices.front();
  }
  std::vector<std::string> known;
  for (const Device& device : devices) {
    if (device.id == wanted) return device;
    known.push_back(device.id);
  }
  known.push_back("fake:FILE");
  return fail({ErrorCode::failed, format("there is no device \"{}\" here", wanted), "--device",
               suggest(wanted, known) + "; `roofbeam devices` lists them"});
}

std::vector<Way> ways_to_compute(const Backends& backends, const Device& device,
                                 const Problem& problem) {
  std::vector<Way> ways;
  for (const auto& backend : backends) {
    for (Variant& variant : backend->variants(device, problem)) {
      ways.push_back({backend.get(), std::move(variant)});
    }
  }
  return ways;
}

}  // namespace roofbeam
