#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// Runs one of two bodies.
///
///   inputs   the condition, bool of one element; then the captured values, in the order of both
///            bodies' inputs
///   outputs  those of the body that runs: any Value type
///   source   ONNX If-25
///
///   (C1) a bool condition              (C2) two bodies that may take every captured value
///   (C3) equally many outputs in both  (C4) equal types, output by output
///
/// Output facts are those of both bodies joined: dims that differ become fresh symbols, ranks that
/// differ open shapes.
struct If {
  static constexpr std::string_view name = "If";
  Body then_body;
  Body else_body;

  static constexpr auto attributes() {
    return std::tuple{attr("then_body", &If::then_body), attr("else_body", &If::else_body)};
  }

  FactList output_facts(Facts in) const;
  std::unique_ptr<OpState> state(StateContext& context) const;
  Cost cost(Facts in, Facts out) const;
};
static_assert(OpDef<If>);

}  // namespace strata
