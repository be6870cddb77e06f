// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/gemm_backend.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "roofbeam/backend/cpu/proc_state.h"
#include "roofbeam/backend/gemm/kernel_settings.h"
#include "roofbeam/backend/gemm/library_process.h"
#include "roofbeam/backend/gemm/protocol.h"
#include "roofbeam/backend/gemm/spawn.h"
#include "roofbeam/base/clock.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

struct LibraryRow {
  std::string_view name;     // as --library takes it; the worker is roofbeam-gemm-<name>
  std::string_view title;    // as its makers write it
  std::string_view package;  // Debian's, to build the worker with
  std::string_view hint;     // what to try where it fails
};

// Best guess first.
constexpr std::array kLibraries = {
    LibraryRow{"onednn", "oneDNN", "libdnnl-dev",
               "try another --library, or ONEDNN_MAX_CPU_ISA=AVX2 for other kernels"},
    LibraryRow{"openblas", "OpenBLAS", "libopenblas-pthread-dev",
               "try another --library, or OPENBLAS_CORETYPE=Haswell for other kernels"},
};

constexpr Seconds kDescribeLimit(10);
constexpr Seconds kAnswerLimit(30);         // of the other requests that are no product, and
constexpr ByteRate kSlowestHandling(20e6);  // for every byte of the operands they touch
// A product slower than this is taken for one that will never end. Plain loops on a CPU under an
// emulator are faster.
constexpr FlopRate kSlowestProduct(1e7);
constexpr std::string_view kProgramPrefix = "roofbeam-gemm-";

// A library's thread pool and code need this much; with less some hang at load instead of failing.
constexpr Bytes kLeastAddressSpace(512.0 * 1024 * 1024);

Bytes address_space() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return Bytes(1e18);
  return Bytes(static_cast<double>(limit.rlim_cur));
}

Seconds handling_limit(Bytes operands) {
  return kAnswerLimit + operands / kSlowestHandling;
}

// Where workers are looked for, in order. ROOFBEAM_WORKER_DIR wins over all.
std::vector<std::string> worker_folders() {
  if (const char* chosen = std::getenv("ROOFBEAM_WORKER_DIR"); chosen != nullptr && *chosen != 0) {
    return {chosen};
  }
  std::error_code code;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", code);
  if (code) return {};
  const auto folder = self.parent_path();
  return {folder.string(), (folder.parent_path() / "libexec" / "roofbeam").string()};
}

struct Located {
  std::optional<WorkerProgram> program;
  std::string why;  // it was not found
};

Located locate(const LibraryRow& row) {
  const std::string file = std::string(kProgramPrefix) + std::string(row.name);
  const std::vector<std::string> folders = worker_folders();
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + file;
    if (::access(path.c_str(), X_OK) == 0) {
      return {WorkerProgram{path, std::string(row.title), std::string(row.hint)}, ""};
    }
  }
  return {std::nullopt, format("{} is not in {}", file, join(folders, " or "))};
}

class GemmKernel : public Kernel {
 public:
  GemmKernel(std::shared_ptr<LibraryProcess> process, std::string path, const Problem& problem)
      : process_(std::move(process)), path_(std::move(path)), problem_(problem) {}

  Result<Spans> run(int repeats, const StopToken& stop) override {
    Spans spans;
    std::vector<Span>& worker = spans.workers.emplace_back();
    while (repeats > 0) {
      const int now = std::min(repeats, kMostWorkerRepeats);
      Span window{monotonic_ns(), 0};
      const Seconds limit = kAnswerLimit + now * (problem_.work().flops / kSlowestProduct);
      auto reply = ask(run_request(now), limit, stop);
      if (!reply) return fail(reply.error());
      window.end_ns = monotonic_ns();
      auto part = spans_from(*reply, now, window, path_);
      if (!part) return fail(part.error());
      worker.insert(worker.end(), part->begin(), part->end());
      repeats -= now;
    }
    return spans;
  }

