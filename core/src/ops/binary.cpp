#include "strata/core/ops/binary.h"

#include <cmath>

#include "ops/binary_rows.h"
#include "ops/number_view.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

bool is_defined_on(const BinaryRow& row, DatumType type) {
  if (type == DatumType::string) return row.op == BinaryOp::equal;
  switch (kind_of(type)) {
    case NumberKind::real:
      return row.real || row.compare;
    case NumberKind::whole:
      return row.whole || row.compare;
    case NumberKind::natural:
      return row.natural || row.compare;
    case NumberKind::truth:
      return row.truth != nullptr;
    case NumberKind::symbolic:
      return row.symbolic || row.compare;
    case NumberKind::none:
      return false;
  }
  return false;
}

/// `function(x, y)` of the elements that meet when the operands are broadcast.
template <class In, class Out, class Function>
Tensor combined(Tensors in, const Function& function) {
  const Shape shape = broadcast(in[0].shape(), in[1].shape());
  MutableTensor out(datum_type_of<Out>, shape);
  const auto a = in[0].as<In>(), b = in[1].as<In>();
  auto to = out.as<Out>().begin();
  for_each_broadcast(shape, in[0].shape(), in[1].shape(), [&](std::int64_t i, std::int64_t j) {
    *to++ = function(a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(j)]);
  });
  return std::move(out).freeze();
}

/// As `combined`, of the numbers that the elements compute in.
template <class In, class Out, class Function>
Tensor combined_numbers(Tensors in, DatumType type, const Function& function) {
  const Shape shape = broadcast(in[0].shape(), in[1].shape());
  MutableTensor out(type, shape);
  const NumberView<In> a(in[0]), b(in[1]);
  const MutableNumberView<Out> to(out);
  std::size_t n = 0;
  for_each_broadcast(shape, in[0].shape(), in[1].shape(), [&](std::int64_t i, std::int64_t j) {
    to.set(n++, function(a[static_cast<std::size_t>(i)], b[static_cast<std::size_t>(j)]));
  });
  return std::move(out).freeze();
}

template <class Wide>
Tensor computed(Tensors in, Wide (*function)(Wide, Wide)) {
  return combined_numbers<Wide, Wide>(in, in[0].dtype(), function);
}

template <class Wide>
Tensor compared(Tensors in, bool (*compare)(std::partial_ordering)) {
  return combined_numbers<Wide, bool>(in, DatumType::boolean,
                                      [&](Wide a, Wide b) { return compare(a <=> b); });
}

/// What `compare` says whatever the sizes are; nothing where it depends on them.
std::optional<bool> compared_dims(const Dim& a, const Dim& b,
                                  bool (*compare)(std::partial_ordering)) {
  const DimRange range = SymbolScope().range(a - b);
  const bool may_be_less = !range.least || *range.least < 0;
  const bool may_be_greater = !range.greatest || *range.greatest > 0;
  const bool may_be_equal =
      (!range.least || *range.least <= 0) && (!range.greatest || *range.greatest >= 0);
  const auto known = [&](bool answer) {
    return (!may_be_less || compare(std::partial_ordering::less) == answer) &&
           (!may_be_greater || compare(std::partial_ordering::greater) == answer) &&
           (!may_be_equal || compare(std::partial_ordering::equivalent) == answer);
  };
  if (known(true)) return true;
  return known(false) ? std::optional(false) : std::nullopt;
}

/// Nothing where the sizes decide a comparison.
TensorList computed_on_dims(const BinaryRow& row, Tensors in) {
  const TensorList dims = with_common_type(in);
  if (row.symbolic) return {combined<Dim, Dim>(dims, row.symbolic)};
  bool all_known = true;
  Tensor out = combined<Dim, bool>(dims, [&](const Dim& a, const Dim& b) {
    const auto answer = compared_dims(a, b, row.compare);
    all_known &= answer.has_value();
    return answer.value_or(false);
  });
  return all_known ? TensorList{std::move(out)} : TensorList{};
}

/// Whether `fact` is a constant all of whose elements are `number`, and which does not stretch
/// `other`.
bool is_neutral(const Fact& fact, double number, const Fact& other) {
  const Tensor* constant = fact.constant();
  if (!constant || kind_of(constant->dtype()) == NumberKind::none || constant->size() != 1)
    return false;
  if (other.shape.is_open() ? constant->rank() != 0 : constant->rank() > other.shape.rank())
    return false;
  const double given = number_at(*constant, 0);
  return given == number && std::signbit(given) == std::signbit(number);  // -0 - -0 is 0
}

}  // namespace

std::string Binary::display_name() const { return title_case(name_of(op)); }

FactList Binary::output_facts(Facts in) const {
  const auto called = [&] { return display_name(); };
  check(in.size() == 2, "(C1) ", called, " takes 2 inputs, ", in.size(), " given");
  check(in[0].dtype == in[1].dtype, "(C2) ", called, " of ", in[0].dtype, " and ", in[1].dtype);
  const BinaryRow& row = binary_row(op);
  check(is_defined_on(row, in[0].dtype), "(C3) ", called, " is not defined on ", in[0].dtype);
  return {Fact::tensor(row.compare ? DatumType::boolean : in[0].dtype,
                       broadcast(in[0].shape, in[1].shape))};
}

TensorList Binary::eval(Tensors in) const {
  const auto called = [&] { return display_name(); };
  const BinaryRow& row = binary_row(op);
  const bool symbolic = in[0].dtype() == DatumType::dim || in[1].dtype() == DatumType::dim;
  const DatumType type = symbolic ? DatumType::dim : in[0].dtype();
  check_data(is_defined_on(row, type), "(C3) ", called, " is not defined on ", type);
  if (type == DatumType::string) return {combined<std::string, bool>(in, std::equal_to<>{})};
  switch (kind_of(type)) {
    case NumberKind::real:
      return {row.compare ? compared<double>(in, row.compare) : computed(in, row.real)};
    case NumberKind::whole:
      return {row.compare ? compared<std::int64_t>(in, row.compare) : computed(in, row.whole)};
    case NumberKind::natural:
      return {row.compare ? compared<std::uint64_t>(in, row.compare) : computed(in, row.natural)};
    case NumberKind::truth:
      return {computed(in, row.truth)};
    default:
      return computed_on_dims(row, in);
  }
}

/// x + 0, x - 0, x * 1, x / 1, and 0 + x, 1 * x  ->  x; not for floats x + 0 and x - -0, which turn -0 into 0
Rewrite Binary::declutter(const NodeView& node) const {
  const bool adds = op == BinaryOp::add || op == BinaryOp::sub;
  if (!adds && op != BinaryOp::mul && op != BinaryOp::div) return no_change;
  const Fact &a = node.input_fact(0), &b = node.input_fact(1);
  if (op == BinaryOp::add && is_float(a.dtype)) return no_change;
  if (is_neutral(b, adds ? 0 : 1, a)) return bypass(node, node.input(0));
  const bool commutes = op == BinaryOp::add || op == BinaryOp::mul;
  if (commutes && is_neutral(a, adds ? 0 : 1, b)) return bypass(node, node.input(1));
  return no_change;
}

}  // namespace strata
