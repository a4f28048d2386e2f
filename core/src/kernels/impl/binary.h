#pragma once

#include "kernels/impl/pow.h"
#include "kernels/types.h"

namespace strata::kernels {
namespace {

/// One row of operands; a step is 1, or 0 for one value all along the row.
struct BinaryRow {
  const float* a;
  Index a_step;
  const float* b;
  Index b_step;
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

template <class F>
inline void binary_rows(const BinaryCall& c, F f) {
  for (Index o = 0; o < c.outer; ++o) {
    const BinaryRow row{c.a + o * c.a_outer, c.a_inner,         c.b + o * c.b_outer,
                        c.b_inner,           c.y + o * c.inner, c.inner};
    if (row.a_step == 1 && row.b_step == 1) {
      binary_row<1, 1>(row, f);
    } else if (row.a_step == 1) {
      binary_row<1, 0>(row, f);
    } else if (row.b_step == 1) {
      binary_row<0, 1>(row, f);
    } else {
      binary_row<0, 0>(row, f);
    }
  }
}

/// Whether an operand's rows follow each other as those of y do, or are one value throughout.
inline bool runs_on(const BinaryCall& c, Index outer_stride, Index inner_stride) {
  return outer_stride == c.inner * inner_stride;
}

void binary(const BinaryCall& call) noexcept {
  BinaryCall c = call;
  if (c.outer * c.inner == 0) return;
  if (runs_on(c, c.a_outer, c.a_inner) && runs_on(c, c.b_outer, c.b_inner)) {
    c.inner *= c.outer;
    c.outer = 1;
  }
  switch (c.op) {
    case Binary::add:
      return binary_rows(c, [](Vf a, Vf b) { return a + b; });
    case Binary::sub:
      return binary_rows(c, [](Vf a, Vf b) { return a - b; });
    case Binary::mul:
      return binary_rows(c, [](Vf a, Vf b) { return a * b; });
    case Binary::div:
      return binary_rows(c, [](Vf a, Vf b) { return a / b; });
    case Binary::min:
      return binary_rows(c, [](Vf a, Vf b) { return minimum(a, b); });
    case Binary::max:
      return binary_rows(c, [](Vf a, Vf b) { return maximum(a, b); });
    case Binary::pow:
      return binary_rows(c, [](Vf a, Vf b) { return pow(a, b); });
    case Binary::fmod:
      return binary_rows(c, [](Vf a, Vf b) { return fmod(a, b); });
    case Binary::prelu:
      return binary_rows(c, [](Vf a, Vf b) { return a < 0.0f ? a * b : a; });
  }
}

}  // namespace
}  // namespace strata::kernels
