#include "strata/hir/rules.h"

#include <algorithm>

#include "strata/core/ops/support.h"

namespace strata::hir {
namespace {

std::string port_text(Port port) {
  return cat(port.is_output ? "outputs[" : "inputs[", port.index, ']');
}

std::string rank_text(const Equation::Side& ranks) {
  std::string out;
  for (const Port port : ranks.ports)
    out += cat(out.empty() ? "" : " + ", port_text(port), ".rank");
  if (out.empty()) return cat(ranks.number);
  if (ranks.number != 0)
    out += cat(ranks.number > 0 ? " + " : " - ", ranks.number > 0 ? ranks.number : -ranks.number);
  return out;
}

std::string dim_text(const Equation::Side& dim) {
  return cat(port_text(dim.ports[0]), ".shape[", dim.number, ']');
}

std::string partial_text(const PartialShape& shape) {
  return InferenceFact::tensor(std::nullopt, shape).to_string().substr(1);
}

/// The place of a possibly negative axis, or nothing when it is outside the rank.
std::optional<std::size_t> place_of(std::int64_t axis, const PartialShape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

}  // namespace

std::string Equation::to_string() const {
  if (!shown_as.empty()) return shown_as;
  const bool is_constant = right.ports.empty();
  switch (part) {
    case Part::dtype:
      return cat(port_text(left.ports[0]), ".dtype == ",
                 is_constant ? cat(*dtype) : cat(port_text(right.ports[0]), ".dtype"));
    case Part::rank:
      return cat(rank_text(left), " == ", rank_text(right));
    case Part::dim:
      return cat(dim_text(left), " == ", is_constant ? cat(*dim) : dim_text(right));
    case Part::shape:
      return cat(port_text(left.ports[0]), ".shape == ",
                 is_constant ? partial_text(*shape) : cat(port_text(right.ports[0]), ".shape"));
    case Part::type:
      return cat(port_text(left.ports[0]), ".type == ", port_text(right.ports[0]), ".type");
  }
  fail(ErrorKind::internal, "an equation of an unknown part");
}

Equation operator==(const DtypeProxy& a, const DtypeProxy& b) {
  return {.part = Equation::Part::dtype, .left = {{a.port}}, .right = {{b.port}}};
}

Equation operator==(const DtypeProxy& a, DatumType b) {
  return {.part = Equation::Part::dtype, .left = {{a.port}}, .dtype = b};
}

std::optional<std::int64_t> RankProxy::known() const {
  if (ports.size() != 1 || !fact || !fact->shape) return std::nullopt;
  return static_cast<std::int64_t>(fact->shape->size()) + offset;
}

RankProxy operator+(RankProxy a, const RankProxy& b) {
  a.ports.insert(a.ports.end(), b.ports.begin(), b.ports.end());
  a.offset += b.offset;
  return a;
}
RankProxy operator+(RankProxy a, std::int64_t b) {
  a.offset += b;
  return a;
}
RankProxy operator-(RankProxy a, std::int64_t b) { return std::move(a) + -b; }

Equation operator==(const RankProxy& a, const RankProxy& b) {
  return {.part = Equation::Part::rank, .left = {a.ports, a.offset}, .right = {b.ports, b.offset}};
}

Equation operator==(const RankProxy& a, std::int64_t b) {
  return {.part = Equation::Part::rank, .left = {a.ports, a.offset}, .right = {{}, b}};
}

std::optional<Dim> DimProxy::known() const {
  if (!fact->shape) return std::nullopt;
  const auto at = place_of(axis, *fact->shape);
  return at ? (*fact->shape)[*at] : std::nullopt;
}

Equation operator==(const DimProxy& a, const DimProxy& b) {
  return {.part = Equation::Part::dim, .left = {{a.port}, a.axis}, .right = {{b.port}, b.axis}};
}

Equation operator==(const DimProxy& a, const Dim& b) {
  return {.part = Equation::Part::dim, .left = {{a.port}, a.axis}, .dim = b};
}

std::optional<std::vector<Dim>> ShapeProxy::known() const {
  if (!fact->shape) return std::nullopt;
  std::vector<Dim> dims;
  for (const auto& dim : *fact->shape) {
    if (!dim) return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

Equation operator==(const ShapeProxy& a, const ShapeProxy& b) {
  return {.part = Equation::Part::shape, .left = {{a.port}}, .right = {{b.port}}};
}

Equation operator==(const ShapeProxy& a, const PartialShape& b) {
  return {.part = Equation::Part::shape, .left = {{a.port}}, .shape = b};
}

Equation operator==(const ShapeProxy& a, const std::vector<Dim>& b) {
  return a == PartialShape(b.begin(), b.end());
}

const Tensor* PortProxy::value() const {
  if (!fact->value || !fact->value->is_tensor() || fact->value->tensor().dtype() == DatumType::dim)
    return nullptr;
  return &fact->value->tensor();
}

Equation type_equal(const PortProxy& a, const PortProxy& b) {
  return {.part = Equation::Part::type, .left = {{a.port}}, .right = {{b.port}}};
}

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
  const bool is_told = now(left).kind == ValueType::Kind::tensor && now(left).dtype == known;
  if (known && !is_told)
    change(left) = unify(now(left), InferenceFact::tensor(known, std::nullopt));
  if (equation.dtype || !now(left).dtype) return;
  const Port right = equation.right.ports[0];
  if (now(right).dtype != now(left).dtype) change(right).dtype = now(left).dtype;
}

void Rules::require_types(const Equation& equation) {
  const Port left = equation.left.ports[0], right = equation.right.ports[0];
  const auto without_sizes = [](InferenceFact fact) {
    fact.shape.reset(), fact.value.reset(), fact.length.reset();
    return fact;
  };
  const InferenceFact from_left = without_sizes(now(left)), from_right = without_sizes(now(right));
  if (from_left.kind && from_left == from_right) return;
  change(left) = unify(now(left), from_right);
  change(right) = unify(now(right), from_left);
}

void Rules::require_shapes(const Equation& equation) {
  const Port left = equation.left.ports[0];
  const auto& known = equation.shape ? equation.shape : now(equation.right.ports[0]).shape;
  const bool is_told = now(left).kind == ValueType::Kind::tensor && now(left).shape == known;
  if (known && !is_told)
    change(left) = unify(now(left), InferenceFact::tensor(std::nullopt, known));
  if (equation.shape) return;
  const Port right = equation.right.ports[0];
  if (now(right).shape != now(left).shape) change(right).shape = now(left).shape;
}

void Rules::require_ranks(const Equation& equation) {
  // What the unknown rank must make up for, and the sum of the left side.
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
        unknown = port, unknown_is_left = is_left, ++unknowns;
      }
    }
  };
  collect(equation.left, true);
  collect(equation.right, false);
  if (unknowns == 0) check(missing == 0, "ranks differ: ", sum, " is not ", sum + missing);
  if (unknowns != 1) return;
  const std::int64_t rank = unknown_is_left ? missing : -missing;
  check(rank >= 0, "a rank would be ", rank);
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
