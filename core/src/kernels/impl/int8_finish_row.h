#pragma once

#include "kernels/impl/int8_finish.h"
#include "kernels/impl/int8_near.h"
#include "kernels/impl/int8_rounding.h"

/// `finish_part` for the vectors of this instruction set.
namespace strata::kernels {
namespace {

/// Some columns of one row.
struct RowPart {
  Index row;
  Index column;
  Index size;
};

/// Adds the products of rows and columns, in whole vectors.
[[gnu::noinline]] void add_terms(const SumFinish& f, const RowPart& part, Word* sums) {
  const Index size = round_up(part.size, kLanes);
  for (const SumTerm& term : f.terms) {
    if (!term.rows) continue;
    const Vu factor = broadcast_word(term.rows[part.row]);
    const Word* columns = term.columns + part.column;
    for (Index j = 0; j < size; j += kLanes)
      store_words(sums + j, load_words(sums + j) + factor * load_words(columns + j));
  }
}

/// Sums of a row, with what is added to all of them and to each.
struct RowSums {
  const Word* data;
  Word add;
  const Word* columns;  ///< or null
  Vi at(Index j) const {
    Vu sum = load_words(data + j) + broadcast_word(add);
    if (columns) sum += load_words(columns + j);
    return reinterpret_cast<Vi>(sum);
  }
  RowSums from(Index j) const { return {data + j, add, columns ? columns + j : nullptr}; }
};

inline RowSums row_sums(const SumFinish& f, const RowPart& part, const Word* sums) {
  return {sums, f.row_add ? f.row_add[part.row] : 0,
          f.column_add ? f.column_add + part.column : nullptr};
}

inline void finish_sums(const RowSums& sums, Index n, Word* y) {
  Index j = 0;
  for (; j + kLanes <= n; j += kLanes) store_words(y + j, reinterpret_cast<Vu>(sums.at(j)));
  if (j < n) store_first_words(y + j, reinterpret_cast<Vu>(sums.at(j)), n - j);
}

/// One number for all columns of a part, or where theirs begin.
template <class T>
struct PartValues {
  const T* each;  ///< null for one number
  T one;
};

template <class T>
inline PartValues<T> values_of(const Stretched<T>& values, const RowPart& part) {
  if (!values.data) return {nullptr, T{}};
  const T* data = values.data + part.row * values.row_step + part.column * values.column_step;
  return {values.column_step ? data : nullptr, *data};
}

/// Those of the vector from column `j` on, of which `left` exist.
inline Vf load_values(const PartValues<float>& values, Index j, Index left) {
  return values.each ? load_upto(values.each + j, left) : broadcast(values.one);
}
inline Vd load_values(const PartValues<double>& values, Index j, Index left) {
  if (!values.each) return Vd{} + values.one;
  if (left >= kWideLanes) return *reinterpret_cast<const UnalignedVd*>(values.each + j);
  Vd out{};
  for (Index i = 0; i < left; ++i) out[i] = values.each[j + i];
  return out;
}

struct FloatFinish {
  PartValues<float> scale, bias;
  bool is_biased;

  FloatFinish(const SumFinish& f, const RowPart& part)
      : scale(values_of(f.scale, part)),
        bias(values_of(f.bias, part)),
        is_biased(f.bias.data != nullptr) {}
  Vf value(const RowSums& sums, Index j, Index left) const {
    Vf x = to_float(sums.at(j)) * load_values(scale, j, left);
    if (is_biased) x += load_values(bias, j, left);
    return x;
  }
};

inline void finish_floats(const SumFinish& f, const RowPart& part, const RowSums& sums, float* y) {
  const FloatFinish finish(f, part);
  for (Index j = 0; j < part.size; j += kLanes)
    store_upto(y + j, finish.value(sums, j, part.size - j), part.size - j);
}

/// Writes the bytes of less than a vector.
template <class Finish>
[[gnu::noinline, gnu::cold]] void store_rest(const Finish& finish, const RowSums& sums,
                                             Range columns, std::uint8_t* y) {
  std::uint8_t bytes[kLanes];
  store_bytes(bytes, finish.vector(sums, columns.begin, columns.end - columns.begin));
  for (Index i = 0; columns.begin + i < columns.end; ++i) y[columns.begin + i] = bytes[i];
}

/// Writes the bytes of some sums, by vectors.
template <class Finish>
inline void store_exactly(const Finish& finish, const RowSums& sums, Range columns,
                          std::uint8_t* y) {
  Index j = columns.begin;
  for (; j + kLanes <= columns.end; j += kLanes) store_bytes(y + j, finish.vector(sums, j, kLanes));
  if (j < columns.end) store_rest(finish, sums, {j, columns.end}, y);
}

struct ByteFinish {
  PartValues<double> factor, offset;
  std::int32_t low, high, zero;

