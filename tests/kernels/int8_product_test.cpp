#include <doctest/doctest.h>

#include <random>

#include "int8_testing.h"

namespace strata::kernels::testing {
namespace {

struct Sizes {
  Index m, k, n;
};

/// A product with its operands as they lie.
struct Operands {
  Sizes s;
  ByteMatrix a, b;
  Bytes a_bytes, b_bytes;

  Operands(Sizes sizes, ByteKind a_kind, ByteKind b_kind)
      : s(sizes), a_bytes(byte_noise(s.m * s.k, 5)), b_bytes(byte_noise(s.k * s.n, 6)) {
    a = {a_bytes.data(), s.k, 1, a_kind};
    b = {b_bytes.data(), s.n, 1, b_kind};
  }
  std::int64_t left(Index i, Index k) const {
    return value_of(a_bytes[size(i * a.row_stride + k * a.column_stride)], a.kind);
  }
  std::int64_t right(Index k, Index j) const {
    return value_of(b_bytes[size(k * b.row_stride + j * b.column_stride)], b.kind);
  }
  /// Bytes as they are stored for some products.
  std::int64_t stored_left(const Int8Products& t, Index i, Index k) const {
    return left(i, k) + moved_by(a.kind, t.left_kind);
  }
  std::int64_t stored_right(const Int8Products& t, Index k, Index j) const {
    return right(k, j) + moved_by(b.kind, t.right_kind);
  }
  std::int64_t sum(const Int8Products& t, Index i, Index j) const {
    std::int64_t total = 0;
    for (Index k = 0; k < s.k; ++k) total += stored_left(t, i, k) * stored_right(t, k, j);
    return total;
  }
};

Index padded(Index n) { return (n + 63) / 64 * 64; }

/// The right operand packed in two parts, with the sums of its columns; no words where it does not
/// suit.
struct PackedRight {
  Words words, sums;

  PackedRight(const Int8Products& t, const Operands& o) {
    const auto [m, k, n] = o.s;
    const Index cut = n / 2 / t.column_step * t.column_step;
    words.assign(size(t.right_size(k, n)), -1);
    sums.assign(size(padded(n)), -1);
    t.pack_right(o.b, k, n, {0, cut}, words.data());
    t.pack_right(o.b, k, n, {cut, n}, words.data());
    t.column_sums(words.data(), k, n, sums.data());
    if (!t.more_right) return;
    const Index more = t.more_right(words.data(), k, n);
    words.resize(more < 0 ? 0 : words.size() + size(more));
    if (more >= 0) t.pack_more(words.data(), k, n);
  }
};

/// Multiplies in two parts each way, and compares each element with the definition.
void check_packed(const Int8Products& t, const Operands& o, const PackedRight& right,
                  SumFinish finish) {
  const auto [m, k, n] = o.s;
  Words left(size(t.left_size(m, k)), -1), row_sums(size(m));
  const Index row_cut = m / 2 / t.row_step(m, k) * t.row_step(m, k);
  const Index column_cut = n / 2 / t.column_step * t.column_step;
  t.pack_left(o.a, m, k, {0, row_cut}, left.data(), row_sums.data());
  t.pack_left(o.a, m, k, {row_cut, m}, left.data(), row_sums.data());
  for (Index i = 0; i < m; ++i) {
    std::int64_t sum = 0;
    for (Index p = 0; p < k; ++p) sum += o.stored_left(t, i, p);
    REQUIRE(row_sums[size(i)] == sum);
  }
  for (Index j = 0; j < n; ++j) {
    std::int64_t sum = 0;
    for (Index p = 0; p < k; ++p) sum += o.stored_right(t, p, j);
    REQUIRE(right.sums[size(j)] == sum);
  }
  const Index stride = n + 3;
  std::vector<std::int32_t> c(size(m * stride + 16), 0x5a5a5a5a);
  const Int8Product product{m, n, k, left.data(), right.words.data(), finish, c.data(), stride};
  Words scratch(size(t.multiply_scratch(m, k, n)));
  for (const Range rows : {Range{0, row_cut}, Range{row_cut, m}})
    for (const Range columns : {Range{0, column_cut}, Range{column_cut, n}})
      t.multiply(product, rows, columns, scratch.data());
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < n; ++j)
      REQUIRE(output_at(finish, c.data(), i * stride + j) ==
              finished(finish, i, j, o.sum(t, i, j)));
  // What lies between the rows is not the product's.
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(c.data());
  const Index width = output_bytes(finish);
  for (Index i = 0; i < m; ++i)
    for (Index b = 0; b < 3 * width; ++b) REQUIRE(bytes[(i * stride + n) * width + b] == 0x5a);
}

void check_product(const Int8Kernels& t, const Operands& o, const SumFinish& finish) {
  check_packed(t, o, PackedRight(t, o), finish);
  const auto [m, k, n] = o.s;
  if (o.a.column_stride == 1 && o.a.row_stride == k) {
    Words dense(size(m), -1);
    t.row_sums(o.a.data, m, k, o.a.kind, dense.data());
    for (Index i = 0; i < m; ++i) {
      std::int64_t sum = 0;
      for (Index p = 0; p < k; ++p) sum += o.stored_left(t, i, p);
      REQUIRE(dense[size(i)] == sum);
    }
  }
  if (!t.quads) return;
  const PackedRight right(*t.quads, o);
  if (!right.words.empty() || n == 0) check_packed(*t.quads, o, right, finish);
}

/// The same of a product of zeros, so that sums are what columns add.
void check_sums(const Int8Kernels& t, Index m, Index n, const SumFinish& finish) {
  Operands zeros({m, 1, n}, ByteKind::i8, ByteKind::u8);
  for (std::uint8_t& byte : zeros.a_bytes) byte = 0;
  zeros.a.data = zeros.a_bytes.data();
  check_product(t, zeros, finish);
}

constexpr ByteKind kKinds[] = {ByteKind::u8, ByteKind::i8};

}  // namespace

