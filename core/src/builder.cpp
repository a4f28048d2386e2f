#include "strata/core/builder.h"

namespace strata {
namespace {

void check_given(OutletId input) {
  check(!input.is_absent(), "an input that must be given is left out");
}

}  // namespace

std::optional<std::size_t> Builder::rank(OutletId wire) const {
  const Fact& f = fact(wire);
  return f.is_tensor() && f.shape.is_known() ? std::optional(f.shape.rank()) : std::nullopt;
}

std::string part_name(std::string_view node, const TypedOp& op) {
  return cat(node, '.', lower_case(op.display_name()));
}

const Fact& Builder::fact(OutletId wire) const {
  check_given(wire);
  return target_.fact_of(wire);
}

OutletIds Builder::wire(TypedOp op, const OutletIds& inputs) {
  for (const OutletId input : inputs) check_given(input);
  const std::string name = target_.needs_names() ? part_name(name_, op) : std::string();
  return target_.wire(name, std::move(op), inputs);
}

OutletId Builder::one(TypedOp op, const OutletIds& inputs) {
  const std::string_view kind = op.name();
  const OutletIds out = wire(std::move(op), inputs);
  require(out.size() == 1, ErrorKind::internal, kind, " has ", out.size(), " outputs, not one");
  return out[0];
}

OutletId Builder::constant(Value value) {
  return constant(std::make_shared<const Value>(std::move(value)));
}

OutletId Builder::constant(std::shared_ptr<const Value> value) {
  return one(Const{std::move(value)}, {});
}

OutletId Builder::integers(std::initializer_list<std::int64_t> values) {
  return integers(Shape(values));
}

OutletId Builder::integers(const Shape& values) {
  return constant(Tensor::vector<std::int64_t>(std::span<const std::int64_t>(values)));
}

OutletId Builder::scalar(double value, DatumType dtype) {
  return constant(cast(Tensor::scalar(value), dtype));
}

}  // namespace strata
