// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/cpu/cpu_backend.h"

#include <algorithm>

#include "roofbeam/backend/cpu/loop_job.h"
#include "roofbeam/backend/cpu/proc_state.h"
#include "roofbeam/backend/cpu/team.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

constexpr Bytes kLeastLoad{64.0 * 1024 * 1024};

class CpuKernel : public Kernel {
 public:
  CpuKernel(std::unique_ptr<Job> job, std::unique_ptr<Team> team)
      : job_(std::move(job)), team_(std::move(team)) {}

  Status begin() { return team_->set_up(*job_); }
  Result<Spans> run(int repeats, const StopToken& stop) override {
    return team_->run(*job_, repeats, stop);
  }
  Result<Check> check(const StopToken&) override { return job_->check(); }
  Shape executed_shape() const override { return job_->executed_shape(); }

 private:
  std::unique_ptr<Job> job_;
  std::unique_ptr<Team> team_;  // after the job, so that it ends first
};

class CpuBackend : public Backend {
 public:
  explicit CpuBackend(Device cpu) : cpu_(std::move(cpu)) {}

  std::string name() const override { return "cpu"; }
  std::vector<Device> devices() override { return {cpu_}; }
  std::vector<Missing> missing() override { return {}; }

  std::vector<Variant> variants(const Device& device, const Problem& problem) override {
    std::vector<Variant> found;
    if (device.id != cpu_.id) return found;
    for (const CpuRow& row : cpu_rows()) {
      if (usable(row, problem)) {
        const bool lesson = row.kernel == "matmul";
        found.push_back({std::string(row.variant), std::string(row.sentence), lesson});
      }
    }
    return found;
  }

  Result<std::unique_ptr<Kernel>> prepare(const Device& device, const Problem& problem,
                                          const Variant& variant, const Placement& placement,
                                          const StopToken&) override {
    const Bytes available = device.box.limits.memory_available;
    const int readers = problem.spec->name == "chase_loaded" ? placement.threads() - 1 : 0;
    const Bytes load = readers > 0 ? load_of(device.box, problem, readers) : Bytes(0);
    const Bytes needed = bytes_held(problem) + load * readers;
    if (available > Bytes(0) && needed > available) {
      return failed(format("{} needs {} and {} is available", problem.spec->name,
                           show_binary(needed), show_binary(available)),
                    "", "choose a smaller size");
    }
    for (const CpuRow& row : cpu_rows()) {
      if (row.variant != variant.name || !usable(row, problem)) continue;
      auto job = row.make(problem, placement.threads(), load);
      if (!job) return fail(job.error());
      auto team = Team::start(placement);
      if (!team) return fail(team.error());
      auto kernel = std::make_unique<CpuKernel>(std::move(*job), std::move(*team));
      if (auto ready = kernel->begin(); !ready) return fail(ready.error());
      return kernel;
    }
    return failed(format("no way called {} to compute {} in {} here", variant.name,
                         problem.spec->name, roofbeam::name(problem.dtype)));
  }

  DeviceState state(const Device&, const Placement& placement) override {
    return read_proc_state(placement.cpus);
  }

 private:
  bool usable(const CpuRow& row, const Problem& problem) const {
    return row.kernel == problem.spec->name && row.dtype == problem.dtype &&
           has_features(cpu_.box.features, row.features);
  }

  // The probes hold what they pass over.
  static Bytes bytes_held(const Problem& problem) {
    return problem.spec->name == "matmul" ? loop_bytes(problem) : problem.work().footprint;
  }

  // What each reader of chase_loaded reads: more than the caches hold, so that it comes from
  // memory; less where half of what is left is not enough for all, but never less than the caches.
  static Bytes load_of(const Box& box, const Problem& problem, int readers) {
    const Bytes cache = box.topology.last_level_cache();
    const Bytes wish = std::max(kLeastLoad, cache * 2);
    const Bytes available = box.limits.memory_available;
    if (available == Bytes(0)) return wish;
    const Bytes left = (available - bytes_held(problem)) * (0.5 / readers);
    return std::max(std::min(wish, left), std::max(cache, kLeastLoad * 0.25));
  }

  Device cpu_;
};

}  // namespace

Device cpu_device(Box box) {
  Device device;
  device.id = "cpu";
  device.kind = DeviceKind::cpu;
  device.name = box.topology.cpu_name;
  device.identity = "cpu:" + box.topology.cpu_name;
  device.box = std::move(box);
  return device;
}

std::unique_ptr<Backend> open_cpu_backend(const Device& cpu, const StopToken&) {
  return std::make_unique<CpuBackend>(cpu);
}

}  // namespace roofbeam
