// SPDX-License-Identifier: Apache-2.0
// The data types work is done in, and what is known of each.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofbeam/base/result.h"
#include "roofbeam/base/units.h"

namespace roofbeam {

enum class DataType { f64, f32, tf32, bf16, f16, fp8, int8, int4, nvfp4 };

struct DataTypeFacts {
  DataType type;
  std::string_view name;
  std::string_view alias;  // another name people type; empty where there is none
  double bytes;            // of one stored element
  double unit_roundoff;    // half the gap between 1 and the next number; 0 for integers
};

const std::vector<DataTypeFacts>& data_types();
const DataTypeFacts& facts(DataType type);
std::string_view name(DataType type);
// Knows names and aliases; the error suggests the nearest.
Result<DataType> data_type_from(std::string_view name);

// How an element of a matrix lies in memory; bf16 is the upper half of an f32.
enum class Element { f64, f32, bf16, f16, u8, s8, s32 };

struct ElementFacts {
  Element element;
  std::string_view name;
  int bytes;
  double unit_roundoff;  // 0 for integers
};
const ElementFacts& facts(Element element);

// What a product in a data type is of. int8 is u8 times s8, summed in s32, as quantised networks
// have it: activations that are not negative, weights that are. bf16 and f16 are summed in f32 and
// rounded once.
struct ProductElements {
  Element a;
  Element b;
  Element c;
  Element sum;
};
// Of f64, f32, bf16, f16 and int8; other types have no product and count as f32.
ProductElements product_elements(DataType type);

}  // namespace roofbeam
