// SPDX-License-Identifier: Apache-2.0
// Rows of f32 into as many others. Every row begins at a multiple of 64 bytes, and so does what is
// kept free between them: kGridRim elements or more.
#pragma once

#include <cstdint>

namespace roofbeam {

struct GridArrays {
  const float* in = nullptr;  // stencil: with a row above, one below, and an element each side
  float* out = nullptr;
  const float* gamma = nullptr;  // layer_norm: an element for each column
  const float* beta = nullptr;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t stride = 0;  // elements from one row to the next, of both
};

using GridBlock = void (*)(const GridArrays& arrays);

constexpr std::int64_t kGridRim = 16;
constexpr float kLayerNormEpsilon = 1e-5F;  // added to the variance
// stencil: of the point itself, and of each of its four neighbours.
constexpr float kStencilCentre = 0.5F;
constexpr float kStencilSide = 0.125F;

}  // namespace roofbeam
