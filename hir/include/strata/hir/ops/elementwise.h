#pragma once

#include "strata/hir/inference_op.h"

namespace strata::hir {

/// Whether an op's output has the element type of its input.
enum class Typing { same, other };

/// A core op of one input whose output has the input's shape.
struct Elementwise {
  static constexpr std::string_view name = "Elementwise";
  TypedOp op;
  Typing typing = Typing::same;

  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Elementwise>);

/// ONNX Identity, for values of any type.
struct Identity {
  static constexpr std::string_view name = "Identity";

  void rules(Rules& r) const;
  OutletIds wire(Builder&, const OutletIds& in) const { return {in[0]}; }
};
static_assert(InferenceOpDef<Identity>);

/// ONNX IsInf: of infinities of one sign or of both.
struct IsInf {
  static constexpr std::string_view name = "IsInf";
  bool positive = true;
  bool negative = true;

  static constexpr auto attributes() {
    return std::tuple{attr("positive", &IsInf::positive), attr("negative", &IsInf::negative)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<IsInf>);

/// ONNX Clip: max with the lower bound, then min with the upper one; bounds are inputs 1 and 2, or
/// numbers.
struct Clip {
  static constexpr std::string_view name = "Clip";
  std::optional<double> least;
  std::optional<double> greatest;

  static constexpr auto attributes() {
    return std::tuple{attr("least", &Clip::least), attr("greatest", &Clip::greatest)};
  }
  void rules(Rules& r) const;
  OutletIds wire(Builder& b, const OutletIds& in) const;
};
static_assert(InferenceOpDef<Clip>);

}  // namespace strata::hir
