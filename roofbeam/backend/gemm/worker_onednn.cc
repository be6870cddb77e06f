// SPDX-License-Identifier: Apache-2.0
// oneDNN 2.6 and 3.x. Plain row-major memory for all three matrices, as PyTorch's matmul hands it
// over; a blocked layout of B would be faster for small products and is not what a caller has.
#include <algorithm>
#include <cstdint>
#include <dnnl.hpp>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "roofbeam/backend/gemm/worker_library.h"
#include "roofbeam/base/format.h"

namespace roofbeam {
namespace {

using dnnl::matmul;
using dnnl::memory;

// f64 is not among them: for products in it oneDNN has no CPU kernels.
constexpr DataType kTypes[] = {DataType::f32, DataType::bf16, DataType::int8, DataType::f16};

memory::data_type kind_of(Element element) {
  switch (element) {
    case Element::bf16:
      return memory::data_type::bf16;
    case Element::f16:
      return memory::data_type::f16;
    case Element::u8:
      return memory::data_type::u8;
    case Element::s8:
      return memory::data_type::s8;
    case Element::s32:
      return memory::data_type::s32;
    default:
      return memory::data_type::f32;
  }
}

memory::desc plain(std::int64_t rows, std::int64_t columns, Element element) {
  return {{rows, columns}, kind_of(element), memory::format_tag::ab};
}

std::string describe_error(const dnnl::error& problem) {
  if (problem.status == dnnl_out_of_memory) return "oneDNN found too little memory";
  if (problem.status == dnnl_unimplemented) return "oneDNN cannot compute this product on this CPU";
  return format("oneDNN failed: {} (status {})", problem.what(), static_cast<int>(problem.status));
}

class OneDnn : public WorkerLibrary {
 public:
  WorkerDescription describe() override {
    const dnnl_version_t* v = dnnl_version();
    WorkerDescription found{
        "oneDNN", format("{}.{}.{}", v->major, v->minor, v->patch), {}, "strict"};
    for (DataType type : kTypes) {
      try {
        found.types.push_back({type, plan({64, 64, 64}, type).impl_info_str()});
      } catch (const dnnl::error&) {
        // Not on this CPU, which is why it is not listed.
      }
    }
    return found;
  }

  Result<std::string> prepare(const Shape& shape, DataType type, void* a, void* b,
                              void* c) override {
    if (std::find(std::begin(kTypes), std::end(kTypes), type) == std::end(kTypes)) {
      return failed(format("oneDNN has no product in {} on a CPU", name(type)), "", "use openblas");
    }
    try {
      const matmul::primitive_desc planned = plan(shape, type);
      product_.emplace(planned);
      arguments_ = {{DNNL_ARG_SRC, memory(planned.src_desc(), engine_, a)},
                    {DNNL_ARG_WEIGHTS, memory(planned.weights_desc(), engine_, b)},
                    {DNNL_ARG_DST, memory(planned.dst_desc(), engine_, c)}};
      return std::string(planned.impl_info_str());
    } catch (const dnnl::error& problem) {
      return failed(describe_error(problem));
    }
  }

  Status multiply() override {
    try {
      product_->execute(stream_, arguments_);
      stream_.wait();
      return {};
    } catch (const dnnl::error& problem) {
      return failed(describe_error(problem));
    }
  }

 private:
  // Throws dnnl::error where there is no way to compute it.
  matmul::primitive_desc plan(const Shape& shape, DataType type) {
    const ProductElements elements = product_elements(type);
    const memory::desc a = plain(shape.m, shape.k, elements.a);
    const memory::desc b = plain(shape.k, shape.n, elements.b);
    const memory::desc c = plain(shape.m, shape.n, elements.c);
    // Named, so that ONEDNN_DEFAULT_FPMATH_MODE cannot turn f32 into bf16 behind our back.
    dnnl::primitive_attr strict;
    strict.set_fpmath_mode(dnnl::fpmath_mode::strict);
#if DNNL_VERSION_MAJOR >= 3
    return {engine_, a, b, c, strict};
#else
    return {matmul::desc(a, b, c), strict, engine_};
#endif
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  std::optional<matmul> product_;
  std::unordered_map<int, memory> arguments_;
};

}  // namespace

std::unique_ptr<WorkerLibrary> open_library() {
  return std::make_unique<OneDnn>();
}

}  // namespace roofbeam