TEST_CASE("products of bytes of every small size are exact") {
  for (Index m = 1; m <= 30; m += m < 16 ? 1 : 7)
    for (Index n = 1; n <= 70; n += n < 3 ? 1 : 11) {
      const Operands o({m, 1 + (m * 5 + n) % 19, n}, kKinds[m % 2], kKinds[n % 2]);
      for_each_int8([&](const Int8Kernels& t) {
        CAPTURE(t.name);
        CAPTURE(m);
        CAPTURE(n);
        check_product(t, o, {});
      });
    }
}

TEST_CASE("rows of whole words and of parts of one are packed alike") {
  for (const Index m : {1, 3, 4, 6, 7, 8, 13, 14, 15, 29})
    for (const Index k : {4, 8, 12, 20, 64, 66, 67})
      for (const ByteKind kind : kKinds) {
        const Operands o({m, k, 5}, kind, ByteKind::i8);
        for_each_int8([&](const Int8Kernels& t) {
          CAPTURE(t.name);
          CAPTURE(m);
          CAPTURE(k);
          check_product(t, o, {});
        });
      }
}

TEST_CASE("the greatest products do not saturate") {
  for (const ByteKind a_kind : kKinds)
    for (const ByteKind b_kind : kKinds)
      for (const std::uint8_t a : {0, 127, 128, 255})
        for (const std::uint8_t b : {0, 127, 128, 255}) {
          Operands o({3, 37, 33}, a_kind, b_kind);
          for (std::uint8_t& x : o.a_bytes) x = a;
          for (std::uint8_t& x : o.b_bytes) x = b;
          for_each_int8([&](const Int8Kernels& t) { check_product(t, o, {}); });
        }
}

TEST_CASE("a constant right operand whose pairs are rarely large suits products of four bytes") {
  for (const Index apart : {1, 2, 9, 60})
    for (const Sizes s : {Sizes{1, 64, 16}, Sizes{6, 64, 40}, Sizes{14, 67, 33}, Sizes{50, 9, 300}})
      for (const ByteKind kind : kKinds) {
        Operands o(s, kind, ByteKind::i8);
        for (std::uint8_t& x : o.a_bytes) x |= 0xe0;  // or u8 would be too small to leave 16 bits
        for (std::uint8_t& x : o.b_bytes) x = static_cast<std::uint8_t>(x % 100 - 50);
        for (Index i = 0; i + 1 < s.k; i += 2 * apart)
          for (const Index row : {i, i + 1})
            o.b_bytes[size(row * s.n + i % s.n)] = i % 4 ? 0x80 : 0x7f;
        for_each_int8([&](const Int8Kernels& t) {
          if (!t.quads) return;
          const PackedRight right(*t.quads, o);
          CAPTURE(apart);
          CAPTURE(s.n);
          if (apart >= 9) REQUIRE(!right.words.empty());
          if (!right.words.empty()) check_packed(*t.quads, o, right, {});
        });
      }
}

