#include <doctest/doctest.h>

#include "kernel_testing.h"
#include "kernels/byte_pool.h"

namespace strata::kernels::testing {
namespace {

struct Axis {
  Index in, kernel, stride, dilation, pad, pad_end;
};

/// One output by definition.
double pooled(const Pool& p, Index plane, Index oy, Index ox) {
  const Window& w = p.window;
  double best = -static_cast<double>(kInf);
  double sum = 0;
  int inside = 0;
  int padded = 0;
  for (Index ky = 0; ky < w.kernel[1]; ++ky) {
    for (Index kx = 0; kx < w.kernel[2]; ++kx) {
      const Index y = oy * w.stride[1] + ky * w.dilation[1] - w.pad[1];
      const Index x = ox * w.stride[2] + kx * w.dilation[2] - w.pad[2];
      if (y < w.in[1] + p.pad_end[1] && x < w.in[2] + p.pad_end[2]) ++padded;
      if (y < 0 || y >= w.in[1] || x < 0 || x >= w.in[2]) continue;
      ++inside;
      const double v = static_cast<double>(p.x[(plane * w.in[1] + y) * w.in[2] + x]);
      sum += v;
      best = std::isnan(v) || std::isnan(best) ? static_cast<double>(kNan) : std::fmax(best, v);
    }
  }
  if (p.kind == PoolKind::max) return best;
  return sum / std::max(p.kind == PoolKind::average ? inside : padded, 1);
}

Pool pool_of(const Axis& a, const Axis& b, Index extra_outputs) {
  Pool p;
  p.planes = 3;
  for (int i = 1; i < 3; ++i) {
    const Axis& axis = i == 1 ? a : b;
    p.window.in[i] = axis.in;
    p.window.kernel[i] = axis.kernel;
    p.window.stride[i] = axis.stride;
    p.window.dilation[i] = axis.dilation;
    p.window.pad[i] = axis.pad;
    p.pad_end[i] = axis.pad_end;
    const Index span = axis.in + axis.pad + axis.pad_end - (axis.kernel - 1) * axis.dilation - 1;
    p.window.out[i] = span / axis.stride + 1 + extra_outputs;
  }
  return p;
}

void check_pool(Pool p, const std::vector<float>& x) {
  const Window& w = p.window;
  p.x = x.data();
  std::vector<double> expected;
  for (Index plane = 0; plane < p.planes; ++plane) {
    for (Index i = 0; i < w.out[1] * w.out[2]; ++i) {
      expected.push_back(pooled(p, plane, i / w.out[2], i % w.out[2]));
    }
  }
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> y(expected.size());
    p.y = y.data();
    t.pool(p, {1, 3});
    t.pool(p, {0, 1});
    CHECK(largest_error(y, expected) < 1e-6);
  });
}

/// The greatest byte under a window by definition, where bytes are ordered as `Byte`.
template <class Byte>
std::uint8_t greatest(const BytePool& p, Index plane, const Index (&out)[3]) {
  const Window& w = p.window;
  Byte best = std::numeric_limits<Byte>::min();
  for (Index tap = 0; tap < w.kernel[0] * w.kernel[1] * w.kernel[2]; ++tap) {
    const Index taps[3] = {tap / (w.kernel[1] * w.kernel[2]), tap / w.kernel[2] % w.kernel[1],
                           tap % w.kernel[2]};
    Index at = plane;
    bool is_inside = true;
    for (int i = 0; i < 3; ++i) {
      const Index place = out[i] * w.stride[i] + taps[i] * w.dilation[i] - w.pad[i];
      is_inside = is_inside && place >= 0 && place < w.in[i];
      at = at * w.in[i] + place;
    }
    if (is_inside) best = std::max(best, static_cast<Byte>(p.x[at]));
  }
  return static_cast<std::uint8_t>(best);
}

