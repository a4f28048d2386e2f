#include "strata/core/ops/cast.h"

#include <utility>

#include "ops/all.h"
#include "strata/core/ops/bit_cast.h"
#include "strata/hir/ops/cast_like.h"
#include "strata/hir/ops/elementwise.h"

namespace strata::onnx {
namespace {

/// Names of types as version 1 gave them.
constexpr std::pair<std::string_view, DatumType> kTypeNames[] = {
    {"BOOL", DatumType::boolean}, {"DOUBLE", DatumType::f64}, {"FLOAT", DatumType::f32},
    {"FLOAT16", DatumType::f16},  {"INT16", DatumType::i16},  {"INT32", DatumType::i32},
    {"INT64", DatumType::i64},    {"INT8", DatumType::i8},    {"STRING", DatumType::string},
    {"UINT16", DatumType::u16},   {"UINT32", DatumType::u32}, {"UINT64", DatumType::u64},
    {"UINT8", DatumType::u8},
};

DatumType named_type(NodeArgs& node) {
  const std::string name = node.text("to", "");
  for (const auto& [known, type] : kTypeNames)
    if (known == name) return type;
  fail(ErrorKind::invalid_model, in_quotes(name), " is no element type");
}

Overflow overflow(NodeArgs& node) {
  if (node.version() < 19) return Overflow::saturate;
  return node.flag("saturate", true) ? Overflow::saturate : Overflow::to_infinity_or_nan;
}

FloatRounding rounding(NodeArgs& node) {
  if (node.version() < 24) return FloatRounding::nearest_even;
  const std::string mode = node.text("round_mode", "up");
  check(mode == "up" || mode == "down" || mode == "nearest", "a cast does not round ",
        in_quotes(mode));
  if (mode == "nearest") return FloatRounding::nearest_even;
  return mode == "up" ? FloatRounding::up : FloatRounding::down;
}

hir::InferenceOp parse_cast(NodeArgs& node) {
  node.expect_inputs(1, 1);
  const DatumType to = node.version() == 1 ? named_type(node) : node.required_dtype("to");
  return hir::Elementwise{Cast{to, overflow(node), rounding(node)}, hir::Typing::other};
}

hir::InferenceOp parse_cast_like(NodeArgs& node) {
  node.expect_inputs(2, 2);
  return hir::CastLike{overflow(node), rounding(node)};
}

hir::InferenceOp parse_bit_cast(NodeArgs& node) {
  node.expect_inputs(1, 1);
  return hir::Elementwise{BitCast{node.required_dtype("to")}, hir::Typing::other};
}

}  // namespace

void register_cast(Registry& r) {
  r.add("BitCast", {26}, parse_bit_cast);
  r.add("Cast", {1, 6, 9, 13, 19, 21, 23, 24, 25, 28}, parse_cast);
  r.add("CastLike", {15, 19, 21, 23, 24, 25}, parse_cast_like);
}

}  // namespace strata::onnx
