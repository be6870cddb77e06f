// SPDX-License-Identifier: Apache-2.0
// The user's own work under a roof: counted and timed by hand, in a file, or by running a command.
#pragma once

#include <string>
#include <vector>

#include "roofbeam/answer/points_answer.h"
#include "roofbeam/command/session.h"
#include "roofbeam/workload/import.h"

namespace roofbeam {

struct PlaceOptions {
  std::vector<Observed> rows;        // counted by hand
  std::string file;                  // more of them, in any format of workload/import.h
  std::vector<std::string> command;  // words of one to run; it times the only row, if there is one
  std::string dtype;                 // of rows that do not name theirs; empty: f32
  std::string on;                    // a known device or a saved profile instead of this machine
  DeviceOptions where;
};

// A point for each row. Work without a footprint is taken to touch everything it moves once. Five
// or more times of a row give its interval; fewer are taken as they are, and it is said. Rows that
// are faster than the ceilings on record allow are measured against new ceilings once; one that
// still is has standing invalid, and no ceiling is raised by it.
//
// A command without counts is judged by what its threads did (place_command.h); its answer is one
// point without flops and bytes, or with the bytes that the CPU's counters saw.
//
// Errors: no work at all; several rows beside a command; an unknown type; amounts without a
// ceiling; whatever reading the file, running the command or finding ceilings fails with.
Result<PointsAnswer> place(const PlaceOptions& options, const Caller& caller);

}  // namespace roofbeam
