#include "strata/hir/ops/dft.h"

#include "strata/core/builder_arithmetic.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/range.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/patch.h"

namespace strata::hir {

void Dft::rules(Rules& r) const {
  const auto x = r.input(0, "input"), y = r.output(0, "output");
  r.require(x.dtype == y.dtype);
  r.require(x.rank == y.rank);
}

OutletIds Dft::wire(Builder& b, const OutletIds& in) const {
  OutletIds operands{in[0],
                     has(in, 2) ? in[2] : b.scalar(static_cast<double>(axis), DatumType::i64)};
  if (has(in, 1)) operands.push_back(in[1]);
  return b.wire(op, operands);
}

void Stft::rules(Rules& r) const {
  const auto signal = r.input(0, "signal"), y = r.output(0, "output");
  r.require(signal.dtype == y.dtype);
  if (signal.rank.known() && signal.rank.known() != 2) r.require(signal.rank == 3);
  r.require(y.rank == 4);
  r.require(y.shape[0] == signal.shape[0]);
}

OutletIds Stft::wire(Builder& b, const OutletIds& in) const {
  const auto integer = [&](std::int64_t n) {
    return b.scalar(static_cast<double>(n), DatumType::i64);
  };
  // Scalars may come as vectors of one element, and in any integer type.
  const auto scalar = [&](OutletId x) {
    return b.one(Squeeze{},
                 {b.fact(x).dtype == DatumType::i64 ? x : b.one(Cast{DatumType::i64}, {x})});
  };
  const auto size = [&](OutletId x, std::int64_t axis) {
    return scalar(b.one(ShapeOf{axis, axis + 1}, {x}));
  };
  const auto count_up_to = [&](OutletId n) { return b.one(Range{}, {integer(0), n, integer(1)}); };

  // [batch, length] stands for [batch, length, 1].
  const OutletId signal =
      b.rank(in[0]) == 3u ? in[0] : b.one(Reshape{}, {in[0], b.integers({0, 0, -1})});
  const OutletId signal_length = size(signal, 1), step = scalar(in[1]);
  const OutletId length = has(in, 3) ? scalar(in[3]) : has(in, 2) ? size(in[2], 0) : signal_length;
  const OutletId last = div(b, sub(b, signal_length, length), step);
  const OutletId frames = add(b, last, 1);
  // places[f, i] = f * step + i
  const OutletId begins = mul(b, count_up_to(frames), step);
  const OutletId places =
      add(b, b.one(Unsqueeze{}, {begins, b.integers({1})}), count_up_to(length));
  OutletId framed = b.one(Gather{1}, {signal, places});
  if (has(in, 2)) framed = mul(b, framed, b.one(Unsqueeze{}, {in[2], b.integers({1})}));
  return b.wire(strata::Dft{false, one_sided}, {framed, integer(2)});
}

}  // namespace strata::hir