  Result<Check> check(const StopToken& stop) override {
    auto reply = ask(check_request(), handling_limit(problem_.work().footprint), stop);
    if (!reply) return fail(reply.error());
    return check_from(*reply, path_);
  }

  Shape executed_shape() const override { return problem_.shape; }

 private:
  Result<Json> ask(const Json& request, std::optional<Seconds> limit, const StopToken& stop) {
    auto reply = process_->ask(request, limit, stop);
    if (!reply) {
      Error error = reply.error();
      if (error.code != ErrorCode::interrupted) {
        const Shape& s = problem_.shape;
        error.what = format("the {} product of m {}, n {}, k {} failed: {}", name(problem_.dtype),
                            s.m, s.n, s.k, error.what);
      }
      return fail(std::move(error));
    }
    if (auto ok = reply_from(*reply, path_); !ok) return fail(ok.error());
    return reply;
  }

  std::shared_ptr<LibraryProcess> process_;
  std::string path_;
  Problem problem_;
};

class GemmBackend : public Backend {
 public:
  GemmBackend(const Device& cpu, const StopToken& stop) : cpu_(cpu), stop_(stop) {}

  std::string name() const override { return "gemm"; }

  std::vector<Device> devices() override {
    for (const LibraryRow& row : kLibraries) {
      if (locate(row).program) return {cpu_};
    }
    return {};
  }

  std::vector<Missing> missing() override;
  std::vector<Variant> variants(const Device& device, const Problem& problem) override;
  Result<std::unique_ptr<Kernel>> prepare(const Device& device, const Problem& problem,
                                          const Variant& variant, const Placement& placement,
                                          const StopToken& stop) override;

  // The scheduler's figures, and the CPU time of workers that still live: they count among our
  // children only once they have ended, and would pass for neighbours until then.
  DeviceState state(const Device&, const Placement& placement) override {
    DeviceState state = read_proc_state(placement.cpus);
    if (!state.own_s) return state;
    for (const auto& worker : workers_) {
      if (auto living = worker.lock()) *state.own_s += living->cpu_time().value();
    }
    return state;
  }

 private:
  // What a worker says of itself, asked once; an error is remembered too.
  const Result<WorkerDescription>& description(std::size_t library, const WorkerProgram& program);
  // A new worker that has been checked to speak our protocol.
  Result<std::shared_ptr<LibraryProcess>> start(const WorkerProgram& program,
                                                const std::vector<int>& cpus,
                                                const Setting& setting,
                                                WorkerDescription& description,
                                                const StopToken& stop);

  Device cpu_;
  StopToken stop_;
  std::array<std::optional<Result<WorkerDescription>>, kLibraries.size()> descriptions_;
  std::vector<std::weak_ptr<LibraryProcess>> workers_;
};

std::vector<Missing> GemmBackend::missing() {
  std::vector<Missing> list;
  for (std::size_t i = 0; i < kLibraries.size(); ++i) {
    const LibraryRow& row = kLibraries[i];
    const Located located = locate(row);
    if (!located.program) {
      list.push_back({std::string(row.name), located.why,
                      format("build roofbeam where {} is installed", row.package)});
    } else if (descriptions_[i] && !*descriptions_[i]) {
      const Error& error = descriptions_[i]->error();
      list.push_back({std::string(row.name), error.what, error.hint});
    }
  }
  return list;
}

Result<std::shared_ptr<LibraryProcess>> GemmBackend::start(const WorkerProgram& program,
                                                           const std::vector<int>& cpus,
                                                           const Setting& setting,
                                                           WorkerDescription& description,
                                                           const StopToken& stop) {
  auto started = LibraryProcess::start(program, cpus, setting);
  if (!started) return fail(started.error());
  std::shared_ptr<LibraryProcess> process = std::move(*started);
  auto reply = process->ask(describe_request(), kDescribeLimit, stop);
  if (!reply) return fail(reply.error());
  if (auto ok = reply_from(*reply, program.path); !ok) return fail(ok.error());
  auto described = description_from(*reply, program.path);
  if (!described) return fail(described.error());
  description = std::move(*described);
  return process;
}

