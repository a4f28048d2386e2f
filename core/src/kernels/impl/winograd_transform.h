#pragma once

#include "kernels/impl/simd.h"

/// The transforms of Winograd's minimal filtering F(m, r), as Lavin and Gray give them ("Fast
/// Algorithms for Convolutional Neural Networks", 2015): a tile of m outputs is
/// A^T ((G g) . (B^T d)), of n = m + r - 1 inputs d and r weights g. Those of inputs are the same
/// for all r.
namespace strata::kernels {
namespace {

/// B^T of n inputs.
template <int N>
struct WinogradInputs;

/// G and A^T for n inputs and r weights.
template <int N, int R>
struct Winograd;

/// Weights are transformed in double, some channels at a time.
constexpr int kDoubles = kLanes / 2;
typedef double Vd __attribute__((vector_size(kVectorBytes)));
typedef float FloatsOfVd __attribute__((vector_size(kVectorBytes / 2), aligned(4), may_alias));

/// By the points 0, 1, -1 and infinity.
template <>
struct WinogradInputs<4> {
  static void transform(const Vf (&d)[4], Vf (&out)[4]) {
    out[0] = d[0] - d[2];
    out[1] = d[1] + d[2];
    out[2] = d[2] - d[1];
    out[3] = d[1] - d[3];
  }
};

template <>
struct Winograd<4, 3> {
  static void output(const Vf (&m)[4], Vf (&out)[2]) {
    out[0] = m[0] + m[1] + m[2];
    out[1] = m[1] - m[2] - m[3];
  }
  static void weights(const Vd (&g)[3], Vd (&out)[4]) {
    out[0] = g[0];
    out[1] = (g[0] + g[1] + g[2]) / 2;
    out[2] = (g[0] - g[1] + g[2]) / 2;
    out[3] = g[2];
  }
};

template <>
struct Winograd<4, 2> {
  static void output(const Vf (&m)[4], Vf (&out)[3]) {
    const Vf a = m[1] + m[2];
    out[0] = m[0] + a;
    out[1] = m[1] - m[2];
    out[2] = a - m[3];
  }
  static void weights(const Vd (&g)[2], Vd (&out)[4]) {
    out[0] = g[0];
    out[1] = (g[0] + g[1]) / 2;
    out[2] = (g[0] - g[1]) / 2;
    out[3] = g[1];
  }
};

/// By the points 0, 1, -1, 2, -2 and infinity.
template <>
struct WinogradInputs<6> {
  static void transform(const Vf (&d)[6], Vf (&out)[6]) {
    const Vf a = d[4] - 4.0f * d[2], b = d[3] - 4.0f * d[1];
    const Vf c = d[4] - d[2], e = 2.0f * (d[3] - d[1]);
    out[0] = 4.0f * d[0] - 5.0f * d[2] + d[4];
    out[1] = a + b;
    out[2] = a - b;
    out[3] = c + e;
    out[4] = c - e;
    out[5] = 4.0f * d[1] - 5.0f * d[3] + d[5];
  }
};

template <>
struct Winograd<6, 3> {
  static void output(const Vf (&m)[6], Vf (&out)[4]) {
    const Vf a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], e = m[3] - m[4];
    out[0] = m[0] + a + c;
    out[1] = b + 2.0f * e;
    out[2] = a + 4.0f * c;
    out[3] = b + 8.0f * e + m[5];
  }
  static void weights(const Vd (&g)[3], Vd (&out)[6]) {
    out[0] = g[0] / 4;
    out[1] = -(g[0] + g[1] + g[2]) / 6;
    out[2] = -(g[0] - g[1] + g[2]) / 6;
    out[3] = g[0] / 24 + g[1] / 12 + g[2] / 6;
    out[4] = g[0] / 24 - g[1] / 12 + g[2] / 6;
    out[5] = g[2];
  }
};

template <>
struct Winograd<6, 2> {
  static void output(const Vf (&m)[6], Vf (&out)[5]) {
    const Vf a = m[1] + m[2], b = m[1] - m[2], c = m[3] + m[4], e = m[3] - m[4];
    out[0] = m[0] + a + c;
    out[1] = b + 2.0f * e;
    out[2] = a + 4.0f * c;
    out[3] = b + 8.0f * e;
    out[4] = a + 16.0f * c + m[5];
  }
  static void weights(const Vd (&g)[2], Vd (&out)[6]) {
    out[0] = g[0] / 4;
    out[1] = -(g[0] + g[1]) / 6;
    out[2] = -(g[0] - g[1]) / 6;
    out[3] = g[0] / 24 + g[1] / 12;
    out[4] = g[0] / 24 - g[1] / 12;
    out[5] = g[1];
  }
};

}  // namespace
}  // namespace strata::kernels
