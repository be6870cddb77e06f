// SPDX-License-Identifier: Apache-2.0
// What one operation stands on: the ceilings of a profile that count for it, and where its data
// lies. For command/placing.cc. Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "roofbeam/answer/point.h"
#include "roofbeam/model/expected.h"
#include "roofbeam/model/roofline.h"
#include "roofbeam/profile/lookup.h"
#include "roofbeam/profile/machine_profile.h"
#include "roofbeam/workload/workload.h"

namespace roofbeam {

// The main memory, as Traffic names it: what an operation's useful bytes are counted against. Which
// memory really serves them follows from the footprint. Traffic of another name counts for that
// memory instead: what an algorithm reads again from there.
constexpr const char* kMainMemory = "dram";

// A memory that may serve the work, with what it allows.
struct Level {
  std::string memory;
  Found promise;  // the fastest stores
  Found plain;    // plain stores, for the prediction
  Bytes read;     // that pass it: of the innermost what is read again from there too
  Bytes written;
};

// All that was looked up for one operation.
struct Ground {
  std::string main;                 // dram, or device
  std::optional<Found> arithmetic;  // absent where there are no flops
  std::optional<Found> library;     // of products: what the best library reaches
  std::vector<Level> levels;        // outermost first, those the profile knows
  std::string residence;            // the memory that holds the footprint
  Bytes read;
  Bytes written;
  Bytes footprint;
  int workers = 1;
};

// Errors: no arithmetic ceiling for work that has flops; work from main memory and no bandwidth of
// it.
Result<Ground> ground_of(const Operation& operation, const DeviceProfile& profile, int workers);

// The levels from the memory called so inwards, outermost first.
std::vector<const Level*> levels_inwards(const Ground& ground, const std::string& from);

// The memory next to the one that holds the work, where the size does not settle which of them it
// is: a cache never holds all of its size, and a little of what is larger.
std::optional<std::string> rival_of(const Ground& ground, const DeviceProfile& profile,
                                    int workers);

// `operation` with its bytes counted against each of the roof's memories.
Operation counted_on(const Operation& operation, const Ground& ground, const Roof& roof);

// The burst ceilings: `arithmetic`, and each memory from the one that holds the work inwards.
Roof promised_roof(const Ground& ground, const std::optional<Found>& arithmetic);
// What the prediction stands on where the data comes from `memory`: sustained rates, or the bursts
// that are the best it can come to.
enum class Rates { sustained, burst };
Expected expected_of(const Ground& ground, const DeviceProfile& profile, const std::string& memory,
                     Rates rates = Rates::sustained);

// The ceilings that placing `operation` looks up on this device, by canonical name: what has to be
// measured before.
std::set<std::string> ceilings_wanted(const Operation& operation, const DeviceProfile& profile,
                                      int workers);

// What a picture of this device's roof shows: main memory and caches, the arithmetic of `dtypes`.
DrawnRoof drawn_roof(const DeviceProfile& profile, const std::set<std::string>& dtypes);

}  // namespace roofbeam