TEST_CASE("a right operand of large weights does not suit products of four bytes") {
  Operands o({3, 40, 33}, ByteKind::u8, ByteKind::i8);
  for (std::uint8_t& x : o.b_bytes) x = 100;
  for_each_int8([&](const Int8Kernels& t) {
    if (t.quads) CHECK(PackedRight(*t.quads, o).words.empty());
  });
}

TEST_CASE("sums beyond 32 bits wrap") {
  Operands o({1, 70000, 1}, ByteKind::i8, ByteKind::u8);
  for (std::uint8_t& x : o.a_bytes) x = 127;
  for (std::uint8_t& x : o.b_bytes) x = 255;
  REQUIRE(o.sum(*supported_int8_kernels()[0], 0, 0) > INT32_MAX);
  for_each_int8([&](const Int8Kernels& t) { check_product(t, o, {}); });
}

TEST_CASE("operands of a byte product may have any strides") {
  for (const Sizes s : {Sizes{5, 9, 40}, Sizes{17, 6, 3}, Sizes{1, 33, 70}}) {
    Operands o(s, ByteKind::u8, ByteKind::i8);
    o.a.row_stride = 1;
    o.a.column_stride = s.m;
    o.b.row_stride = 1;
    o.b.column_stride = s.k;
    for_each_int8([&](const Int8Kernels& t) { check_product(t, o, {}); });
  }
}

TEST_CASE("no steps, many steps, and more columns than are finished together") {
  for (const Sizes s :
       {Sizes{3, 0, 5}, Sizes{2, 20000, 35}, Sizes{4, 3, 601}, Sizes{31, 300, 513}}) {
    const Operands o(s, ByteKind::u8, ByteKind::i8);
    for_each_int8([&](const Int8Kernels& t) { check_product(t, o, {}); });
  }
}

TEST_CASE("steps of several blocks, the last of which meets some again") {
  for (const Index m : {3, 16, 17, 49})
    for (const Index k : {63, 65, 68, 130, 257})
      for (const Index n : {16, 33, 260}) {
        const Operands o({m, k, n}, kKinds[m % 2], kKinds[n % 2]);
        for_each_int8([&](const Int8Kernels& t) {
          CAPTURE(t.name);
          CAPTURE(m);
          CAPTURE(k);
          CAPTURE(n);
          check_product(t, o, {});
        });
      }
}

TEST_CASE("products of so many rows that the right operand is widened first are exact") {
  for (const Sizes s : {Sizes{120, 1001, 150}, Sizes{110, 4100, 40}, Sizes{99, 2, 300}})
    for (const ByteKind kind : kKinds) {
      const Operands o(s, ByteKind::u8, kind);
      for_each_int8([&](const Int8Kernels& t) {
        CAPTURE(t.name);
        CAPTURE(s.m);
        check_product(t, o, {});
      });
    }
}

TEST_CASE("the memory of a whole product is enough for fewer rows and columns") {
  for_each_int8([&](const Int8Kernels& t) {
    CAPTURE(t.name);
    for (Index m = 40; m <= 60; ++m)
      for (Index k = 2; k <= 10000; k += 1 + k / 9)
        for (Index n = 1; n <= 300; n += 1 + n / 4) {
          const Index words = t.multiply_scratch(m, k, n);
          REQUIRE(words <= t.multiply_scratch(m + 1, k, n));
          REQUIRE(words <= t.multiply_scratch(m, k, n + 1 + n / 4));
        }
  });
}

