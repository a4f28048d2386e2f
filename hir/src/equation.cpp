#include "equation.h"

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

/// `inputs[0].type`, or `sequence(inputs[0].type)`, a container of it.
std::string type_text(const Equation::Side& side) {
  const std::string type = cat(port_text(side.ports[0]), ".type");
  if (side.number == 0) return type;
  const bool is_sequence = container_of(side) == ValueType::Kind::sequence;
  return cat(is_sequence ? "sequence(" : "optional(", type, ')');
}

std::string partial_text(const PartialShape& shape) {
  return InferenceFact::tensor(std::nullopt, shape).to_string().substr(1);
}

}  // namespace

std::optional<std::size_t> place_of(std::int64_t axis, const PartialShape& shape) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis >= rank) return std::nullopt;
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

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
      return cat(type_text(left), " == ", type_text(right));
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

}  // namespace strata::hir
