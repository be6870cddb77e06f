// SPDX-License-Identifier: Apache-2.0
// Why a library stays below what the ceilings allow: other kernels of the same library, in another
// worker with another environment, and other libraries.
#pragma once

#include "roofbeam/command/matmul_placed.h"

namespace roofbeam {

// Under this share of what the ceilings allow the cause is looked for.
constexpr double kEnoughShare = 0.8;

// Looks where `run`, whose verdict the answer holds, reaches less than kEnoughShare. Everything is
// tried on a smaller product first (answer.looked_at); what was faster there is measured in turns
// with what is used now, on the whole product, and becomes a remedy only where its results are
// right and the whole interval of its gain lies above 1. Libraries that the answer has points of
// already are not tried again.
void look_for_cause(MatmulAnswer& answer, Session& session, const Run& run, const Caller& caller);

}  // namespace roofbeam
