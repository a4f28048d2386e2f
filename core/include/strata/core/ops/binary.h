#pragma once

#include <array>

#include "strata/core/patch.h"

namespace strata {

/// A function of two elements.
enum class BinaryOp : std::uint8_t {
  add,
  bit_and,
  bit_or,
  bit_xor,
  div,
  equal,
  fmod,
  greater,
  greater_or_equal,
  less,
  less_or_equal,
  max,
  min,
  mod,
  mul,
  pow,
  shift_left,
  shift_right,
  sub,
  truth_and,
  truth_or,
  truth_xor,
};

constexpr auto enumerators(BinaryOp) {
  using enum BinaryOp;
  return std::to_array<std::pair<BinaryOp, std::string_view>>({
      {add, "add"},
      {bit_and, "bit_and"},
      {bit_or, "bit_or"},
      {bit_xor, "bit_xor"},
      {div, "div"},
      {equal, "equal"},
      {fmod, "fmod"},
      {greater, "greater"},
      {greater_or_equal, "greater_or_equal"},
      {less, "less"},
      {less_or_equal, "less_or_equal"},
      {max, "max"},
      {min, "min"},
      {mod, "mod"},
      {mul, "mul"},
      {pow, "pow"},
      {shift_left, "shift_left"},
      {shift_right, "shift_right"},
      {sub, "sub"},
      {truth_and, "and"},
      {truth_or, "or"},
      {truth_xor, "xor"},
  });
}

/// Applies a scalar function to each pair of elements; shapes broadcast numpy's way.
///
///   inputs   a, b   T[..], T[..]
///   output   T[..], or bool[..] for comparisons
///   source   the ONNX ops of these names
///
///   (C1) two inputs                (C2) one element type
///   (C3) an element type the function is defined on
///   (C4) shapes that broadcast
///   (C5) no integer divided by 0, nor 0 raised to a negative integer
///
/// Floats are computed in double and rounded once; integers wrap in their own width. div truncates
/// integers toward 0; mod has the sign of b, fmod that of a. min and max are NaN when either
/// operand is. A shift by a negative number or by more bits than the type has leaves the sign
/// alone: -1 for a negative number shifted right, else 0.
///
/// On symbolic integers div, mod and fmod need operands that are never negative, and a comparison
/// is known when the sign of the difference is.
struct Binary {
  static constexpr std::string_view name = "Binary";
  static constexpr bool evaluates_dims = true;
  BinaryOp op = BinaryOp::add;

  static constexpr auto attributes() { return std::tuple{attr("op", &Binary::op)}; }

  std::string display_name() const;
  FactList output_facts(Facts in) const;
  TensorList eval(Tensors in) const;
  Rewrite declutter(const NodeView& node) const;
};
static_assert(OpDef<Binary>);

}  // namespace strata
