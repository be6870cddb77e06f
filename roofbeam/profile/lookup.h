// SPDX-License-Identifier: Apache-2.0
// Finding a ceiling in a profile by what it is for. A lookup that must fall back says so.
#pragma once

#include <string>
#include <vector>

#include "roofbeam/base/units.h"
#include "roofbeam/profile/machine_profile.h"

namespace roofbeam {

struct Found {
  std::string name;  // the ceiling that was used
  Ceiling ceiling;
  std::string fell_back;  // a sentence where it is not the one asked for; else empty
  std::vector<std::string> made_of = {};  // names in the profile that its figure comes from
};

// The arithmetic ceiling work in `dtype` stands under with `threads` workers. `arithmetic` says
// which instructions it is made of: add or any take the ceiling of that name; otherwise it is that
// of products: a matrix unit's, else the dtype's own dot, else its fma. A type without instructions
// of its own is computed in f32, whose ceiling then stands in.
// 1 worker takes scope core, all usable ones scope all; between them core · threads is inferred.
Result<Found> arithmetic_ceiling(const DeviceProfile& device, const std::string& dtype, int threads,
                                 const std::string& arithmetic = "fma");
// gemm.<dtype>: what the best library reaches; an error where it was not measured.
Result<Found> product_ceiling(const DeviceProfile& device, const std::string& dtype, int threads);
// bandwidth.<memory>.read with `threads` workers; between one and all it is the smaller of
// all and core · threads.
Result<Found> read_ceiling(const DeviceProfile& device, const std::string& memory, int threads);

// Which stores count: those past the caches may be faster, and nobody knows what a program uses.
enum class Stores { plain, fastest };

// The ceiling of moving so much from and to one memory. The mix of both decides: all read takes
// read, all written write, half of each copy, two thirds read triad; any other mix is the harmonic
// mean of the two next to it, and its name holds both: bandwidth.dram.read+triad.all. Where one of
// those is not known, read and write are mixed; where writing is not known, reading stands in, and
// that is said.
Result<Found> traffic_ceiling(const DeviceProfile& device, const std::string& memory, Bytes read,
                              Bytes written, int threads, Stores stores);

// The accesses whose ceilings that takes, as in a ceiling's name: {"triad", "read"}. For those who
// see to it that they are measured.
std::vector<std::string> accesses_of(Bytes read, Bytes written);

}  // namespace roofbeam
