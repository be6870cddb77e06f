// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/kernel/data_type.h"

#include <array>

#include "roofbeam/base/format.h"

namespace roofbeam {

const std::vector<DataTypeFacts>& data_types() {
  static const std::vector<DataTypeFacts> rows = {
      {DataType::f64, "f64", "fp64", 8, 0x1p-53},   {DataType::f32, "f32", "fp32", 4, 0x1p-24},
      {DataType::tf32, "tf32", "", 4, 0x1p-11},     {DataType::bf16, "bf16", "bfloat16", 2, 0x1p-8},
      {DataType::f16, "f16", "half", 2, 0x1p-11},   {DataType::fp8, "fp8", "e4m3", 1, 0x1p-4},
      {DataType::int8, "int8", "i8", 1, 0},         {DataType::int4, "int4", "i4", 0.5, 0},
      {DataType::nvfp4, "nvfp4", "", 0.5625, 0.25},  // 4 bits and an 8-bit scale for every 16
  };
  return rows;
}

const DataTypeFacts& facts(DataType type) {
  return data_types().at(static_cast<std::size_t>(type));
}

std::string_view name(DataType type) {
  return facts(type).name;
}

Result<DataType> data_type_from(std::string_view name) {
  std::vector<std::string> known;
  for (const DataTypeFacts& row : data_types()) {
    if (row.name == name || (!row.alias.empty() && row.alias == name)) return row.type;
    known.emplace_back(row.name);
  }
  if (name == "float32") return DataType::f32;
  if (name == "float64" || name == "double") return DataType::f64;
  if (name == "float16" || name == "fp16") return DataType::f16;
  return usage_error(format("\"{}\" is no data type", name), "--dtype", suggest(name, known));
}

const ElementFacts& facts(Element element) {
  static const std::array rows = {
      ElementFacts{Element::f64, "f64", 8, 0x1p-53},  ElementFacts{Element::f32, "f32", 4, 0x1p-24},
      ElementFacts{Element::bf16, "bf16", 2, 0x1p-8}, ElementFacts{Element::f16, "f16", 2, 0x1p-11},
      ElementFacts{Element::u8, "u8", 1, 0},          ElementFacts{Element::s8, "s8", 1, 0},
      ElementFacts{Element::s32, "s32", 4, 0},
  };
  return rows.at(static_cast<std::size_t>(element));
}

ProductElements product_elements(DataType type) {
  using enum Element;
  switch (type) {
    case DataType::f64:
      return {f64, f64, f64, f64};
    case DataType::bf16:
      return {bf16, bf16, bf16, f32};
    case DataType::f16:
      return {f16, f16, f16, f32};
    case DataType::int8:
      return {u8, s8, s32, s32};
    default:
      return {f32, f32, f32, f32};
  }
}

}  // namespace roofbeam
