// SPDX-License-Identifier: Apache-2.0
// Runs problems on a fake machine in virtual time: nothing sleeps, every run gives the same spans.
#pragma once

#include <memory>

#include "roofbeam/backend/backend.h"
#include "roofbeam/backend/fake/fake_machine.h"

namespace roofbeam {

std::unique_ptr<Backend> open_fake_backend(FakeMachine machine);

}  // namespace roofbeam