TEST_CASE("corrections and finishes by number, row and column") {
  const Sizes s{15, 21, 45};
  const Operands o(s, ByteKind::u8, ByteKind::i8);
  Words rows(size(s.m)), columns(size(padded(s.n))), others(size(padded(s.n)));
  std::vector<float> scale(64), bias(64), divisor(64);
  std::vector<double> factor(64), offset(64);
  for (std::size_t i = 0; i < 64; ++i) {
    if (i < rows.size()) rows[i] = static_cast<std::int32_t>(i * i) - 50;
    columns[i] = 3 * static_cast<std::int32_t>(i) - 70;
    others[i] = 1000 - 17 * static_cast<std::int32_t>(i);
    scale[i] = 0.01f * static_cast<float>(i + 1);
    bias[i] = static_cast<float>(i) - 20.3f;
    divisor[i] = 0.3f * static_cast<float>(i);  // the first quotients are infinite, or NaN
    factor[i] = 1e-4 * static_cast<double>(i + 1);
    offset[i] = static_cast<double>(i) / 2;
  }
  struct Steps {
    Index row, column;
  };
  for (const Steps steps : {Steps{0, 0}, Steps{1, 0}, Steps{0, 1}})
    for (const SumOutput output :
         {SumOutput::sums, SumOutput::floats, SumOutput::bytes, SumOutput::quantised})
      for (const int given : {0, 1, 2, 3}) {
        SumFinish f;
        f.output = output;
        if (given & 1) f.row_add = rows.data();
        if (given & 1) f.terms[0] = {rows.data(), columns.data()};
        if (given & 2) f.column_add = columns.data();
        if (given & 2) f.terms[1] = {rows.data(), others.data()};
        f.scale = {scale.data(), steps.row, steps.column};
        if (given & 1) f.bias = {bias.data(), steps.column, steps.row};
        f.divisor = {divisor.data(), steps.row, steps.column};
        f.factor = {factor.data(), steps.row, steps.column};
        f.offset = {offset.data(), steps.row, steps.column};
        f.zero = given == 3 ? 7 : 0;
        f.low = given & 1 ? -128 : 0;
        f.high = given & 1 ? 127 : 255;
        for_each_int8([&](const Int8Kernels& t) {
          CAPTURE(t.name);
          CAPTURE(static_cast<int>(output));
          check_product(t, o, f);
        });
      }
}

TEST_CASE("halves are rounded to even before the zero point is added") {
  Operands o({1, 1, 64}, ByteKind::i8, ByteKind::u8);
  o.a_bytes[0] = 1;
  for (std::size_t j = 0; j < 64; ++j) o.b_bytes[j] = static_cast<std::uint8_t>(j);
  const double half = 0.5, nothing = 0;
  SumFinish f;
  f.output = SumOutput::bytes;
  f.factor = {&half};
  f.offset = {&nothing};
  f.zero = 3;
  for_each_int8([&](const Int8Kernels& t) {
    check_product(t, o, f);
    Words left(size(t.left_size(1, 1))), right(size(t.right_size(1, 64))), sums(1);
    t.pack_left(o.a, 1, 1, {0, 1}, left.data(), sums.data());
    t.pack_right(o.b, 1, 64, {0, 64}, right.data());
    Bytes c(64);
    t.multiply({1, 64, 1, left.data(), right.data(), f, c.data(), 64}, {0, 1}, {0, 64}, nullptr);
    const Bytes first(c.begin(), c.begin() + 8);
    CHECK(first == Bytes{3, 3, 4, 5, 5, 5, 6, 7});  // 0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5
  });
}

TEST_CASE("what floats cannot tell from the middle between two is rounded as doubles are") {
  Operands o({1, 1, 300}, ByteKind::i8, ByteKind::u8);
  o.a_bytes[0] = 3;
  for (std::size_t j = 0; j < 300; ++j) o.b_bytes[j] = static_cast<std::uint8_t>(j);
  struct Ends {
    double offset;
    std::int32_t zero, low, high;
  };
  for (const double factor : {0.5 - 0x1p-45, 0.5, 1.0 / 6, -0.5 + 0x1p-50, 0.05, 0.0123, 1e-300})
    for (const Ends& ends : {Ends{0, 128, 0, 255}, Ends{0, -128, -128, 127}, Ends{0, 9, 20, 60},
                             Ends{129, 0, 0, 255}, Ends{-128, 0, -128, 127}, Ends{0.3, 7, 0, 255},
                             Ends{-254.99, 0, -128, 127}, Ends{3e5, 0, 0, 255}})
      for (const std::int32_t add : {-300, 0, INT32_MAX - 1000, INT32_MIN}) {
        SumFinish f;
        f.row_add = &add;
        f.output = SumOutput::bytes;
        f.factor = {&factor};
        f.offset = {&ends.offset};
        f.zero = ends.zero;
        f.low = ends.low;
        f.high = ends.high;
        for_each_int8([&](const Int8Kernels& t) {
          CAPTURE(t.name);
          CAPTURE(factor);
          CAPTURE(add);
          check_product(t, o, f);
        });
      }
}

