#include "strata/core/ops/binary.h"

#include <cmath>
#include <optional>

#include "ops/binary_rows.h"
#include "ops/number_view.h"
#include "strata/core/ops/cast.h"
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

/// The number that leaves the other operand, the first one at least, as it is.
std::optional<double> neutral_number(BinaryOp op) {
  switch (op) {
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::truth_or:
    case BinaryOp::truth_xor:
      return 0;
    case BinaryOp::mul:
    case BinaryOp::div:
    case BinaryOp::truth_and:
      return 1;
    default:
      return std::nullopt;
  }
}

bool is_idempotent(BinaryOp op) {
  return op == BinaryOp::truth_and || op == BinaryOp::truth_or || op == BinaryOp::max ||
         op == BinaryOp::min;
}

bool is_order(BinaryOp op) {
  return op == BinaryOp::less || op == BinaryOp::less_or_equal || op == BinaryOp::greater ||
         op == BinaryOp::greater_or_equal;
}

/// Integers that were made floats to be compared with a constant, compared as they are. Those that
/// a float rounds, from 2^24 on, lie beyond the constant and stay there.
Rewrite compared_integers(const NodeView& node, BinaryOp op) {
  for (const std::size_t i : {0, 1}) {
    const Tensor* bound = node.input_fact(i).constant();
    if (!bound || bound->size() != 1 || bound->dtype() != DatumType::f32 ||
        !node.producer_as<Cast>(1 - i))
      continue;
    const NodeView cast = node.producer(1 - i);
    const DatumType type = cast.input_fact(0).dtype;
    const double number = number_at(*bound, 0);
    if ((type != DatumType::i32 && type != DatumType::i64) || !(std::abs(number) < 0x1p24))
      continue;
    const bool is_up = (op == BinaryOp::less || op == BinaryOp::greater_or_equal) == (i == 1);
    const double whole = is_up ? std::ceil(number) : std::floor(number);
    Patch patch(node);
    OutletIds operands{cast.input(0), cast.input(0)};
    operands[i] =
        patch.constant("bound", strata::cast(Tensor::scalar(whole), type).reshaped(bound->shape()));
    patch.shunt(node.output(), patch.wire_one("", Binary{op}, operands));
    return patch;
  }
  return no_change;
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

/// x + 0, x - 0, x * 1, x / 1, x and true, x or false, and the same with x on the right where that
/// is as good  ->  x;
///   not for floats x + 0 and x - -0, which turn -0 into 0
/// x and false  ->  false, x or true  ->  true, for one x
/// x and x, x or x, max(x, x), min(x, x)  ->  x
/// float(i) < c  ->  i < ceil(c), and so on, for integers i
Rewrite Binary::declutter(const NodeView& node) const {
  const Fact &a = node.input_fact(0), &b = node.input_fact(1);
  if (node.input(0) == node.input(1) && is_idempotent(op)) return bypass(node, node.input(0));
  if (is_order(op)) return compared_integers(node, op);
  const auto neutral = neutral_number(op);
  if (!neutral || (op == BinaryOp::add && is_float(a.dtype))) return no_change;
  if (is_neutral(b, *neutral, a)) return bypass(node, node.input(0));
  const bool commutes = op != BinaryOp::sub && op != BinaryOp::div;
  if (commutes && is_neutral(a, *neutral, b)) return bypass(node, node.input(1));
  const auto shape = node.output_fact().shape.concrete();
  if (a.dtype != DatumType::boolean || op == BinaryOp::truth_xor || !shape || product(*shape) != 1)
    return no_change;
  for (const std::size_t i : {0, 1})
    if (is_neutral(node.input_fact(i), 1 - *neutral, node.input_fact(1 - i)))
      return replace_by_constants(node, {node.input_fact(i).constant()->reshaped(*shape)});
  return no_change;
}

}  // namespace strata
