#include <doctest/doctest.h>

#include <algorithm>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

/// A table of an axis, and what it points to.
struct AxisTable {
  Index in = 1, out = 1, taps = 1;
  std::vector<std::int32_t> inputs;
  std::vector<float> weights;

  /// Taps from about o * in / out on, with weights of some kind.
  AxisTable(Index in_, Index out_, Index taps_) : in(in_), out(out_), taps(taps_) {
    weights = noise(taps * out, 7);
    inputs.resize(size(taps * out));
    for (Index t = 0; t < taps; ++t)
      for (Index o = 0; o < out; ++o)
        inputs[size(t * out + o)] = static_cast<std::int32_t>(
            std::clamp<Index>(o * in / out + t - (taps - 1) / 2, 0, in - 1));
  }
  ResizedAxis weighed() const { return {in, out, taps, inputs.data(), weights.data()}; }
  ResizedAxis copied() const {
    return {in, out, 1, inputs.data(), nullptr, out == 2 * in && taps <= 2};
  }
};

ResizedAxis same(Index n) { return {n, n, 1, nullptr, nullptr}; }

/// What output o is of inputs f(0), f(1), …
template <class F>
double along(const ResizedAxis& axis, Index o, const F& f) {
  if (!axis.inputs) return f(o);
  double sum = 0;
  for (Index t = 0; t < axis.taps; ++t) {
    const Index at = t * axis.out + o;
    if (!axis.weights) return f(axis.inputs[at]);
    sum += static_cast<double>(axis.weights[at]) * f(axis.inputs[at]);
  }
  return sum;
}

std::vector<double> expected_of(const Resize& r) {
  std::vector<double> y;
  for (Index i = 0; i < r.outer; ++i)
    for (Index row = 0; row < r.rows.out; ++row)
      for (Index column = 0; column < r.columns.out; ++column)
        y.push_back(along(r.columns, column, [&](Index c) {
          return along(r.rows, row, [&](Index k) {
            return static_cast<double>(r.x[(i * r.rows.in + k) * r.columns.in + c]);
          });
        }));
  return y;
}

/// Exactly as many floats as the kernel may read and write.
double error_of(const KernelTable& t, Resize r) {
  const std::vector<float> x = noise(r.outer * r.rows.in * r.columns.in);
  std::vector<float> y(size(r.outer * r.rows.out * r.columns.out), kNan);
  r.x = x.data(), r.y = y.data();
  Scratch scratch(t.resize_scratch(r));
  t.resize(r, {0, r.outer * r.rows.out}, scratch.get());
  return largest_error(y, expected_of(r));
}

constexpr Index kSizes[][2] = {{1, 1},   {1, 40},  {5, 9},    {8, 16},  {17, 34}, {40, 41},
                               {33, 99}, {64, 32}, {100, 50}, {90, 31}, {200, 7}, {7, 3}};

}  // namespace

TEST_CASE("columns are resized by any ratio and number of taps") {
  for_each_isa([](const KernelTable& t) {
    for (const auto& [in, out] : kSizes)
      for (const Index taps : {1, 2, 3, 4, 9}) {
        const AxisTable table(in, out, taps);
        CAPTURE(in);
        CAPTURE(out);
        CAPTURE(taps);
        CHECK(error_of(t, {.outer = 3, .columns = table.weighed()}) < 1e-6);
        CHECK(error_of(t, {.outer = 3, .columns = table.copied()}) == 0);
      }
  });
}

TEST_CASE("rows are resized whatever lies side by side in them") {
  for_each_isa([](const KernelTable& t) {
    for (const auto& [in, out] : kSizes)
      for (const Index n : {1, 3, 16, 31, 70, 200})
        for (const Index taps : {1, 2, 4}) {
          const AxisTable table(in, out, taps);
          CHECK(error_of(t, {.outer = 2, .rows = table.weighed(), .columns = same(n)}) < 1e-6);
          CHECK(error_of(t, {.outer = 2, .rows = table.copied(), .columns = same(n)}) == 0);
        }
  });
}

TEST_CASE("rows and columns are resized at once") {
  for_each_isa([](const KernelTable& t) {
    for (const auto& [in, out] : kSizes)
      for (const Index taps : {1, 2, 4}) {
        const AxisTable rows(in, out, taps), columns(out + 2, in + 5, taps);
        CHECK(error_of(t, {.outer = 2, .rows = rows.weighed(), .columns = columns.weighed()}) <
              1e-6);
        CHECK(error_of(t, {.outer = 2, .rows = rows.copied(), .columns = columns.copied()}) == 0);
      }
  });
}

TEST_CASE("copies keep every bit") {
  for_each_isa([](const KernelTable& t) {
    const std::vector<float> x{-0.0f, kNan, kInf, 0x1p-149f};
    const AxisTable table(4, 8, 1);
    std::vector<float> y(8);
    Resize r{.columns = table.copied(), .x = x.data(), .y = y.data()};
    t.resize(r, {0, 1}, nullptr);
    CHECK(std::signbit(y[0]));
    CHECK(std::isnan(y[2]));
    CHECK(y[4] == kInf);
    CHECK(y[7] == 0x1p-149f);
  });
}

TEST_CASE("some rows are resized without touching the others") {
  for_each_isa([](const KernelTable& t) {
    const AxisTable rows(5, 11, 2), columns(9, 20, 2);
    for (const bool copies : {false, true}) {
      Resize r{.outer = 2};
      r.rows = copies ? rows.copied() : rows.weighed();
      r.columns = copies ? columns.copied() : columns.weighed();
      const std::vector<float> x = noise(2 * 5 * 9);
      std::vector<float> whole(22 * 20), parts(22 * 20, 9.0f);
      Scratch scratch(t.resize_scratch(r));
      r.x = x.data(), r.y = whole.data();
      t.resize(r, {0, 22}, scratch.get());
      r.y = parts.data();
      t.resize(r, {4, 15}, scratch.get());
      for (std::size_t i = 0; i < parts.size(); ++i)
        CHECK(parts[i] == (i / 20 >= 4 && i / 20 < 15 ? whole[i] : 9.0f));
    }
  });
}

}  // namespace strata::kernels::testing
