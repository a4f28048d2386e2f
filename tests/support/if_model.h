#pragma once

#include <utility>
#include <vector>

#include "strata/core/ops/if.h"
#include "strata/core/ops/unary.h"
#include "support/models.h"
#include "support/op_case.h"

/// A model that is one If, for tests of its bodies.
namespace strata::tests {

inline const Fact kFlag = Fact::tensor(DatumType::boolean, Shape{});
inline const Fact kUnknownSize = float_fact(std::vector<Dim>{Dim::symbol("N")});

/// op(a), for an a of unknown size.
inline Body unary_body(UnaryOp op) {
  TypedModel body;
  const OutletId a = body.add_source("a", kUnknownSize);
  body.add_output("out", body.wire_one("value", Unary{op}, {a}));
  return std::make_shared<TypedModel>(std::move(body));
}

/// c ? then_body(in..) : else_body(in..), for a bool scalar c.
inline TypedModel choice(Body then_body, Body else_body, const std::vector<Fact>& captured) {
  TypedModel model(then_body->symbol_scope());
  OutletIds wires{model.add_source("c", kFlag)};
  for (const Fact& fact : captured)
    wires.push_back(model.add_source(cat("in", wires.size()), fact));
  const OutletIds out = model.wire("if", If{std::move(then_body), std::move(else_body)}, wires);
  for (std::size_t i = 0; i < out.size(); ++i) model.add_output(cat("out", i), out[i]);
  return model;
}

inline std::vector<const If*> ifs_of(const TypedModel& model) {
  std::vector<const If*> out;
  for (const TypedNode& node : model.nodes())
    if (!node.erased)
      if (const If* branch = node.op.as<If>()) out.push_back(branch);
  return out;
}

/// The first If of a model, or null.
inline const If* if_of(const TypedModel& model) {
  const auto all = ifs_of(model);
  return all.empty() ? nullptr : all.front();
}

}  // namespace strata::tests
