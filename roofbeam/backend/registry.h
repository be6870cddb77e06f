// SPDX-License-Identifier: Apache-2.0
// Every backend there is: a row each. Opening them finds the devices of this machine, or the one
// fake machine that was asked for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "roofbeam/backend/backend.h"

namespace roofbeam {

struct BackendRow {
  std::string_view name;
  std::string_view sentence;
  std::unique_ptr<Backend> (*open)(const Device& cpu, const StopToken& stop);
};
const std::vector<BackendRow>& backend_rows();

using Backends = std::vector<std::unique_ptr<Backend>>;

// `device` as --device takes it; "fake:FILE" opens that machine and nothing else.
// `stop` ends waits for what a backend asks of other programs.
Result<Backends> open_backends(const std::string& device, const StopToken& stop = {});

// All devices, each id once.
std::vector<Device> all_devices(const Backends& backends);
// The device asked for; "" means the first GPU that is not this CPU in disguise, else the CPU. The
// error of an unknown name suggests the nearest.
Result<Device> choose_device(const Backends& backends, const std::string& wanted);

// A variant and the backend that offers it.
struct Way {
  Backend* backend = nullptr;
  Variant variant;
};
// Every way to compute the problem on the device, in the backends' order.
std::vector<Way> ways_to_compute(const Backends& backends, const Device& device,
                                 const Problem& problem);

}  // namespace roofbeam
