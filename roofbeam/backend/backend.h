// SPDX-License-Identifier: Apache-2.0
// Ways to compute a problem on a device. A backend brings devices, or ways for another's device;
// each way is a variant with its own file and one row. Calls block. Everything here may be used
// from one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roofbeam/base/result.h"
#include "roofbeam/base/stop.h"
#include "roofbeam/base/units.h"
#include "roofbeam/hardware/device.h"
#include "roofbeam/kernel/kernel_spec.h"

namespace roofbeam {

// One execution of a problem (or of a worker's share of it), on the clock of base/clock.h.
struct Span {
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
  bool disturbed = false;  // its worker is known to have lost its CPU in between

  bool operator==(const Span&) const = default;
};

// What `run` observed: for every worker the spans of its repeats, in order.
struct Spans {
  // together: repeat i of all workers is one execution of the whole problem, begun at a barrier.
  // apart:    each worker repeats its own 1/workers share of the problem without waiting for
  // others.
  enum class Mode { together, apart } mode = Mode::together;
  std::vector<std::vector<Span>> workers;
  // The clock each worker's core ran at right after its last repeat; empty where it is not known.
  std::vector<double> clock_hz;
  // Of each worker: seconds of the run in which its CPU did something else; empty where unknown.
  std::vector<double> lost_s;
};

// A variable of the environment by which a library is told which of its kernels to use.
struct Setting {
  std::string variable;  // empty: all as the user set it
  std::string value;     // empty: not set
  std::string now;       // what it is in our own environment; empty where it is not set there

  bool operator==(const Setting&) const = default;
};

struct Variant {
  std::string name;      // as --library takes it, or the instruction set: onednn, naive, avx512
  std::string sentence;  // what it is, with the library's version
  bool lesson = false;   // there to be compared with, never chosen for speed: the naive loops
  // What it is computed under; one of `others`, or none.
  Setting setting = {};
  // Under these it may use other kernels, which may be faster, or wrong on this CPU. prepare proves
  // such a variant on products of twenty shapes before anything else, and fails where one is wrong.
  std::vector<Setting> others = {};
};

// Where to run: one worker for every CPU named, pinned to it. GPUs ignore it.
struct Placement {
  std::vector<int> cpus;
  // Who touches a worker's memory first, so that it lies on that CPU's NUMA node; empty: the worker
  // itself. Else as many as `cpus`.
  std::vector<int> memory_cpus = {};
  int threads() const { return static_cast<int>(cpus.size()); }
};

// Cumulative readings whose differences say what a measurement ran under. Absent stays absent.
struct DeviceState {
  std::int64_t at_ns = 0;
  std::optional<double> busy_s;       // CPU seconds all processes used on the placement's CPUs
  std::optional<double> own_s;        // CPU seconds this process and its workers used
  std::optional<double> steal_s;      // taken by the hypervisor on those CPUs
  std::optional<double> throttled_s;  // spent stopped by a CPU quota
  std::optional<double> clock_ratio;  // of a device that says its clock is held down: below 1
};

// A problem made ready: memory allocated and filled, workers waiting. Destroying it frees both.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Executes it `repeats` times. A stop ends early, with the spans finished so far or with the
  // error `interrupted`.
  virtual Result<Spans> run(int repeats, const StopToken& stop) = 0;
  // Compares the last result with the reference. Call after at least one run.
  virtual Result<Check> check(const StopToken& stop = {}) = 0;
  // What is really executed where it is less than the whole problem (the first rows of a slow
  // loop); otherwise the problem's own shape.
  virtual Shape executed_shape() const = 0;
};

struct Missing {
  std::string what;  // a device or variant that is not there: "openblas"
  std::string why;
  std::string hint;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;
  // Devices it can compute on. Two backends may list the same device id: their variants add up.
  virtual std::vector<Device> devices() = 0;
  // What it would offer if something were not missing.
  virtual std::vector<Missing> missing() = 0;
  // Ways to compute the problem, best guess first; none where it cannot.
  virtual std::vector<Variant> variants(const Device& device, const Problem& problem) = 0;
  // Errors: too little memory (needed and available named), a library that fails or is absent, a
  // stop while it was made ready.
  virtual Result<std::unique_ptr<Kernel>> prepare(const Device& device, const Problem& problem,
                                                  const Variant& variant,
                                                  const Placement& placement,
                                                  const StopToken& stop = {}) = 0;
  virtual DeviceState state(const Device& device, const Placement& placement) = 0;
};

}  // namespace roofbeam
