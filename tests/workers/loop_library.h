// SPDX-License-Identifier: Apache-2.0
// A library for tests: the plain loops, right in f32 and bf16. The bad workers spoil it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roofbeam/backend/gemm/worker_library.h"
#include "roofbeam/kernel/operands.h"

namespace roofbeam {

class LoopLibrary : public WorkerLibrary {
 public:
  WorkerDescription describe() override {
    return {"Loops", "1.0", {{DataType::f32, "loops"}, {DataType::bf16, ""}}, "strict"};
  }

  Result<std::string> prepare(const Shape& shape, DataType type, void* a, void* b,
                              void* c) override {
    shape_ = shape;
    type_ = type;
    a_ = a;
    b_ = b;
    c_ = c;
    return std::string("loops");
  }

  Status multiply() override {
    for (std::int64_t i = 0; i < shape_.m; ++i) {
      for (std::int64_t j = 0; j < shape_.n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < shape_.k; ++l) {
          sum += load(a_, i * shape_.k + l) * load(b_, l * shape_.n + j);
        }
        store(i * shape_.n + j, sum);
      }
    }
    return {};
  }

 protected:
  float load(const void* data, std::int64_t at) const {
    if (type_ == DataType::f32) return static_cast<const float*>(data)[at];
    return float_from_bf16(static_cast<const std::uint16_t*>(data)[at]);
  }
  void store(std::int64_t at, float value) {
    if (type_ == DataType::f32) {
      static_cast<float*>(c_)[at] = value;
    } else {
      static_cast<std::uint16_t*>(c_)[at] = bf16_from_float(value);
    }
  }

  Shape shape_;
  DataType type_ = DataType::f32;
  void* a_ = nullptr;
  void* b_ = nullptr;
  void* c_ = nullptr;
};

}  // namespace roofbeam
