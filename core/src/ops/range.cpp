#include "strata/core/ops/range.h"

#include <cmath>

#include "ops/movement.h"
#include "ops/operand_kinds.h"
#include "strata/core/only_number.h"

namespace strata {
namespace {

/// How many steps of `delta` from `start` stay before `limit`.
std::int64_t integer_count(std::int64_t start, std::int64_t limit, std::int64_t delta) {
  if (delta > 0 ? start >= limit : start <= limit) return 0;
  // Unsigned differences cannot overflow.
  const auto low = static_cast<std::uint64_t>(delta > 0 ? start : limit),
             high = static_cast<std::uint64_t>(delta > 0 ? limit : start);
  const std::uint64_t step =
      delta > 0 ? static_cast<std::uint64_t>(delta) : 0 - static_cast<std::uint64_t>(delta);
  const std::uint64_t count = (high - low - 1) / step + 1;
  check_data(count <= INT64_MAX, "the range from ", start, " to ", limit, " by ", delta,
             " has more elements than int64 can count");
  return static_cast<std::int64_t>(count);
}

std::int64_t float_count(double start, double limit, double delta) {
  const double count = std::ceil((limit - start) / delta);
  check_data(!std::isnan(count) && count < 9e18, "the range from ", start, " to ", limit, " by ",
             delta, " never ends");
  return count > 0 ? static_cast<std::int64_t>(count) : 0;
}

std::int64_t count_of(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  for (const Tensor* scalar : {&start, &limit, &delta})
    check_data(scalar->size() == 1, "(C1) a scalar is wanted, shape ", Span(scalar->shape()),
               " given");
  check_data(number_at(delta, 0) != 0, "(C2) delta is 0");
  if (is_integer(start.dtype()))
    return integer_count(to_integers(start)[0], to_integers(limit)[0], to_integers(delta)[0]);
  return float_count(number_at(start, 0), number_at(limit, 0), number_at(delta, 0));
}

/// start + i * delta, from i = 0 on.
template <class T, class Out>
void write_steps(T start, T delta, std::span<Out> to) {
  T i = 0;
  for (Out& x : to)
    x = static_cast<Out>(start + 1U * i++ * delta);  // as no int, which could overflow
}

/// The length, as far as it is known before the run.
Dim length_of(const Fact& start, const Fact& limit, const Fact& delta) {
  if (start.constant() && limit.constant() && delta.constant())
    return count_of(*start.constant(), *limit.constant(), *delta.constant());
  const auto first = only_dim(start), last = only_dim(limit);
  const auto step = only_integer(delta);
  if (!first || !last || !step) return fresh_dim();
  return at_least_zero(ceil_div(*last - *first, *step));
}

}  // namespace

FactList Range::output_facts(Facts in) const {
  check_arity(name, in, 3, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const ShapeFact& shape = in[i].shape;
    check(in[i].dtype == in[0].dtype && (is_integer(in[i].dtype) || is_float(in[i].dtype)),
          "(C1) a range from ", in[0].dtype, " goes on with ", in[i].dtype);
    check(may_be_single(shape), "(C1) a scalar is wanted, ", in[i], " given");
  }
  if (const Tensor* delta = in[2].constant()) check(number_at(*delta, 0) != 0, "(C2) delta is 0");
  return {Fact::tensor(in[0].dtype, {{length_of(in[0], in[1], in[2])}})};
}

TensorList Range::eval(Tensors in) const {
  const std::int64_t count = count_of(in[0], in[1], in[2]);
  MutableTensor out(in[0].dtype(), {count});
  if (is_integer(out.dtype()) && !is_packed(out.dtype())) {
    const auto start = static_cast<std::uint64_t>(to_integers(in[0])[0]),
               delta = static_cast<std::uint64_t>(to_integers(in[2])[0]);
    visit_storage(out.dtype(), [&]<class T>(TypeTag<T>) {
      // Of numbers modulo a power of two the low bits are all there is to compute.
      if constexpr (std::is_unsigned_v<T>)
        write_steps(static_cast<T>(start), static_cast<T>(delta), out.storage_as<T>());
    });
    return {std::move(out).freeze()};
  }
  const double start = number_at(in[0], 0), delta = number_at(in[2], 0);
  if (out.dtype() == DatumType::f32) {
    write_steps(start, delta, out.as<float>());
    return {std::move(out).freeze()};
  }
  MutableTensor wide(DatumType::f64, {count});
  write_steps(start, delta, wide.as<double>());
  return {cast(std::move(wide).freeze(), out.dtype())};
}

}  // namespace strata
