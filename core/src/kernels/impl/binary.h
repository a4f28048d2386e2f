#pragma once

#include "kernels/impl/pow.h"
#include "kernels/types.h"

namespace strata::kernels {
namespace {

/// One row of operands.
struct BinaryRow {
  const float* a;
  const float* b;
  float* y;
  Index n;
};

/// y[i] = f(a[i * A], b[i * B]).
template <Index A, Index B, class F>
inline void binary_row(const BinaryRow& r, F f) {
  const Vf a = A == 0 ? broadcast(*r.a) : Vf{};
  const Vf b = B == 0 ? broadcast(*r.b) : Vf{};
  Index i = 0;
  for (; i + kLanes <= r.n; i += kLanes) {
    store(r.y + i, f(A == 0 ? a : load(r.a + i), B == 0 ? b : load(r.b + i)));
  }
  const Index left = r.n - i;
  if (left == 0) return;
  const Vf x = A == 0 ? a : load_first(r.a + i, left);
  store_first(r.y + i, f(x, B == 0 ? b : load_first(r.b + i, left)), left);
}

/// The rows of a call; as many of them as lie in one run are one row. Apart from the call, of which
/// no copy is made: it was written piece by piece a moment ago, and reading it as a whole has to
/// wait.
struct RowRuns {
  Index outer;
  Index inner;
};

inline RowRuns runs_of(Index outer, Index inner, bool is_one_run) {
  return is_one_run ? RowRuns{1, outer * inner} : RowRuns{outer, inner};
}

/// Whether an operand's rows follow each other as those of y do, or are one value throughout.
inline bool runs_on(Index inner, Index outer_stride, Index inner_stride) {
  return outer_stride == inner * inner_stride;
}

inline RowRuns rows_of(const BinaryCall& c) {
  return runs_of(c.outer, c.inner,
                 runs_on(c.inner, c.a_outer, c.a_inner) && runs_on(c.inner, c.b_outer, c.b_inner));
}

template <Index A, Index B, class F>
inline void rows_with_steps(const BinaryCall& c, const RowRuns& rows, F f) {
  for (Index o = 0; o < rows.outer; ++o) {
    binary_row<A, B>({c.a + o * c.a_outer, c.b + o * c.b_outer, c.y + o * rows.inner, rows.inner},
                     f);
  }
}

/// One operand at least lies element by element, or rows are of one.
template <class F>
inline void binary_rows(const BinaryCall& c, const RowRuns& rows, F f) {
  if (c.a_inner == 0)
    rows_with_steps<0, 1>(c, rows, f);
  else
    c.b_inner == 1 ? rows_with_steps<1, 1>(c, rows, f) : rows_with_steps<1, 0>(c, rows, f);
}

/// As `binary_rows`, with f once in the code: for long functions.
template <class F>
inline void binary_rows_long(const BinaryCall& c, RowRuns rows, F f) {
  const bool one_a = c.a_inner == 0, one_b = c.b_inner == 0;
  for (Index o = 0; o < rows.outer; ++o) {
    const float* a = c.a + o * c.a_outer;
    const float* b = c.b + o * c.b_outer;
    float* y = c.y + o * rows.inner;
    for (Index i = 0, left = rows.inner; left > 0; i += kLanes, left -= kLanes) {
      const Vf x = one_a ? broadcast(*a) : load_upto(a + i, left);
      const Vf z = one_b ? broadcast(*b) : load_upto(b + i, left);
      store_upto(y + i, f(x, z), left);
    }
  }
}

/// Apart, so that what long functions need does not slow each call of the short ones.
[[gnu::noinline]] void binary_long(const BinaryCall& c, const RowRuns& rows) {
  if (c.op == Binary::pow)
    binary_rows_long(c, rows, [](Vf a, Vf b) { return pow(a, b); });
  else
    binary_rows_long(c, rows, [](Vf a, Vf b) { return fmod(a, b); });
}

void binary(const BinaryCall& c) noexcept;

/// Rows of one number each, of one number and another.
[[gnu::noinline]] void binary_of_numbers(const BinaryCall& c) {
  for (Index o = 0; o < c.outer; ++o) {
    float* y = c.y + o * c.inner;
    binary({.op = c.op, .inner = 1, .a = c.a + o * c.a_outer, .b = c.b + o * c.b_outer, .y = y});
    const Vf all = broadcast(y[0]);
    for (Index i = 0; i < c.inner; i += kLanes) store_upto(y + i, all, c.inner - i);
  }
}

/// Aligned, so that its short loops lie in cache lines alike wherever it is linked: one line more
/// can be half of a loop's time more.
[[gnu::aligned(64)]] void binary(const BinaryCall& c) noexcept {
  const RowRuns rows = rows_of(c);
  if (rows.outer * rows.inner == 0) return;
  if (rows.inner > 1 && c.a_inner == 0 && c.b_inner == 0) return binary_of_numbers(c);
  switch (c.op) {
    case Binary::add:
      return binary_rows(c, rows, [](Vf a, Vf b) { return a + b; });
    case Binary::sub:
      return binary_rows(c, rows, [](Vf a, Vf b) { return a - b; });
    case Binary::mul:
      return binary_rows(c, rows, [](Vf a, Vf b) { return a * b; });
    case Binary::div:
      return binary_rows(c, rows, [](Vf a, Vf b) { return a / b; });
    case Binary::min:
      return binary_rows(c, rows, [](Vf a, Vf b) { return minimum(a, b); });
    case Binary::max:
      return binary_rows(c, rows, [](Vf a, Vf b) { return maximum(a, b); });
    case Binary::prelu:
      return binary_rows(c, rows, [](Vf a, Vf b) { return a < 0.0f ? a * b : a; });
    default:
      return binary_long(c, rows);
  }
}

}  // namespace
}  // namespace strata::kernels