void check_byte_pool(const Window& w, bool is_signed) {
  constexpr Index kPlanes = 3;
  const Index ins = w.in[0] * w.in[1] * w.in[2], outs = w.out[0] * w.out[1] * w.out[2];
  std::vector<std::uint8_t> x, y(size(kPlanes * outs));
  for (const float v : noise(kPlanes * ins)) x.push_back(static_cast<std::uint8_t>(v * 127 + 128));
  const BytePool p{w, is_signed, x.data(), y.data()};
  byte_pool(p, {1, kPlanes});
  byte_pool(p, {0, 1});
  std::vector<std::uint8_t> expected;
  for (Index i = 0; i < kPlanes * outs; ++i) {
    const Index out[3] = {i % outs / (w.out[1] * w.out[2]), i / w.out[2] % w.out[1], i % w.out[2]};
    expected.push_back(is_signed ? greatest<std::int8_t>(p, i / outs, out)
                                 : greatest<std::uint8_t>(p, i / outs, out));
  }
  CHECK(y == expected);
}

void check_kinds(Pool p) {
  const auto x = noise(p.planes * p.window.in[1] * p.window.in[2]);
  for (const PoolKind kind : {PoolKind::max, PoolKind::average, PoolKind::average_include_pad}) {
    CAPTURE(static_cast<int>(kind));
    p.kind = kind;
    check_pool(p, x);
  }
}

}  // namespace

constexpr Axis kAxes[] = {{7, 2, 2, 1, 0, 0},  {13, 3, 1, 1, 1, 1}, {37, 3, 2, 1, 1, 0},
                          {70, 3, 2, 1, 0, 1}, {19, 5, 1, 2, 3, 4}, {11, 2, 3, 3, 1, 1},
                          {1, 1, 1, 1, 0, 0},  {5, 5, 1, 1, 2, 2}};

TEST_CASE("pooling of bytes agrees with its definition") {
  const Axis depths[] = {{1, 1, 1, 1, 0, 0}, {4, 3, 2, 1, 1, 0}};
  for (const Axis& depth : depths)
    for (const Axis& a : kAxes)
      for (const Axis& b : kAxes) {
        CAPTURE(depth.in);
        CAPTURE(a.in);
        CAPTURE(b.in);
        Window w = pool_of(a, b, 0).window;
        const Window of_depth = pool_of(depth, depth, 0).window;
        w.in[0] = of_depth.in[1];
        w.out[0] = of_depth.out[1];
        w.kernel[0] = depth.kernel;
        w.stride[0] = depth.stride;
        w.dilation[0] = depth.dilation;
        w.pad[0] = depth.pad;
        check_byte_pool(w, false);
        check_byte_pool(w, true);
      }
}

TEST_CASE("pooling agrees with its definition for strides, dilations and uneven padding") {
  for (const Axis& a : kAxes) {
    for (const Axis& b : kAxes) {
      CAPTURE(a.in);
      CAPTURE(b.in);
      check_kinds(pool_of(a, b, 0));
    }
  }
}

TEST_CASE("rows and windows of any length are pooled, in pieces or tap by tap") {
  const Axis few = {5, 3, 2, 1, 1, 1};
  const Axis longer[] = {{1100, 3, 1, 1, 1, 1}, {2300, 3, 2, 1, 0, 1},  {4100, 2, 4, 1, 0, 0},
                         {1030, 5, 3, 2, 2, 2}, {700, 400, 1, 1, 9, 0}, {1400, 600, 3, 1, 0, 5}};
  for (const Axis& axis : longer) {
    CAPTURE(axis.in);
    check_kinds(pool_of(few, axis, 0));
  }
  check_kinds(pool_of({90, 70, 4, 1, 3, 2}, {20, 3, 1, 1, 1, 1}, 0));
}

TEST_CASE(
    "a last window that hangs over the padding, as ceil_mode makes, divides by what it covers") {
  check_kinds(pool_of({8, 3, 2, 1, 0, 0}, {6, 3, 2, 1, 1, 1}, 1));
}

TEST_CASE("an average of nothing is 0") {
  const Axis empty{0, 2, 1, 1, 1, 1}, side{4, 2, 2, 1, 0, 0};
  for (const Pool& p : {pool_of(empty, side, 0), pool_of(side, empty, 0), pool_of(empty, empty, 0)})
    check_kinds(p);
}

TEST_CASE("max pooling carries NaN") {
  Pool p = pool_of({6, 2, 2, 1, 0, 0}, {40, 2, 1, 1, 0, 0}, 0);
  auto x = noise(3 * 6 * 40);
  x[0] = x[100] = x[239] = kNan;
  check_pool(p, x);
}

}  // namespace strata::kernels::testing
