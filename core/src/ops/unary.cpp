#include "strata/core/ops/unary.h"

#include "ops/number_view.h"
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

/// Each element of `in`, as the number it computes in, through `function`.
template <class In, class Out>
Tensor mapped(const Tensor& in, DatumType type, Out (*function)(In)) {
  MutableTensor out(type, in.shape());
  const NumberView<In> from(in);
  const MutableNumberView<Out> to(out);
  for (std::size_t i = 0; i < static_cast<std::size_t>(in.size()); ++i)
    to.set(i, function(from[i]));
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
  const DatumType type = in[0].dtype();
  switch (kind_of(type)) {
    case NumberKind::real:
      return {row.test ? mapped(in[0], DatumType::boolean, row.test)
                       : mapped(in[0], type, row.real)};
    case NumberKind::whole:
      return {mapped(in[0], type, row.whole)};
    case NumberKind::natural:
      return {mapped(in[0], type, row.natural)};
    case NumberKind::truth:
      return {mapped(in[0], type, row.truth)};
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
