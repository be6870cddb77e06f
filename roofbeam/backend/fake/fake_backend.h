// SPDX-License-Identifier: Apache-2.0
// Runs problems on a fake machine in virtual time: nothing sleeps, every run gives the same spans.
// Spans of probes tell which were disturbed, the clock and the time lost; those of products do not,
// as those of real libraries.
#pragma once

#include <memory>

#include "roofbeam/backend/backend.h"
#include "roofbeam/backend/fake/fake_machine.h"

namespace roofbeam {

std::unique_ptr<Backend> open_fake_backend(FakeMachine machine);

}  // namespace roofbeam
