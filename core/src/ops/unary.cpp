#include "strata/core/ops/unary.h"

#include "ops/number_kinds.h"
#include "ops/unary_rows.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

bool is_defined_on(const UnaryRow& row, DatumType type) {
  switch (kind_of(type)) {
    case NumberKind::real:
      return row.real != nullptr || row.test != nullptr;
    case NumberKind::whole:
      return row.whole != nullptr;
    case NumberKind::natural:
      return row.natural != nullptr;
    case NumberKind::truth:
      return row.truth != nullptr;
    case NumberKind::symbolic:
      return row.symbolic != nullptr;
    case NumberKind::none:
      return false;
  }
  return false;
}

/// Each element of `in` through `function`, which takes the widest type of its kind.
template <class Wide>
Tensor mapped(const Tensor& in, Wide (*function)(Wide)) {
  MutableTensor out(in.dtype(), in.shape());
  visit_kind<Wide>(in.dtype(), [&]<class T>(TypeTag<T>) {
    std::ranges::transform(in.as<T>(), out.as<T>().begin(),
                           [&](T x) { return narrowed<T>(function(widened(x))); });
  });
  return std::move(out).freeze();
}

Tensor tested(const Tensor& in, bool (*test)(double)) {
  MutableTensor out(DatumType::boolean, in.shape());
  visit_kind<double>(in.dtype(), [&]<class T>(TypeTag<T>) {
    std::ranges::transform(in.as<T>(), out.as<bool>().begin(),
                           [&](T x) { return test(widened(x)); });
  });
  return std::move(out).freeze();
}

Tensor mapped_dims(const Tensor& in, Dim (*function)(const Dim&)) {
  MutableTensor out(DatumType::dim, in.shape());
  std::ranges::transform(in.as<Dim>(), out.as<Dim>().begin(), function);
  return std::move(out).freeze();
}

}  // namespace

std::string Unary::display_name() const { return title_case(name_of(op)); }

FactList Unary::output_facts(Facts in) const {
  const auto called = [&] { return display_name(); };
  check(in.size() == 1, "(C1) ", called, " takes 1 input, ", in.size(), " given");
  const UnaryRow& row = unary_row(op);
  check(is_defined_on(row, in[0].dtype), "(C2) ", called, " is not defined on ", in[0].dtype);
  return {Fact::tensor(row.test ? DatumType::boolean : in[0].dtype, in[0].shape)};
}

TensorList Unary::eval(Tensors in) const {
  const auto called = [&] { return display_name(); };
  const UnaryRow& row = unary_row(op);
  check_data(is_defined_on(row, in[0].dtype()), "(C2) ", called, " is not defined on ",
             in[0].dtype());
  switch (kind_of(in[0].dtype())) {
    case NumberKind::real:
      return {row.test ? tested(in[0], row.test) : mapped(in[0], row.real)};
    case NumberKind::whole:
      return {mapped(in[0], row.whole)};
    case NumberKind::natural:
      return {mapped(in[0], row.natural)};
    case NumberKind::truth:
      return {mapped(in[0], row.truth)};
    default:
      return {mapped_dims(in[0], row.symbolic)};
  }
}

/// f(f(x)) -> x for neg, not, bitwise_not
Rewrite Unary::declutter(const NodeView& node) const {
  if (op != UnaryOp::neg && op != UnaryOp::truth_not && op != UnaryOp::bitwise_not)
    return no_change;
  const Unary* inner = node.producer_as<Unary>(0);
  if (!inner || inner->op != op) return no_change;
  return bypass(node, node.producer(0).input(0));
}

}  // namespace strata