TEST_CASE("quotients near the middle between two are rounded as they are") {
  Operands o({1, 1, 300}, ByteKind::i8, ByteKind::u8);
  o.a_bytes[0] = 3;
  for (std::size_t j = 0; j < 300; ++j) o.b_bytes[j] = static_cast<std::uint8_t>(j);
  for (const float scale : {0.5f, 0.1f, 1.0f / 3, 1e30f, -0.3f})
    for (const float divisor : {1.0f, 0.2f, 3.0f, 0x1p-61f, 0x1p61f})
      for (const bool is_signed : {false, true}) {
        SumFinish f;
        f.output = SumOutput::quantised;
        f.scale = {&scale};
        f.divisor = {&divisor};
        f.zero = is_signed ? -9 : 20;
        f.low = is_signed ? -128 : f.zero;  // as behind a relu
        f.high = is_signed ? 127 : 255;
        for_each_int8([&](const Int8Kernels& t) {
          CAPTURE(t.name);
          CAPTURE(scale);
          CAPTURE(divisor);
          check_product(t, o, f);
        });
      }
}

TEST_CASE("sums with a bias become the bytes that their quotients are nearest to") {
  constexpr Index n = 101;
  std::mt19937 random(7);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution(low, high)(random);
  };
  for (int i = 0; i < 3000; ++i) {
    const auto divisor = static_cast<float>(std::exp2(uniform(-9, 3)));
    const double most = i % 2 == 0 ? 140 : 4300;
    const double ratio = std::exp2(uniform(-14, 0)), shift = uniform(-most, most);
    const auto scale = static_cast<float>(ratio) * divisor;
    const auto bias = static_cast<float>(shift) * divisor;
    SumFinish f;
    f.output = i % 3 == 0 ? SumOutput::bytes : SumOutput::quantised;
    f.scale = {&scale};
    f.bias = {&bias};
    f.divisor = {&divisor};
    f.factor = {&ratio};
    f.offset = {&shift};
    f.zero = static_cast<std::int32_t>(uniform(0, 255));
    Words sums(size(padded(n)));
    for (Index j = 0; j < n; ++j)  // so that few of them saturate
      sums[size(j)] =
          static_cast<std::int32_t>(std::round((uniform(-1, 256) - f.zero - shift) / ratio));
    f.column_add = sums.data();
    CAPTURE(i);
    for_each_int8([&](const Int8Kernels& t) {
      CAPTURE(t.name);
      check_sums(t, 1, n, f);
    });
  }
}

TEST_CASE("large sums become numbers of every kind") {
  const std::int32_t add[] = {5, -7, 1 << 20};
  const float scale[] = {0.25f, 0.5f, 1e-4f}, bias = 3, divisor = 0.7f;
  const double factor[] = {0.01, 0.5, 1e-5}, offset = 0;
  for (const SumOutput output :
       {SumOutput::sums, SumOutput::floats, SumOutput::bytes, SumOutput::quantised})
    for (const Index n : {1, 7, 16, 31, 32, 64, 101})
      for (const Index apart : {0, 1}) {  // what rows share, or have each for itself
        SumFinish f;
        f.row_add = add;
        f.output = output;
        f.scale = {scale, apart};
        f.bias = {&bias};
        f.divisor = {&divisor};
        f.factor = {factor, apart};
        f.offset = {&offset};
        f.zero = 3;
        Words sums(size(padded(n)));
        for (Index j = 0; j < n; ++j)
          sums[size(j)] = static_cast<std::int32_t>(j * 83886 % 16777216);
        f.column_add = sums.data();
        for_each_int8([&](const Int8Kernels& t) {
          CAPTURE(t.name);
          CAPTURE(static_cast<int>(output));
          CAPTURE(n);
          CAPTURE(apart);
          check_sums(t, 3, n, f);
        });
      }
}

}  // namespace strata::kernels::testing
