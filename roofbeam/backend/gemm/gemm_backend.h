// SPDX-License-Identifier: Apache-2.0
// Matrix products by CPU libraries. Each library lives in a worker process of its own
// (`roofbeam-gemm-<library>`, found beside this program, in ../libexec/roofbeam, or where
// ROOFBEAM_WORKER_DIR says), so that a crash, a wrong result or a thread pool of a library is an
// answer and not our end. protocol.h describes what is said over the pipe.
#pragma once

#include <memory>

#include "roofbeam/backend/backend.h"

namespace roofbeam {

// `cpu` is the device whose products the workers compute.
// A stop ends the wait for a worker that says nothing of itself.
std::unique_ptr<Backend> open_gemm_backend(const Device& cpu, const StopToken& stop = {});

}  // namespace roofbeam
