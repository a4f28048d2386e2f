#include <doctest/doctest.h>

#include <bit>

#include "attention_reference.h"

namespace strata::kernels::testing {
namespace {

/// An attention with the memory its views point to.
struct Case {
  Attention call;
  std::vector<float> q, k, v, mask;
};

enum class Layout { rows, columns, apart };  ///< apart: no elements are neighbours

MatrixView view(const std::vector<float>& data, Index rows, Index columns, Layout layout) {
  if (layout == Layout::rows) return {data.data(), columns, 1};
  if (layout == Layout::columns) return {data.data(), 1, rows};
  return {data.data(), 2 * columns, 2};
}

Case make_case(Index queries, Index keys, Index depth, Index width, Layout layout = Layout::rows) {
  Case c;
  c.q = noise(2 * queries * depth, 1);
  c.k = noise(2 * keys * depth, 2);
  c.v = noise(2 * keys * width, 3);
  c.mask = noise(queries * keys, 4);
  Attention& a = c.call;
  a.queries = queries;
  a.keys = keys;
  a.depth = depth;
  a.width = width;
  a.q = view(c.q, queries, depth, layout);
  a.k = view(c.k, keys, depth, layout);
  a.v = view(c.v, keys, width, layout);
  a.scale = 2 / std::sqrt(static_cast<float>(depth));
  return c;
}

/// The rows of y, computed in two parts, with something between them that must stay.
std::vector<float> run(const KernelTable& t, Attention a) {
  a.y_stride = a.width + 3;
  std::vector<float> memory(size(a.queries * a.y_stride), 77.0F);
  a.y = memory.data();
  const Scratch scratch(t.attention_scratch(a));
  const Index middle = a.queries / 2 / t.gemm_row_step(a.queries) * t.gemm_row_step(a.queries);
  t.attention(a, {0, middle}, scratch.get());
  t.attention(a, {middle, a.queries}, scratch.get());
  std::vector<float> y;
  for (Index i = 0; i < a.queries; ++i) {
    for (Index j = 0; j < a.width; ++j) y.push_back(memory[size(i * a.y_stride + j)]);
    for (Index j = a.width; j < a.y_stride; ++j) CHECK(memory[size(i * a.y_stride + j)] == 77.0F);
  }
  return y;
}

void check_case(const Case& c) {
  CAPTURE(c.call.queries);
  CAPTURE(c.call.keys);
  CAPTURE(c.call.depth);
  CAPTURE(c.call.width);
  const std::vector<double> expected = reference(c.call);
  for_each_isa(
      [&](const KernelTable& t) { CHECK(largest_error(run(t, c.call), expected) < kTolerance); });
}

}  // namespace

TEST_CASE("attention agrees with its definition for every small size") {
  for (const Index queries : {1, 2, 3, 4, 7, 14, 15, 31}) {
    for (const Index keys : {1, 2, 15, 16, 17, 33, 100}) {
      const Index depth = 1 + (queries * 5 + keys * 3) % 40;
      const Index width = 1 + (queries * 3 + keys * 7) % 50;
      check_case(make_case(queries, keys, depth, width));
    }
  }
}

TEST_CASE("attention over many keys, long queries and pages of floats") {
  for (const Index queries : {2, 5, 40}) {
    check_case(make_case(queries, 1024, 16, 32));
    check_case(make_case(queries, 4500, 3, 5));
    check_case(make_case(queries, 20, 1024, 16));
    check_case(make_case(queries, 400, 500, 64));
  }
}

TEST_CASE("attention reads operands in any layout") {
  for (const Layout layout : {Layout::columns, Layout::apart}) {
    for (const Index queries : {1, 3, 6, 29}) {
      check_case(make_case(queries, 37, 24, 32, layout));
      check_case(make_case(queries, 16, 5, 7, layout));
    }
  }
  for (const Index queries : {1, 9}) {  // keys as columns, values as rows
    Case c = make_case(queries, 50, 8, 16);
    c.call.k = view(c.k, 50, 8, Layout::columns);
    check_case(c);
  }
}

TEST_CASE("attention adds a mask that may stretch") {
  for (const Index queries : {1, 3, 20}) {
    for (const Index keys : {1, 16, 45}) {
      Case c = make_case(queries, keys, 8, 16);
      const std::vector<MatrixView> masks = {{c.mask.data(), keys, 1},
                                             {c.mask.data(), 0, 1},
                                             {c.mask.data(), 1, 0},
                                             {c.mask.data(), 0, 0},
                                             {c.mask.data(), 1, queries}};
      for (const MatrixView& mask : masks) {
        c.call.mask = mask;
        check_case(c);
      }
    }
  }
}

TEST_CASE("attention caps the products") {
  for (const Index queries : {1, 17}) {
    Case c = make_case(queries, 40, 16, 8);
    c.call.cap = 0.75F;
    check_case(c);
    c.call.mask = {c.mask.data(), 40, 1};
    check_case(c);
  }
}

TEST_CASE("keys that the mask hides have no weight, whatever their values are") {
  constexpr float kLow[] = {-kInf, -1e4F, -3e38F, -200};
  for (const float low : kLow) {
    for (const Index queries : {1, 20}) {
      Case c = make_case(queries, 35, 8, 16);
      c.mask.assign(size(queries * 35), 0);
      for (Index i = 0; i < queries * 35; i += 3) c.mask[size(i)] = low;
      c.call.mask = {c.mask.data(), 35, 1};
      check_case(c);
    }
  }
}

TEST_CASE("a query that sees no key is NaN, or 0 where that is asked for") {
  for (const Index queries : {2, 20}) {
    Case c = make_case(queries, 18, 8, 16);
    c.mask.assign(size(queries * 18), 0);
    for (Index key = 0; key < 18; ++key) c.mask[size(18 + key)] = -kInf;
    c.call.mask = {c.mask.data(), 18, 1};
    check_case(c);
    std::vector<double> expected = reference(c.call);
    for (std::size_t j = 16; j < 32; ++j) expected[j] = 0;
    c.call.hidden = HiddenQuery::zero;
    for_each_isa(
        [&](const KernelTable& t) { CHECK(largest_error(run(t, c.call), expected) < kTolerance); });
  }
}

TEST_CASE("scores that are -inf without a mask are NaN all the same") {
  Case c = make_case(1, 1, 1, 4);
  c.q[0] = -kInf;
  c.k[0] = 1;
  c.call.hidden = HiddenQuery::zero;
  for_each_isa([&](const KernelTable& t) {
    for (const float y : run(t, c.call)) CHECK(std::isnan(y));
  });
}

TEST_CASE("NaN and infinite scores spoil their query only") {
  const float odd_nan = std::bit_cast<float>(0xffc001ffu);  // with something in its last bits
  for (const float bad : {kNan, odd_nan, kInf}) {
    for (const Index queries : {2, 3, 20}) {
      Case c = make_case(queries, 21, 4, 16);
      c.mask.assign(size(queries * 21), 0);
      c.mask[21 + 5] = bad;
      c.call.mask = {c.mask.data(), 21, 1};
      check_case(c);
    }
  }
}

TEST_CASE("attention to no keys is 0") {
  for (const Index queries : {1, 5}) {
    const Case c = make_case(queries, 0, 4, 6);
    for_each_isa([&](const KernelTable& t) {
      CHECK(run(t, c.call) == std::vector<float>(size(queries * 6), 0.0F));
    });
  }
}

}  // namespace strata::kernels::testing
