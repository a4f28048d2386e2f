#include "strata/hir/rules.h"

#include <algorithm>

#include "strata/core/ops/support.h"

namespace strata::hir {
namespace {

std::string port_text(Port port) {
  return cat(port.is_output ? "outputs[" : "inputs[", port.index, ']');
}

std::string rank_text(const RankProxy& rank) {
  std::string out;
  for (const Port port : rank.ports) out += cat(out.empty() ? "" : " + ", port_text(port), ".rank");
  if (rank.offset != 0)
    out += cat(rank.offset > 0 ? " + " : " - ", rank.offset > 0 ? rank.offset : -rank.offset);
  return out;
}

std::vector<std::pair<Port, std::int64_t>> with_axes(const std::vector<Port>& ports) {
  std::vector<std::pair<Port, std::int64_t>> out;
  for (const Port port : ports) out.emplace_back(port, 0);
  return out;
}

std::string dim_text(const DimProxy& dim) {
  return cat(port_text(dim.port), ".shape[", dim.axis, ']');
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

Equation operator==(const DtypeProxy& a, const DtypeProxy& b) {
  return {.part = Equation::Part::dtype,
          .text = cat(port_text(a.port), ".dtype == ", port_text(b.port), ".dtype"),
          .left = {{a.port, 0}},
          .right = {{b.port, 0}}};
}

Equation operator==(const DtypeProxy& a, DatumType b) {
  return {.part = Equation::Part::dtype,
          .text = cat(port_text(a.port), ".dtype == ", b),
          .left = {{a.port, 0}},
          .dtype = b};
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
  return {.part = Equation::Part::rank,
          .text = cat(rank_text(a), " == ", rank_text(b)),
          .left = with_axes(a.ports),
          .right = with_axes(b.ports),
          .offset = b.offset - a.offset};
}

Equation operator==(const RankProxy& a, std::int64_t b) {
  return {.part = Equation::Part::rank,
          .text = cat(rank_text(a), " == ", b),
          .left = with_axes(a.ports),
          .offset = b - a.offset};
}

std::optional<Dim> DimProxy::known() const {
  if (!fact->shape) return std::nullopt;
  const auto at = place_of(axis, *fact->shape);
  return at ? (*fact->shape)[*at] : std::nullopt;
}

Equation operator==(const DimProxy& a, const DimProxy& b) {
  return {.part = Equation::Part::dim,
          .text = cat(dim_text(a), " == ", dim_text(b)),
          .left = {{a.port, a.axis}},
          .right = {{b.port, b.axis}}};
}

Equation operator==(const DimProxy& a, const Dim& b) {
  return {.part = Equation::Part::dim,
          .text = cat(dim_text(a), " == ", b),
          .left = {{a.port, a.axis}},
          .dim = b};
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
  return {.part = Equation::Part::shape,
          .text = cat(port_text(a.port), ".shape == ", port_text(b.port), ".shape"),
          .left = {{a.port, 0}},
          .right = {{b.port, 0}}};
}

Equation operator==(const ShapeProxy& a, const PartialShape& b) {
  return {.part = Equation::Part::shape,
          .text = cat(port_text(a.port), ".shape == ", partial_text(b)),
          .left = {{a.port, 0}},
          .shape = b};
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
  return {.part = Equation::Part::type,
          .text = cat(port_text(a.port), ".type == ", port_text(b.port), ".type"),
          .left = {{a.port, 0}},
          .right = {{b.port, 0}}};
}

Rules::Rules(std::string_view op, std::vector<InferenceFact> inputs,
             std::vector<InferenceFact> outputs, std::vector<bool> present)
    : op_(op),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)),
      present_(std::move(present)) {}

PortProxy Rules::proxy(Port port) const {
  const InferenceFact* fact = port.is_output ? &outputs_[port.index] : &inputs_[port.index];
  return {port, {port, fact}, {{port}, 0, fact}, {port, fact}, fact};
}

PortProxy Rules::input(std::size_t i, std::string_view name) const {
  check(has_input(i), op_, " lacks its input ", name);
  return proxy({false, i});
}

PortProxy Rules::output(std::size_t i, std::string_view name) const {
  check(i < outputs_.size(), op_, " lacks its output ", name);
  return proxy({true, i});
}

void Rules::require(const Equation& equation) {
  try {
    InferenceFact& left = at(equation.left[0].first);
    switch (equation.part) {
      case Equation::Part::dtype: {
        const auto known = equation.dtype ? equation.dtype : at(equation.right[0].first).dtype;
        if (known) left = unify(left, InferenceFact::tensor(known, std::nullopt));
        if (!equation.dtype && left.dtype) at(equation.right[0].first).dtype = left.dtype;
        return;
      }
      case Equation::Part::type: {
        InferenceFact& right = at(equation.right[0].first);
        const auto without_sizes = [](InferenceFact fact) {
          fact.shape.reset(), fact.value.reset(), fact.length.reset();
          return fact;
        };
        const InferenceFact from_left = without_sizes(left), from_right = without_sizes(right);
        left = unify(left, from_right);
        right = unify(right, from_left);
        return;
      }
      case Equation::Part::rank:
        return require_ranks(equation);
      case Equation::Part::dim:
        return require_dims(equation);
      case Equation::Part::shape: {
        const auto& known = equation.shape ? equation.shape : at(equation.right[0].first).shape;
        if (known) left = unify(left, InferenceFact::tensor(std::nullopt, known));
        if (!equation.shape) at(equation.right[0].first).shape = left.shape;
        return;
      }
    }
  } catch (Error& error) {
    throw error.in(cat("rule ", equation.text));
  }
}

void Rules::require_ranks(const Equation& equation) {
  std::int64_t missing = equation.offset;  // what the unknown rank must make up for
  std::int64_t sum = 0;                    // of the left side
  InferenceFact* unknown = nullptr;
  bool unknown_is_left = false;
  std::size_t unknowns = 0;
  const auto collect = [&](const auto& side, bool is_left) {
    for (const auto& [port, axis] : side) {
      InferenceFact& fact = at(port);
      if (fact.shape) {
        const auto rank = static_cast<std::int64_t>(fact.shape->size());
        missing += is_left ? -rank : rank;
        sum += is_left ? rank : 0;
      } else {
        unknown = &fact, unknown_is_left = is_left, ++unknowns;
      }
    }
  };
  collect(equation.left, true);
  collect(equation.right, false);
  if (unknowns == 0) check(missing == 0, "ranks differ: ", sum, " is not ", sum + missing);
  if (unknowns != 1) return;
  const std::int64_t rank = unknown_is_left ? missing : -missing;
  check(rank >= 0, "a rank would be ", rank);
  unknown->shape = PartialShape(static_cast<std::size_t>(rank));
}

void Rules::require_dims(const Equation& equation) {
  const auto part = [&](const std::pair<Port, std::int64_t>& side) -> std::optional<Dim>* {
    InferenceFact& fact = at(side.first);
    if (!fact.shape) return nullptr;
    const auto place = place_of(side.second, *fact.shape);
    check(place.has_value(), "axis ", side.second, " is outside rank ", fact.shape->size());
    return &(*fact.shape)[*place];
  };
  std::optional<Dim>* left = part(equation.left[0]);
  std::optional<Dim>* right = equation.dim ? nullptr : part(equation.right[0]);
  std::optional<Dim> known = equation.dim;
  if (right && *right) known = *right;
  if (left && *left && known) {
    check(may_be_equal(**left, *known), "size ", **left, " is not ", *known);
    known = more_definite(**left, *known);
  } else if (left && *left) {
    known = *left;
  }
  if (!known) return;
  if (left) *left = known;
  if (right) *right = known;
}

}  // namespace strata::hir
