#include <doctest/doctest.h>

#include <cstring>

#include "kernel_testing.h"

namespace strata::kernels::testing {
namespace {

constexpr double kTolerance = 2e-5;

enum class Packed { neither, a, b, both };

/// A product with its operands, epilogue data and expected result.
struct GemmCase {
  Gemm gemm;
  std::vector<float> a, b, bias, residual;
  std::vector<double> expected;
};

double at(const MatrixView& v, Index i, Index j) {
  return static_cast<double>(v.data[i * v.row_stride + j * v.column_stride]);
}

double with_epilogue(const Epilogue& e, Index i, Index j, double sum) {
  if (e.residual) sum += static_cast<double>(e.residual[i * e.residual_stride + j]);
  if (e.bias_kind == BiasKind::per_row) sum += static_cast<double>(e.bias[i]);
  if (e.bias_kind == BiasKind::per_column) sum += static_cast<double>(e.bias[j]);
  return apply(e.activation, sum);
}

enum class Layout { row_major, column_major };

GemmCase make_case(Index m, Index k, Index n, Layout a_layout, Layout b_layout) {
  GemmCase c;
  c.a = noise(m * k, 11);
  c.b = noise(k * n, 12);
  c.bias = noise(m > n ? m : n, 13);
  c.residual = noise(m * n, 14);
  c.gemm.m = m;
  c.gemm.n = n;
  c.gemm.k = k;
  c.gemm.a =
      a_layout == Layout::row_major ? MatrixView{c.a.data(), k, 1} : MatrixView{c.a.data(), 1, m};
  c.gemm.b =
      b_layout == Layout::row_major ? MatrixView{c.b.data(), n, 1} : MatrixView{c.b.data(), 1, k};
  return c;
}

void expect(GemmCase& c) {
  const Gemm& g = c.gemm;
  c.expected.assign(size(g.m * g.n), 0);
  for (Index i = 0; i < g.m; ++i) {
    for (Index j = 0; j < g.n; ++j) {
      double sum = 0;
      for (Index k = 0; k < g.k; ++k) sum += at(g.a, i, k) * at(g.b, k, j);
      c.expected[size(i * g.n + j)] = with_epilogue(g.epilogue, i, j, sum);
    }
  }
}

std::vector<float> run(const KernelTable& t, Gemm g, Packed packed) {
  std::vector<float> pa(size(t.packed_a_size(g.m, g.k)));
  std::vector<float> pb(size(t.packed_b_size(g.k, g.n)));
  if (packed == Packed::a || packed == Packed::both) {
    t.pack_a(g.a, g.m, g.k, pa.data());
    g.packed_a = pa.data();
  }
  if (packed == Packed::b || packed == Packed::both) {
    t.pack_b(g.b, g.k, g.n, pb.data());
    g.packed_b = pb.data();
  }
  std::vector<float> c(size(g.m * g.n), kNan);
  g.c = c.data();
  g.c_stride = g.n;
  const Scratch scratch(t.gemm_scratch(g));
  t.gemm(g, {0, g.m}, {0, g.n}, scratch.get());
  return c;
}

void check_all(GemmCase& c) {
  expect(c);
  for_each_isa([&](const KernelTable& t) {
    for (const Packed packed : {Packed::neither, Packed::a, Packed::b, Packed::both}) {
      CAPTURE(c.gemm.m);
      CAPTURE(c.gemm.k);
      CAPTURE(c.gemm.n);
      CAPTURE(static_cast<int>(packed));
      CHECK(largest_error(run(t, c.gemm, packed), c.expected) < kTolerance);
    }
  });
}

}  // namespace

TEST_CASE("gemm agrees with a double reference for every small size") {
  for (Index m = 1; m <= 37; m += m < 8 ? 1 : 3) {
    for (Index n = 1; n <= 69; n += n < 5 ? 1 : 7) {
      GemmCase c = make_case(m, 1 + (m * 7 + n * 3) % 37, n, Layout::row_major, Layout::row_major);
      check_all(c);
    }
  }
}

TEST_CASE("operands are packed from memory that aligns nothing") {
  for (const Layout layout : {Layout::row_major, Layout::column_major}) {
    const GemmCase c = make_case(37, 29, 71, layout, layout);
    const auto moved = [](const MatrixView& from, const std::vector<float>& values,
                          std::vector<std::byte>& memory) {
      memory.resize(values.size() * sizeof(float) + 1);
      std::memcpy(memory.data() + 1, values.data(), values.size() * sizeof(float));
      MatrixView out = from;
      out.data = reinterpret_cast<const float*>(memory.data() + 1);
      return out;
    };
    std::vector<std::byte> a_memory, b_memory;
    const MatrixView a = moved(c.gemm.a, c.a, a_memory), b = moved(c.gemm.b, c.b, b_memory);
    for_each_isa([&](const KernelTable& t) {
      std::vector<float> aligned(size(t.packed_a_size(37, 29))), anywhere(aligned.size());
      t.pack_a(c.gemm.a, 37, 29, aligned.data());
      t.pack_a(a, 37, 29, anywhere.data());
      CHECK(aligned == anywhere);
      aligned.assign(size(t.packed_b_size(29, 71)), 0);
      anywhere = aligned;
      t.pack_b(c.gemm.b, 29, 71, aligned.data());
      t.pack_b(b, 29, 71, anywhere.data());
      CHECK(aligned == anywhere);
    });
  }
}

TEST_CASE("gemm takes transposed operands in place") {
  for (const Layout a : {Layout::row_major, Layout::column_major}) {
    for (const Layout b : {Layout::row_major, Layout::column_major}) {
      for (const Index m : {1, 2, 7, 31, 53}) {
        for (const Index n : {1, 3, 17, 64, 71}) {
          GemmCase c = make_case(m, 29, n, a, b);
          check_all(c);
        }
      }
    }
  }
}

TEST_CASE("gemm of few columns and many steps agrees with a double reference") {
  for (const Layout b : {Layout::row_major, Layout::column_major})
    for (const Index m : {2, 8, 25, 75})
      for (Index n = 1; n <= 9; ++n)
        for (const Index k : {8, 31, 32, 33, 127, 131, 300}) {
          GemmCase c = make_case(m, k, n, Layout::row_major, b);
          c.gemm.epilogue.bias = c.bias.data();
          c.gemm.epilogue.bias_kind = n % 2 ? BiasKind::per_row : BiasKind::per_column;
          c.gemm.epilogue.activation = {n % 3 ? Unary::tanh : Unary::clip, -0.5f, 0.75f};
          check_all(c);
        }
}

TEST_CASE("parts of the rows of a gemm of few columns are those of the whole, bit by bit") {
  const GemmCase c = make_case(61, 140, 3, Layout::row_major, Layout::row_major);
  for_each_isa([&](const KernelTable& t) {
    const std::vector<float> whole = run(t, c.gemm, Packed::neither);
    std::vector<float> y(whole.size(), kNan);
    Gemm g = c.gemm;
    g.c = y.data();
    g.c_stride = 3;
    const Index row = t.gemm_row_step(61);
    const Scratch scratch(t.gemm_scratch(g));
    t.gemm(g, {row, 2 * row}, {0, 3}, scratch.get());
    CHECK(std::isnan(y[size(row * 3 - 1)]));
    CHECK(std::isnan(y[size(2 * row * 3)]));
    t.gemm(g, {0, row}, {0, 3}, scratch.get());
    t.gemm(g, {2 * row, 61}, {0, 3}, scratch.get());
    CHECK(y == whole);
  });
}

TEST_CASE("gemm takes operands of any stride") {
  for (const Index m : {1, 5, 19}) {
    for (const Index n : {1, 6, 41}) {
      const Index k = 13;
      GemmCase c = make_case(m, k, n, Layout::row_major, Layout::row_major);
      c.a = noise(m * k * 6);
      c.b = noise(k * n * 6);
      c.gemm.a = {c.a.data(), 3 * k, 2};
      c.gemm.b = {c.b.data(), 2, 3 * k};
      check_all(c);
    }
  }
}

TEST_CASE("gemm adds up blocks of a deep k and splits tall A") {
  for (const Index k : {511, 512, 513, 1535}) {
    GemmCase c = make_case(17, k, 35, Layout::row_major, Layout::row_major);
    check_all(c);
  }
  GemmCase tall = make_case(701, 400, 3, Layout::row_major, Layout::row_major);
  check_all(tall);
}

TEST_CASE("gemm takes rows that lie a page apart") {
  for (const Index n : {3, 40, 300}) {
    GemmCase c = make_case(19, 1024, n, Layout::row_major, Layout::row_major);
    check_all(c);
  }
}

TEST_CASE("gemm of an empty k is its epilogue") {
  for (const Index m : {1, 5}) {
    for (const Index n : {1, 40}) {
      GemmCase c = make_case(m, 0, n, Layout::row_major, Layout::row_major);
      c.gemm.epilogue.bias = c.bias.data();
      c.gemm.epilogue.bias_kind = BiasKind::per_column;
      check_all(c);
    }
  }
}

TEST_CASE("the epilogue adds residual and bias, then activates") {
  const UnaryFunction activations[] = {{Unary::identity, 0, 0},
                                       {Unary::relu, 0, 0},
                                       {Unary::clip, -0.25f, 0.5f},
                                       {Unary::tanh, 0, 0},
                                       {Unary::leaky_relu, 0.1f, 0}};
  for (const UnaryFunction& activation : activations) {
    for (const BiasKind kind : {BiasKind::none, BiasKind::per_row, BiasKind::per_column}) {
      for (const auto& [m, k, n] : {std::tuple<Index, Index, Index>{1, 9, 77},
                                    {29, 9, 1},
                                    {1, 3, 1},
                                    {30, 11, 70},
                                    {16, 500, 33}}) {
        GemmCase c = make_case(m, k, n, Layout::row_major, Layout::row_major);
        c.gemm.epilogue.bias = c.bias.data();
        c.gemm.epilogue.bias_kind = kind;
        c.gemm.epilogue.residual = c.residual.data();
        c.gemm.epilogue.residual_stride = n;
        c.gemm.epilogue.activation = activation;
        check_all(c);
      }
    }
  }
}

TEST_CASE("parts of the rows and columns of a gemm make up the whole and touch nothing else") {
  GemmCase c = make_case(61, 23, 150, Layout::row_major, Layout::row_major);
  expect(c);
  for_each_isa([&](const KernelTable& t) {
    const Index row = t.gemm_row_step(61);
    const Index column = t.gemm_column_step();
    std::vector<float> y(size(61 * 150), kNan);
    Gemm g = c.gemm;
    g.c = y.data();
    g.c_stride = 150;
    const Scratch scratch(t.gemm_scratch(g));
    t.gemm(g, {row, 2 * row}, {column, 2 * column}, scratch.get());
    CHECK(std::isnan(y[size(row * 150 + column - 1)]));
    CHECK(std::isnan(y[size(2 * row * 150 + column)]));
    CHECK_FALSE(std::isnan(y[size(row * 150 + column)]));
    t.gemm(g, {0, row}, {0, 150}, scratch.get());
    t.gemm(g, {row, 61}, {0, column}, scratch.get());
    t.gemm(g, {row, 2 * row}, {2 * column, 150}, scratch.get());
    t.gemm(g, {2 * row, 61}, {column, 150}, scratch.get());
    CHECK(largest_error(y, c.expected) < kTolerance);
  });
}

TEST_CASE("gemm carries NaN through relu") {
  GemmCase c = make_case(3, 4, 5, Layout::row_major, Layout::row_major);
  c.a[0] = kNan;
  c.gemm.epilogue.activation.op = Unary::relu;
  check_all(c);
}

}  // namespace strata::kernels::testing
