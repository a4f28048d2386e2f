#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "kernel_testing.h"
#include "kernels/int8.h"

/// Products with a matrix of integers of a few bits.
namespace strata::kernels::testing {
namespace {

/// A matrix [k, n] as its integers, and what each block of a column shares.
struct NarrowCase {
  Gemm gemm;
  std::vector<float> a, bias;
  std::vector<Index> integers;       ///< [k, n]
  std::vector<float> scales, zeros;  ///< [blocks, n]
  Index blocks() const { return (gemm.k + gemm.narrow.block - 1) / gemm.narrow.block; }
  float number(Index i, Index j) const {
    const std::size_t at = size(i / gemm.narrow.block * gemm.n + j);
    return (static_cast<float>(integers[size(i * gemm.n + j)]) - zeros[at]) * scales[at];
  }
};

NarrowCase make_case(Index m, Index k, Index n, NarrowForm form) {
  NarrowCase c;
  c.gemm.m = m;
  c.gemm.k = k;
  c.gemm.n = n;
  c.gemm.narrow = form;
  c.a = noise(m * k, 3);
  c.bias = noise(n, 4);
  c.gemm.a = {c.a.data(), k, 1};
  c.gemm.epilogue.bias = c.bias.data();
  c.gemm.epilogue.bias_kind = BiasKind::per_column;
  c.gemm.epilogue.activation.op = Unary::relu;
  const Index range = Index{1} << form.bits;
  for (Index i = 0; i < k * n; ++i) c.integers.push_back((i * 7919 + i / 5) % range);
  for (Index i = 0; i < c.blocks() * n; ++i) {
    c.scales.push_back(0.1f * static_cast<float>(1 + i % 13) / static_cast<float>(range));
    c.zeros.push_back(static_cast<float>(i * 31 % range));
  }
  return c;
}

/// As NarrowForm describes it.
std::vector<float> packed(const NarrowCase& c, Index columns) {
  const Index bits = c.gemm.narrow.bits, block = c.gemm.narrow.block;
  const Index parts = 32 / bits, n = c.gemm.n;
  std::vector<float> out;
  for (Index first = 0; first < n; first += columns) {
    const auto add_row = [&](const auto& word) {
      for (Index j = first; j < first + columns; ++j)
        out.push_back(j < n ? std::bit_cast<float>(word(j)) : 0);
    };
    for (Index b = 0; b < c.blocks(); ++b) {
      add_row([&](Index j) { return c.scales[size(b * n + j)]; });
      for (Index i = b * block; i < (b + 1) * block; i += parts)
        add_row([&](Index j) {
          std::uint32_t word = 0;
          for (Index e = 0; e < parts && i + e < c.gemm.k; ++e)
            word |= static_cast<std::uint32_t>(c.integers[size((i + e) * n + j)]) << (e * bits);
          return word;
        });
    }
    std::vector<std::uint8_t> zeros;
    for (Index b = 0; b < c.blocks(); ++b)
      for (Index j = first; j < first + columns; ++j)
        zeros.push_back(j < n ? static_cast<std::uint8_t>(c.zeros[size(b * n + j)]) : 0);
    zeros.resize((zeros.size() + 63) / 64 * 64);
    const std::size_t end = out.size();
    out.resize(end + zeros.size() / sizeof(float));
    std::memcpy(out.data() + end, zeros.data(), zeros.size());
  }
  return out;
}

/// Each row of a as bytes times a scale for each block, a 127th of the greatest there.
std::vector<float> rounded_rows(const NarrowCase& c) {
  std::vector<float> out = c.a;
  const Index k = c.gemm.k, block = c.gemm.narrow.block;
  for (Index row = 0; row < c.gemm.m; ++row)
    for (Index begin = 0; begin < k; begin += block) {
      const std::span<float> x(out.data() + row * k + begin, size(std::min(block, k - begin)));
      float greatest = 0;
      for (const float each : x) greatest = std::max(greatest, std::abs(each));
      const float scale = greatest / 127, inverse = 1 / scale;
      for (float& each : x) each = std::nearbyint(each * inverse) * scale;
    }
  return out;
}

/// Kernels that a product may go by: of floats, or of rows that are rounded to bytes.
struct Way {
  const KernelTable& table;
  const RoundedProducts* rounded = nullptr;
};

std::vector<Way> ways_of_floats() {
  std::vector<Way> out;
  for (const Isa isa : supported_isas()) out.push_back({kernels(isa)});
  return out;
}

/// All that this CPU can run, each beside the kernels of floats that have its panels.
std::vector<Way> ways_of_bytes(Index bits) {
  std::vector<Way> out;
  for (const Int8Kernels* bytes : supported_int8_kernels()) {
    if (!bytes->rounded || bits > bytes->rounded->most_bits) continue;
    for (const Isa isa : supported_isas())
      if (kernels(isa).gemm_column_step() == bytes->column_step)
        out.push_back({kernels(isa), bytes->rounded});
  }
  return out;
}

/// The product as a way computes it, in two parts.
std::vector<float> product_by(const Way& way, const NarrowCase& c) {
  const std::vector<float> b = packed(c, way.table.gemm_column_step());
  std::vector<float> y(size(c.gemm.m * c.gemm.n), kNan);
  Gemm g = c.gemm;
  g.rounded = way.rounded;
  g.packed_b = b.data();
  g.c = y.data();
  g.c_stride = g.n;
  const Scratch scratch(way.table.gemm_scratch(g));
  const Index cut = way.table.gemm_column_step() < g.n ? way.table.gemm_column_step() : g.n;
  way.table.gemm(g, {0, g.m}, {0, cut}, scratch.get());
  way.table.gemm(g, {0, g.m}, {cut, g.n}, scratch.get());
  return y;
}

/// Checks the product of `a` by each of some ways.
void check_ways(const NarrowCase& c, const std::vector<float>& a, const std::vector<Way>& ways) {
  std::vector<double> expected;
  for (Index i = 0; i < c.gemm.m; ++i)
    for (Index j = 0; j < c.gemm.n; ++j) {
      double sum = static_cast<double>(c.bias[size(j)]);
      for (Index k = 0; k < c.gemm.k; ++k)
        sum += static_cast<double>(a[size(i * c.gemm.k + k)]) * static_cast<double>(c.number(k, j));
      expected.push_back(sum > 0 ? sum : 0);
    }
  for (const Way& way : ways) {
    CAPTURE(c.gemm.m);
    CAPTURE(c.gemm.k);
    CAPTURE(c.gemm.n);
    CAPTURE(c.gemm.narrow.bits);
    CAPTURE(c.gemm.narrow.block);
    CHECK(largest_error(product_by(way, c), expected) < 5e-5);
  }
}

void check_all(const NarrowCase& c) { check_ways(c, c.a, ways_of_floats()); }

}  // namespace

TEST_CASE("products with integers of a few bits agree with a double reference") {
  for (const Index bits : {2, 4, 8})
    for (const Index block : {16, 32, 128})
      for (const Index m : {1, 2, 5, 15})
        for (const Index k : {1, 16, 31, 130, 200}) {
          check_all(make_case(m, k, 1 + (k * 3 + m) % 70, {bits, block}));
        }
}

TEST_CASE("rows that are rounded to bytes, in blocks, meet integers of a few bits as bytes") {
  if (ways_of_bytes(4).empty()) MESSAGE("there are no such kernels for this CPU");
  for (const Index bits : {4, 8})
    for (const Index block : {8, 16, 32, 128})
      for (const Index m : {1, 2, 4, 7, 131})
        for (const Index k : {1, 16, 31, 130, 200}) {
          const NarrowCase c = make_case(m, k, 1 + (k * 3 + m) % 170, {bits, block});
          check_ways(c, rounded_rows(c), ways_of_bytes(bits));
        }
}

TEST_CASE("the greatest sums of rounded rows do not leave the bits they are kept in") {
  for (const Index bits : {4, 8}) {
    NarrowCase c = make_case(1, 256, 33, {bits, 256});
    std::ranges::fill(c.a, -1.0f);
    std::ranges::fill(c.integers, (Index{1} << bits) - 1);
    std::ranges::fill(c.zeros, 0.0f);
    std::ranges::fill(c.scales, -1.0f / 1024);
    check_ways(c, rounded_rows(c), ways_of_bytes(bits));
  }
}

TEST_CASE("rows of zeros round to zeros, and what is no number stays so") {
  NarrowCase c = make_case(3, 64, 40, {4, 32});
  std::fill_n(c.a.begin(), 64, 0.0f);
  c.a[64 + 40] = kNan;
  c.a[128 + 3] = std::numeric_limits<float>::infinity();
  c.gemm.epilogue = {};
  for (const Way& way : ways_of_bytes(4)) {
    const std::vector<float> y = product_by(way, c);
    for (std::size_t i = 0; i < 40; ++i) {
      CHECK(y[i] == 0);
      CHECK(std::isnan(y[40 + i]));
      CHECK(std::isnan(y[80 + i]));
    }
  }
}

TEST_CASE("products with narrow floats agree with a double reference") {
  for (const NarrowFloat type : {NarrowFloat::f16, NarrowFloat::bf16})
    for (const Index m : {1, 2, 15})
      for (const Index k : {1, 6, 33, 600})
        for (const Isa isa : supported_isas()) {
          const KernelTable& t = kernels(isa);
          const Index n = 1 + (k * 7 + m) % 70, columns = t.gemm_column_step();
          CAPTURE(m);
          CAPTURE(k);
          CAPTURE(n);
          CAPTURE(static_cast<int>(isa));
          const std::vector<float> a = noise(m * k, 5), b = noise(k * n, 6), bias = noise(n, 7);
          std::vector<std::uint16_t> halves(size(k * n));
          std::vector<float> rounded(size(k * n));
          t.narrow_floats(type, b.data(), halves.data(), k * n);
          t.widen_floats(type, halves.data(), rounded.data(), k * n);
          std::vector<std::uint16_t> panels;
          for (Index first = 0; first < n; first += columns)
            for (Index i = 0; i < k; ++i)
              for (Index j = first; j < first + columns; ++j)
                panels.push_back(j < n ? halves[size(i * n + j)] : std::uint16_t{0});
          std::vector<float> y(size(m * n), kNan);
          Gemm g;
          g.m = m;
          g.n = n;
          g.k = k;
          g.a = {a.data(), k, 1};
          g.packed_b = reinterpret_cast<const float*>(panels.data());
          g.narrow = {.bits = 16, .floats = type};
          g.c = y.data();
          g.c_stride = n;
          g.epilogue.bias = bias.data();
          g.epilogue.bias_kind = BiasKind::per_column;
          const Scratch scratch(t.gemm_scratch(g));
          const Index cut = columns < n ? columns : n;
          t.gemm(g, {0, m}, {0, cut}, scratch.get());
          t.gemm(g, {0, m}, {cut, n}, scratch.get());
          std::vector<double> expected;
          for (Index i = 0; i < m; ++i)
            for (Index j = 0; j < n; ++j) {
              double sum = static_cast<double>(bias[size(j)]);
              for (Index e = 0; e < k; ++e)
                sum += static_cast<double>(a[size(i * k + e)]) *
                       static_cast<double>(rounded[size(e * n + j)]);
              expected.push_back(sum);
            }
          CHECK(largest_error(y, expected) < 5e-5);
        }
}

TEST_CASE("products with integers of a few bits take a deep k in steps that cut words") {
  for (const Index bits : {2, 4, 8})
    for (const Index k : {513, 1538, 1600})
      for (const Index m : {1, 3, 160}) check_all(make_case(m, k, 33, {bits, 64}));
}

TEST_CASE("the row of a product with integers of a few bits may lie in steps") {
  for (const Index bits : {2, 4, 8}) {
    NarrowCase c = make_case(1, 70, 40, {bits, 32});
    const std::vector<float> spread = [&] {
      std::vector<float> out(size(70 * 3), kNan);
      for (Index i = 0; i < 70; ++i) out[size(i * 3)] = c.a[size(i)];
      return out;
    }();
    NarrowCase strided = c;
    strided.gemm.a = {spread.data(), 1, 3};
    for_each_isa([&](const KernelTable& t) {
      const std::vector<float> b = packed(c, t.gemm_column_step());
      const auto run = [&](Gemm g) {
        std::vector<float> y(40, kNan);
        g.packed_b = b.data();
        g.c = y.data();
        g.c_stride = g.n;
        const Scratch scratch(t.gemm_scratch(g));
        t.gemm(g, {0, 1}, {0, g.n}, scratch.get());
        return y;
      };
      CHECK(run(c.gemm) == run(strided.gemm));
    });
  }
}

}  // namespace strata::kernels::testing
