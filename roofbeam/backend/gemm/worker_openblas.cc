// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>
#include <sched.h>

#include <cstdint>
#include <limits>
#include <string>

#include "roofbeam/backend/gemm/worker_library.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH …": the second word.
std::string version() {
  const std::vector<std::string> words = split(openblas_get_config(), ' ');
  return words.size() > 1 ? words[1] : "";
}

// One thread a CPU, as OMP_PLACES does for OpenMP libraries. Thread n - 1 is the calling one. Where
// it fails, threads float among the CPUs this process may use.
void pin_threads() {
#ifdef OPENBLAS_OS_LINUX
  cpu_set_t allowed;
  const int threads = openblas_get_num_threads();
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) != threads) return;
  int thread = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    openblas_setaffinity(thread++, sizeof one, &one);
  }
#endif
}

class OpenBlas : public WorkerLibrary {
 public:
  WorkerDescription describe() override {
    // What it calls its kernels: the CPU they were written for, found at start or
    // OPENBLAS_CORETYPE.
    const std::string kernels = openblas_get_corename();
    return {"OpenBLAS", version(), {{DataType::f32, kernels}, {DataType::f64, kernels}}, "strict"};
  }

  Result<std::string> prepare(const Shape& shape, DataType type, void* a, void* b,
                              void* c) override {
    if (type != DataType::f32 && type != DataType::f64) {
      return failed(format("OpenBLAS computes f32 and f64 here, not {}", name(type)), "",
                    "use onednn");
    }
    for (std::int64_t side : {shape.m, shape.n, shape.k}) {
      if (side > std::numeric_limits<blasint>::max()) {
        return failed(format("OpenBLAS counts to {}, and a side is {}",
                             std::numeric_limits<blasint>::max(), side));
      }
    }
    pin_threads();
    m_ = static_cast<blasint>(shape.m);
    n_ = static_cast<blasint>(shape.n);
    k_ = static_cast<blasint>(shape.k);
    wide_ = type == DataType::f64;
    a_ = a;
    b_ = b;
    c_ = c;
    return std::string(openblas_get_corename());
  }

  Status multiply() override {
    if (wide_) {
      multiply(cblas_dgemm, 1.0);
    } else {
      multiply(cblas_sgemm, 1.0F);
    }
    return {};
  }

 private:
  template <class T, class Gemm>
  void multiply(Gemm gemm, T one) {
    gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m_, n_, k_, one, static_cast<const T*>(a_), k_,
         static_cast<const T*>(b_), n_, T{0}, static_cast<T*>(c_), n_);
  }

  blasint m_ = 0, n_ = 0, k_ = 0;
  bool wide_ = false;
  const void* a_ = nullptr;
  const void* b_ = nullptr;
  void* c_ = nullptr;
};

}  // namespace

std::unique_ptr<WorkerLibrary> open_library() {
  return std::make_unique<OpenBlas>();
}

}  // namespace roofbeam