const Result<WorkerDescription>& GemmBackend::description(std::size_t library,
                                                          const WorkerProgram& program) {
  std::optional<Result<WorkerDescription>>& known = descriptions_[library];
  if (!known && address_space() < kLeastAddressSpace) {
    known = failed(format("libraries are not started in an address space of under {}",
                          show_binary(kLeastAddressSpace)),
                   program.path, "raise the limit (`ulimit -v`)");
  }
  if (!known) {
    WorkerDescription described;
    auto process = start(program, {}, {}, described, stop_);
    known = process ? Result<WorkerDescription>(std::move(described)) : fail(process.error());
  }
  return *known;
}

std::vector<Variant> GemmBackend::variants(const Device& device, const Problem& problem) {
  std::vector<Variant> list;
  if (device.id != cpu_.id || problem.spec == nullptr || problem.spec->name != "matmul")
    return list;
  for (std::size_t i = 0; i < kLibraries.size(); ++i) {
    const Located located = locate(kLibraries[i]);
    if (!located.program) continue;
    const Result<WorkerDescription>& found = description(i, *located.program);
    if (!found) continue;
    for (const SupportedType& type : found->types) {
      if (type.type != problem.dtype) continue;
      Variant variant;
      variant.name = std::string(kLibraries[i].name);
      variant.sentence = format("{} {}", found->library, found->version);
      if (!type.uses.empty()) variant.sentence += format(" ({})", type.uses);
      variant.others = settings_to_try(variant.name, cpu_.box.features, current_environment());
      list.push_back(std::move(variant));
    }
  }
  return list;
}

Result<std::unique_ptr<Kernel>> GemmBackend::prepare(const Device&, const Problem& problem,
                                                     const Variant& variant,
                                                     const Placement& placement,
                                                     const StopToken& stop) {
  const LibraryRow* row = nullptr;
  for (const LibraryRow& known : kLibraries) {
    if (known.name == variant.name) row = &known;
  }
  if (row == nullptr) return failed(format("no library is called \"{}\"", variant.name));
  const Located located = locate(*row);
  if (!located.program) {
    return failed(located.why, "", format("build roofbeam where {} is installed", row->package));
  }
  const Bytes needed = problem.work().footprint;
  const Bytes available = cpu_.box.limits.memory_available;
  if (available.value() > 0 && needed > available) {
    return failed(format("the operands need {}, and {} can be had", show_binary(needed),
                         show_binary(available)),
                  "", "try a smaller product, or bf16 instead of f32");
  }
  WorkerDescription ignored;
  auto process = start(*located.program, placement.cpus, variant.setting, ignored, stop);
  if (!process) return fail(process.error());
  const std::string& path = located.program->path;
  if (!variant.setting.variable.empty()) {
    if (auto right = prove(**process, path, problem.dtype, stop); !right)
      return fail(right.error());
  }
  const ProductTask task{problem.shape, problem.dtype, problem.operands, problem.seed};
  auto reply = (*process)->ask(prepare_request(task), handling_limit(needed), stop);
  if (!reply) return fail(reply.error());
  if (auto ok = reply_from(*reply, path); !ok) return fail(ok.error());
  if (auto prepared = prepared_from(*reply, path); !prepared) return fail(prepared.error());
  std::erase_if(workers_, [](const auto& worker) { return worker.expired(); });
  workers_.push_back(*process);
  return std::make_unique<GemmKernel>(*process, path, problem);
}

}  // namespace

std::unique_ptr<Backend> open_gemm_backend(const Device& cpu, const StopToken& stop) {
  return std::make_unique<GemmBackend>(cpu, stop);
}

}  // namespace roofbeam