  ByteFinish(const SumFinish& f, const RowPart& part)
      : factor(values_of(f.factor, part)),
        offset(values_of(f.offset, part)),
        low(f.low - f.zero),
        high(f.high - f.zero),
        zero(f.zero) {}

  /// Half a vector of sums from column `j` on, as whole numbers.
  [[gnu::always_inline]] HalfVi half(HalfVi sums, Index j, Index left) const {
    const Vd x = to_double(sums) * load_values(factor, j, left) + load_values(offset, j, left);
    return rounded(at_most(at_least(x, Vd{} + low), Vd{} + high));
  }
  /// The vector from column `j` on, of which `left` are there.
  [[gnu::always_inline]] Vi vector(const RowSums& sums, Index j, Index left) const {
    const HalfVectors x = halves_of(sums.at(j));
    return joined({half(x.first, j, left), half(x.second, j + kWideLanes, left - kWideLanes)}) +
           zero;
  }
  void store(const RowSums& sums, Index n, std::uint8_t* y) const {
    store_exactly(*this, sums, {0, n}, y);
  }
};

struct QuantisedFinish {
  FloatFinish floats;
  PartValues<float> divisor;
  ByteEnds ends;

  QuantisedFinish(const SumFinish& f, const RowPart& part)
      : floats(f, part), divisor(values_of(f.divisor, part)), ends{f.zero, f.low, f.high} {}

  /// Whether there is a single divisor that has an inverse.
  bool has_inverse() const {
    return !divisor.each && divisor.one > 0x1p-60f && divisor.one < 0x1p60f;
  }
  /// The vector from column `j` on, of which `left` are there; NaN becomes the lowest.
  [[gnu::always_inline]] Vi vector(const RowSums& sums, Index j, Index left) const {
    const Vf low = broadcast(static_cast<float>(ends.low - ends.zero));
    const Vf high = broadcast(static_cast<float>(ends.high - ends.zero));
    const Vf x = floats.value(sums, j, left) / load_values(divisor, j, left);
    return nearest_int(at_most(at_least(low, x), high)) + ends.zero;
  }
  /// Groups by products with the inverse, which are off by less than 1e-4 where they do not
  /// saturate.
  void store(const RowSums& sums, Index n, std::uint8_t* y) const {
    const Index near_size = has_inverse() ? n / kByteGroup * kByteGroup : 0;
    const Vf inverse = 1.0f / broadcast(divisor.one), most = broadcast(0x1p30f);
    const auto near = [=, values = floats](Index j) {
      return at_most(values.value(sums, j, kLanes) * inverse, most);
    };
    const auto write_exactly = [&](Index j) { store_exactly(*this, sums, {j, j + kByteGroup}, y); };
    store_nearest(near_size, ends, y, broadcast(kMiddle), near, write_exactly);
    store_exactly(*this, sums, {near_size, n}, y);
  }
};

/// For any row that becomes bytes.
[[gnu::noinline]] void finish_any_bytes(const SumFinish& f, const RowPart& part,
                                        const RowSums& sums, std::uint8_t* y) {
  f.output == SumOutput::bytes ? ByteFinish(f, part).store(sums, part.size, y)
                               : QuantisedFinish(f, part).store(sums, part.size, y);
}

/// Whether rows become bytes by numbers of their columns.
inline bool has_columns(const SumFinish& f) {
  return (f.scale.column_step | f.bias.column_step | f.divisor.column_step | f.factor.column_step |
          f.offset.column_step) != 0;
}

/// Rows that become bytes by such numbers.
inline void finish_byte_columns(const SumFinish& f, const SumPart& part, Word* sums,
                                std::uint8_t* y) {
  for (Index row = part.rows.begin; row < part.rows.end;
       ++row, sums += part.step, y += part.y_step) {
    const RowPart all{row, part.columns.begin, part.size()};
    add_terms(f, all, sums);
    finish_any_bytes(f, all, row_sums(f, all, sums), y);
  }
}

/// The number of a row, or 0 where there is none.
template <class T>
inline T of_row(const Stretched<T>& values, Index row) {
  return values.data ? values.data[row * values.row_step] : 0;
}

/// Up to a group of a near row's sums, as they are finished exactly.
[[gnu::noinline]] void finish_near_middle(const SumFinish& f, Index row, const RowSums& sums,
                                          Index n, std::uint8_t* y) {
  const Index last = (n - 1) / kLanes * kLanes;
  Vi whole[4];
  if (f.output == SumOutput::bytes) {
    const Vd factor = Vd{} + of_row(f.factor, row), offset = Vd{} + of_row(f.offset, row);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      const HalfVectors x = halves_of(sums.at(min_of(k * kLanes, last)));
      whole[k] =
          rounded(to_double(x.first) * factor + offset, to_double(x.second) * factor + offset);
    }
  } else {
    const Vf scale = broadcast(of_row(f.scale, row)), bias = broadcast(of_row(f.bias, row));
    const Vf divisor = broadcast(of_row(f.divisor, row));
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k)
      whole[k] =
          nearest_int((to_float(sums.at(min_of(k * kLanes, last))) * scale + bias) / divisor);
  }
  store_bytes(y, whole, {f.zero, f.low, f.high}, n);
}

