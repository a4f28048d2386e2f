#include "strata/hir/rules.h"

#include "equation.h"
#include "strata/core/ops/support.h"
#include "strata/core/rank.h"

namespace strata::hir {
namespace {

InferenceFact without_value(InferenceFact fact) {
  fact.value.reset();
  return fact;
}

/// The fact reduced to its type, without any size.
InferenceFact type_of(InferenceFact fact) {
  fact.shape.reset();
  fact.value.reset();
  fact.length.reset();
  if (fact.element) fact.element = std::make_shared<const InferenceFact>(type_of(*fact.element));
  return fact;
}

InferenceFact held_in(ValueType::Kind container, InferenceFact element) {
  InferenceFact out;
  out.kind = container;
  out.element = std::make_shared<const InferenceFact>(std::move(element));
  return out;
}

}  // namespace

Rules::Rules(std::string_view op, std::span<const InferenceFact* const> inputs,
             std::span<const InferenceFact* const> outputs)
    : op_(op), inputs_(inputs.size()), facts_(inputs) {
  facts_.insert(facts_.end(), outputs.begin(), outputs.end());
  changed_.resize(facts_.size());
}

PortProxy Rules::proxy(Port port) const {
  const FactRef fact(&facts_[place_of(port)]);
  return {port, {port, fact}, {{port}, 0, fact}, {port, fact}, fact};
}

PortProxy Rules::input(std::size_t i, std::string_view name) const {
  check(has_input(i), op_, " lacks its input ", name);
  return proxy({false, i});
}

PortProxy Rules::output(std::size_t i, std::string_view name) const {
  check(i < output_count(), op_, " lacks its output ", name);
  return proxy({true, i});
}

InferenceFact& Rules::change(Port port) {
  const std::size_t place = place_of(port);
  if (!changed_[place]) {
    changed_[place] = &own_.emplace_front(*facts_[place]);
    facts_[place] = changed_[place];
  }
  return *changed_[place];
}

void Rules::require(const Equation& equation) {
  try {
    switch (equation.part) {
      case Equation::Part::dtype:
        return require_dtypes(equation);
      case Equation::Part::type:
        return require_types(equation);
      case Equation::Part::rank:
        return require_ranks(equation);
      case Equation::Part::dim:
        return require_dims(equation);
      case Equation::Part::shape:
        return require_shapes(equation);
    }
  } catch (Error& error) {
    throw error.in(cat("rule ", equation.to_string()));
  }
}

void Rules::require_dtypes(const Equation& equation) {
  const Port left = equation.left.ports[0];
  const auto known = equation.dtype ? equation.dtype : now(equation.right.ports[0]).dtype;
  const bool has_it = now(left).kind == ValueType::Kind::tensor && now(left).dtype == known;
  if (known && !has_it) change(left) = unify(now(left), InferenceFact::tensor(known, std::nullopt));
  if (equation.dtype || !now(left).dtype) return;
  const Port right = equation.right.ports[0];
  if (now(right).dtype != now(left).dtype) change(right).dtype = now(left).dtype;
}

void Rules::require_types(const Equation& equation) {
  const Port left = equation.left.ports[0], right = equation.right.ports[0];
  const ValueType::Kind container = container_of(equation.right);
  const bool is_held = container != ValueType::Kind::tensor;
  // An optional holds just this value, so its shape is known too; a sequence may hold others.
  const auto shared = [&](const InferenceFact& fact) {
    return container == ValueType::Kind::optional ? without_value(fact) : type_of(fact);
  };
  const InferenceFact from_right =
      is_held ? held_in(container, shared(now(right))) : type_of(now(right));
  if (!is_held && from_right.kind && from_right == type_of(now(left))) return;
  change(left) = unify(now(left), from_right);
  if (!is_held)
    change(right) = unify(now(right), type_of(now(left)));
  else if (now(left).element)
    change(right) = unify(now(right), shared(*now(left).element));
}

void Rules::require_shapes(const Equation& equation) {
  const Port left = equation.left.ports[0];
  const auto& known = equation.shape ? equation.shape : now(equation.right.ports[0]).shape;
  const bool has_it = now(left).kind == ValueType::Kind::tensor && now(left).shape == known;
  if (known && !has_it) change(left) = unify(now(left), InferenceFact::tensor(std::nullopt, known));
  if (equation.shape) return;
  const Port right = equation.right.ports[0];
  if (now(right).shape != now(left).shape) change(right).shape = now(left).shape;
}

void Rules::require_ranks(const Equation& equation) {
  // What is missing on the left side, and its sum of known ranks.
  std::int64_t missing = equation.right.number - equation.left.number, sum = 0;
  std::optional<Port> unknown;
  bool unknown_is_left = false;
  std::size_t unknowns = 0;
  const auto collect = [&](const Equation::Side& side, bool is_left) {
    for (const Port port : side.ports) {
      if (const auto& shape = now(port).shape) {
        const auto rank = static_cast<std::int64_t>(shape->size());
        missing += is_left ? -rank : rank;
        sum += is_left ? rank : 0;
      } else {
        unknown = port;
        unknown_is_left = is_left;
        ++unknowns;
      }
    }
  };
  collect(equation.left, true);
  collect(equation.right, false);
  if (unknowns == 0) check(missing == 0, "ranks differ: ", sum, " is not ", sum + missing);
  if (unknowns != 1) return;
  const std::int64_t rank = unknown_is_left ? missing : -missing;
  check(rank >= 0 && rank <= kMostAxes, "a rank would be ", rank);
  change(*unknown).shape = PartialShape(static_cast<std::size_t>(rank));
}

void Rules::require_dims(const Equation& equation) {
  const auto part = [&](const Equation::Side& side) -> const std::optional<Dim>* {
    const auto& shape = now(side.ports[0]).shape;
    if (!shape) return nullptr;
    const auto place = hir::place_of(side.number, *shape);
    check(place.has_value(), "axis ", side.number, " is outside rank ", shape->size());
    return &(*shape)[*place];
  };
  const std::optional<Dim>* left = part(equation.left);
  const std::optional<Dim>* right = equation.dim ? nullptr : part(equation.right);
  std::optional<Dim> known = equation.dim;
  if (right && *right) known = *right;
  if (left && *left && known) {
    check(may_be_equal(**left, *known), "size ", **left, " is not ", *known);
    known = more_definite(**left, *known);
  } else if (left && *left) {
    known = *left;
  }
  if (!known) return;
  if (left) set_dim(equation.left, *known);
  if (right) set_dim(equation.right, *known);
}

void Rules::set_dim(const Equation::Side& side, const Dim& dim) {
  const PartialShape& shape = *now(side.ports[0]).shape;
  const std::size_t place = *hir::place_of(side.number, shape);
  if (shape[place] != dim) (*change(side.ports[0]).shape)[place] = dim;
}

}  // namespace strata::hir
