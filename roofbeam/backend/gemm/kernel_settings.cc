// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/backend/gemm/kernel_settings.h"

#include <algorithm>
#include <array>

#include "roofbeam/backend/gemm/protocol.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

// Around the tiles of kernels (4 … 64), one more and one less, thin ones and deep ones.
constexpr std::array kShapes = {
    Shape{1, 1, 1},     Shape{1, 64, 64},     Shape{64, 1, 64},     Shape{64, 64, 1},
    Shape{2, 3, 5},     Shape{7, 8, 9},       Shape{15, 16, 17},    Shape{17, 31, 13},
    Shape{31, 33, 32},  Shape{48, 48, 48},    Shape{63, 65, 64},    Shape{96, 1, 333},
    Shape{1, 257, 129}, Shape{100, 100, 100}, Shape{127, 129, 255}, Shape{128, 128, 128},
    Shape{3, 500, 700}, Shape{255, 257, 511}, Shape{40, 40, 4096},  Shape{320, 384, 256},
};
static_assert(kShapes.size() == 20);

constexpr Seconds kProofLimit(30);
constexpr std::uint64_t kProofSeed = 20;

bool has_all(const std::vector<std::string>& features, std::string_view needed) {
  for (const std::string& feature : split(needed, ' ')) {
    if (feature.empty()) continue;
    if (std::find(features.begin(), features.end(), feature) == features.end()) return false;
  }
  return true;
}

std::string value_in(const std::vector<std::string>& environment, std::string_view variable) {
  const std::string start = std::string(variable) + "=";
  for (const std::string& entry : environment) {
    if (entry.rfind(start, 0) == 0) return entry.substr(start.size());
  }
  return "";
}

Result<Check> product_in(LibraryProcess& process, const std::string& path, const ProductTask& task,
                         const StopToken& stop) {
  for (const Json& request : {prepare_request(task), run_request(1)}) {
    auto reply = process.ask(request, kProofLimit, stop);
    if (!reply) return fail(reply.error());
    if (auto ok = reply_from(*reply, path); !ok) return fail(ok.error());
  }
  auto reply = process.ask(check_request(), kProofLimit, stop);
  if (!reply) return fail(reply.error());
  if (auto ok = reply_from(*reply, path); !ok) return fail(ok.error());
  return check_from(*reply, path);
}

}  // namespace

// OpenBLAS names kernels after CPUs; a name that this build does not have leaves it as it was.
const std::vector<KernelSetting>& kernel_settings() {
  static const std::vector<KernelSetting> rows = {
      {"openblas", "OPENBLAS_CORETYPE", "", ""},
      {"openblas", "OPENBLAS_CORETYPE", "SapphireRapids",
       "avx512f avx512dq avx512bw avx512vl avx512_bf16 amx_bf16"},
      {"openblas", "OPENBLAS_CORETYPE", "Cooperlake",
       "avx512f avx512dq avx512bw avx512vl avx512_bf16"},
      {"openblas", "OPENBLAS_CORETYPE", "SkylakeX", "avx512f avx512dq avx512bw avx512vl"},
      {"openblas", "OPENBLAS_CORETYPE", "Zen", "avx2 fma"},
      {"openblas", "OPENBLAS_CORETYPE", "Haswell", "avx2 fma"},
      {"openblas", "OPENBLAS_CORETYPE", "Sandybridge", "avx"},
      {"openblas", "OPENBLAS_CORETYPE", "NEOVERSEV1", "asimd sve"},
      {"openblas", "OPENBLAS_CORETYPE", "NEOVERSEN1", "asimd"},
      {"onednn", "ONEDNN_MAX_CPU_ISA", "", ""},
      {"onednn", "DNNL_MAX_CPU_ISA", "", ""},
  };
  return rows;
}

std::vector<Setting> settings_to_try(std::string_view library,
                                     const std::vector<std::string>& features,
                                     const std::vector<std::string>& environment) {
  std::vector<Setting> found;
  for (const KernelSetting& row : kernel_settings()) {
    if (row.library != library || !has_all(features, row.features)) continue;
    const std::string now = value_in(environment, row.variable);
    if (now == row.value) continue;
    found.push_back({std::string(row.variable), std::string(row.value), now});
  }
  return found;
}

Status prove(LibraryProcess& process, const std::string& path, DataType dtype,
             const StopToken& stop) {
  for (const Shape& shape : kShapes) {
    auto check = product_in(process, path, {shape, dtype, Operands::random, kProofSeed}, stop);
    if (!check) return fail(check.error());
    if (!check->passed) {
      return failed(
          format("wrong at m {}, n {}, k {}: {}", shape.m, shape.n, shape.k, check->complaint),
          path, "keep the kernels it uses now");
    }
  }
  return {};
}

}  // namespace roofbeam