/// Rows that become bytes by others.
[[gnu::noinline]] void finish_byte_rows(const SumFinish& f, const SumPart& part, Word* sums,
                                        std::uint8_t* y) {
  const ByteEnds ends{f.zero, f.low, f.high};
  const Index n = part.size(), column = part.columns.begin;
  for (Index row = part.rows.begin; row < part.rows.end;
       ++row, sums += part.step, y += part.y_step) {
    const RowPart all{row, column, n};
    add_terms(f, all, sums);
    const RowSums from = row_sums(f, all, sums);
    const auto by = near_numbers<float>(
        f, [=](const auto& values) { return static_cast<float>(of_row(values, row)); });
    if (!by.hold) {
      finish_any_bytes(f, all, from, y);
      continue;
    }
    const auto near = [words = from.data, more = from.columns, last = (n - 1) / kLanes * kLanes,
                       add = broadcast_word(from.add), scale = broadcast(by.scale),
                       shift = broadcast(by.shift)](Index j) {
      Vu sum = load_words(words + j) + add;
      if (more) sum += load_words(more + min_of(j, last));
      return fma(to_float(reinterpret_cast<Vi>(sum)), scale, shift);
    };
    const auto write_exactly = [&](Index j) {
      finish_near_middle(f, row, from.from(j), min_of(kByteGroup, n - j), y + j);
    };
    store_nearest(n, ends, y, broadcast(by.middle), near, write_exactly);
  }
}

/// Whether rows differ in nothing but what is added to their sums.
inline bool are_alike(const SumFinish& f) {
  const Index row_steps = f.scale.row_step | f.bias.row_step | f.divisor.row_step |
                          f.factor.row_step | f.offset.row_step;
  return row_steps == 0 && !has_columns(f) && !f.column_add && !f.terms[0].rows && !f.terms[1].rows;
}

/// Moves rows side by side, with what is added to each.
inline void join_rows(const SumFinish& f, const SumPart& part, Word* sums) {
  const Index n = part.size(), step = part.step;
  if (step == n && !f.row_add) return;
  const bool has_room = step >= round_up(n, kLanes);  // so that a vector may run over
  Word* out = sums;
  for (Index row = part.rows.begin; row < part.rows.end; ++row, sums += step, out += n) {
    const Vu add = broadcast_word(f.row_add ? f.row_add[row] : 0);
    for (Index j = 0; j < n; j += kLanes) {
      const Vu sum = load_words(sums + j) + add;
      has_room || j + kLanes <= n ? store_words(out + j, sum)
                                  : store_first_words(out + j, sum, n - j);
    }
  }
}

/// Rows of sums that become words: ints or floats.
[[gnu::noinline]] void finish_word_rows(const SumFinish& f, const SumPart& part, Word* sums,
                                        Word* y) {
  for (Index row = part.rows.begin; row < part.rows.end;
       ++row, sums += part.step, y += part.y_step) {
    const RowPart all{row, part.columns.begin, part.size()};
    add_terms(f, all, sums);
    const RowSums from = row_sums(f, all, sums);
    f.output == SumOutput::sums ? finish_sums(from, all.size, y)
                                : finish_floats(f, all, from, reinterpret_cast<float*>(y));
  }
}

[[gnu::noinline]] void finish_rows(const SumFinish& f, const SumPart& part, Word* sums, void* y) {
  if (output_width(f.output) > 1)
    finish_word_rows(f, part, sums, static_cast<Word*>(y));
  else if (has_columns(f))
    finish_byte_columns(f, part, sums, static_cast<std::uint8_t*>(y));
  else
    finish_byte_rows(f, part, sums, static_cast<std::uint8_t*>(y));
}

}  // namespace

template <>
void finish_part<kLanes>(const SumFinish& f, const SumPart& part, Word* sums, void* y) noexcept {
  const Index rows = part.rows.end - part.rows.begin, n = part.size();
  if (rows == 1 || part.y_step != n || !are_alike(f)) return finish_rows(f, part, sums, y);
  join_rows(f, part, sums);
  SumFinish joined = f;
  joined.row_add = nullptr;
  finish_rows(joined, {{0, 1}, {0, rows * n}, 0, 0}, sums, y);
}

}  // namespace strata::kernels
