#pragma once

#include "kernels/impl/int8_finish.h"
#include "kernels/impl/int8_rounding.h"

/// `finish_row` and `finish_rows` for the vectors of this instruction set.
namespace strata::kernels {
namespace {

/// Adds the products of rows and columns, in whole vectors.
inline void add_terms(const SumFinish& f, const RowPart& part, Word* sums) {
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

/// The same numbers from column `j` on, of which only `n` are there.
template <class T>
inline PartValues<T> tail_of(const PartValues<T>& values, Index j, Index n, T (&room)[kLanes]) {
  if (!values.each) return values;
  for (Index i = 0; i < n; ++i) room[i] = values.each[j + i];
  for (Index i = n; i < kLanes; ++i) room[i] = T{};
  return {room, T{}};
}

inline Vf load_values(const PartValues<float>& values, Index j) {
  return values.each ? load(values.each + j) : broadcast(values.one);
}

struct FloatFinish {
  PartValues<float> scale, bias;
  bool is_biased;

  FloatFinish(const SumFinish& f, const RowPart& part)
      : scale(values_of(f.scale, part)),
        bias(values_of(f.bias, part)),
        is_biased(f.bias.data != nullptr) {}
  Vf value(const RowSums& sums, Index j) const {
    Vf x = to_float(sums.at(j)) * load_values(scale, j);
    if (is_biased) x += load_values(bias, j);
    return x;
  }
};

inline void finish_floats(const SumFinish& f, const RowPart& part, const RowSums& sums, float* y) {
  FloatFinish finish(f, part);
  Index j = 0;
  for (; j + kLanes <= part.size; j += kLanes) store(y + j, finish.value(sums, j));
  if (j == part.size) return;
  const Index rest = part.size - j;
  float scale[kLanes], bias[kLanes];
  finish.scale = tail_of(finish.scale, j, rest, scale);
  finish.bias = tail_of(finish.bias, j, rest, bias);
  store_first(y + j, finish.value(sums.from(j), 0), rest);
}

/// Whether there is one number, of at most this size.
inline bool is_one_within(const PartValues<double>& values, double most) {
  return !values.each && values.one <= most && values.one >= -most;
}

inline Vd load_values(const PartValues<double>& values, Index j) {
  if (!values.each) return Vd{} + values.one;
  return *reinterpret_cast<const UnalignedVd*>(values.each + j);
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

  /// Half a vector of sums from column `j` on.
  HalfVi half(HalfVi sums, Index j) const {
    const Vd x = to_double(sums) * load_values(factor, j) + load_values(offset, j);
    return rounded(at_most(at_least(x, Vd{} + low), Vd{} + high));
  }
  /// kLanes bytes.
  void operator()(const RowSums& sums, Index j, std::uint8_t* y) const {
    const Halves x = halves_of(sums.at(j));
    store_bytes(y + j, joined({half(x.first, j), half(x.second, j + kHalf)}) + zero);
  }

  /// Whether there is one factor and one offset, with which no sum leaves the ints.
  bool is_narrow() const { return is_one_within(factor, 0.5) && is_one_within(offset, 0x1p29); }
  /// Whether floats are then off by less than 1e-4 where they do not saturate.
  bool is_near() const {
    return is_one_within(offset, 256) && low - offset.one >= -384 && high - offset.one <= 384;
  }
  /// With these, writes whole vectors of the sums from `j` to `end`; returns the first that is not.
  Index run_narrow(const RowSums& sums, Index j, Index end, std::uint8_t* y) const {
    const Vd scale = Vd{} + factor.one, shift = Vd{} + offset.one;
    const Vi least = broadcast(low), most = broadcast(high), add = broadcast(zero);
    for (; j + kLanes <= end; j += kLanes) {
      const Halves x = halves_of(sums.at(j));
      const Vi whole =
          rounded(to_double(x.first) * scale + shift, to_double(x.second) * scale + shift);
      store_bytes(y + j, clamped(whole, least, most) + add);
    }
    return j;
  }
  /// The same for groups of vectors from the first sum on: by floats, but where that might matter.
  Index run_near(const RowSums& sums, Index end, std::uint8_t* y) const {
    const Vf scale = broadcast(static_cast<float>(factor.one));
    const Vf shift = broadcast(static_cast<float>(offset.one));
    const ByteEnds ends{zero, low + zero, high + zero};
    const auto near = [=](Index j) { return fma(to_float(sums.at(j)), scale, shift); };
    const auto write_exactly = [&](Index j) { run_narrow(sums, j, j + 4 * kLanes, y); };
    return store_nearest(end, ends, y, near, write_exactly);
  }
};

inline void finish_bytes(const SumFinish& f, const RowPart& part, const RowSums& sums,
                         std::uint8_t* y) {
  ByteFinish finish(f, part);
  Index j = 0;
  if (finish.is_narrow()) {
    if (finish.is_near()) j = finish.run_near(sums, part.size, y);
    j = finish.run_narrow(sums, j, part.size, y);
  }
  for (; j + kLanes <= part.size; j += kLanes) finish(sums, j, y);
  if (j == part.size) return;
  const Index rest = part.size - j;
  double factor[kLanes], offset[kLanes];
  std::uint8_t out[kLanes];
  finish.factor = tail_of(finish.factor, j, rest, factor);
  finish.offset = tail_of(finish.offset, j, rest, offset);
  finish(sums.from(j), 0, out);
  for (Index i = 0; i < rest; ++i) y[j + i] = out[i];
}

struct QuantisedFinish {
  FloatFinish floats;
  PartValues<float> divisor;
  ByteEnds ends;

  QuantisedFinish(const SumFinish& f, const RowPart& part)
      : floats(f, part), divisor(values_of(f.divisor, part)), ends{f.zero, f.low, f.high} {}

  /// Whether there is one divisor that has an inverse.
  bool has_inverse() const {
    return !divisor.each && divisor.one > 0x1p-60f && divisor.one < 0x1p60f;
  }
  /// With that, writes groups of vectors from the first sum on, by products with the inverse: they are
  /// off by less than 1e-4 where they do not saturate. Returns the first sum that is left.
  Index run_near(const RowSums& sums, Index end, std::uint8_t* y) const {
    const Vf inverse = 1.0f / broadcast(divisor.one), most = broadcast(0x1p30f);
    const auto near = [=, values = floats](Index j) {
      return at_most(values.value(sums, j) * inverse, most);
    };
    const auto write_exactly = [&](Index j) {
      for (Index k = j; k < j + 4 * kLanes; k += kLanes) (*this)(sums, k, y + k);
    };
    return store_nearest(end, ends, y, near, write_exactly);
  }
  /// Writes kLanes bytes; NaN becomes the lowest.
  void operator()(const RowSums& sums, Index j, std::uint8_t* y) const {
    const Vf low = broadcast(static_cast<float>(ends.low - ends.zero));
    const Vf high = broadcast(static_cast<float>(ends.high - ends.zero));
    const Vf x = floats.value(sums, j) / load_values(divisor, j);
    store_bytes(y, nearest_int(at_most(at_least(low, x), high)) + ends.zero);
  }
};

inline void finish_quantised(const SumFinish& f, const RowPart& part, const RowSums& sums,
                             std::uint8_t* y) {
  QuantisedFinish finish(f, part);
  Index j = finish.has_inverse() ? finish.run_near(sums, part.size, y) : 0;
  for (; j + kLanes <= part.size; j += kLanes) finish(sums, j, y + j);
  if (j == part.size) return;
  const Index rest = part.size - j;
  float scale[kLanes], bias[kLanes], divisor[kLanes];
  std::uint8_t out[kLanes];
  finish.floats.scale = tail_of(finish.floats.scale, j, rest, scale);
  finish.floats.bias = tail_of(finish.floats.bias, j, rest, bias);
  finish.divisor = tail_of(finish.divisor, j, rest, divisor);
  finish(sums.from(j), 0, out);
  for (Index i = 0; i < rest; ++i) y[j + i] = out[i];
}

template <class T>
inline bool is_one(const Stretched<T>& values) {
  return values.row_step == 0 && values.column_step == 0;
}

/// Whether rows differ in nothing but what is added to their sums.
inline bool are_alike(const SumFinish& f) {
  return !f.column_add && !f.terms[0].rows && !f.terms[1].rows && is_one(f.scale) &&
         is_one(f.bias) && is_one(f.divisor) && is_one(f.factor) && is_one(f.offset);
}

/// Moves rows side by side, with what is added to each.
inline void join_rows(const SumFinish& f, Range rows, Index n, Word* sums, Index step) {
  if (step == n && !f.row_add) return;
  const bool has_room = step >= round_up(n, kLanes);  // so that a vector may run over
  Word* out = sums;
  for (Index row = rows.begin; row < rows.end; ++row, sums += step, out += n) {
    const Vu add = broadcast_word(f.row_add ? f.row_add[row] : 0);
    for (Index j = 0; j < n; j += kLanes) {
      const Vu sum = load_words(sums + j) + add;
      has_room || j + kLanes <= n ? store_words(out + j, sum)
                                  : store_first_words(out + j, sum, n - j);
    }
  }
}

}  // namespace

template <>
void finish_row<kLanes>(const SumFinish& f, const RowPart& part, Word* words, void* y) noexcept {
  add_terms(f, part, words);
  const RowSums sums = row_sums(f, part, words);
  switch (f.output) {
    case SumOutput::sums:
      return finish_sums(sums, part.size, static_cast<Word*>(y));
    case SumOutput::floats:
      return finish_floats(f, part, sums, static_cast<float*>(y));
    case SumOutput::bytes:
      return finish_bytes(f, part, sums, static_cast<std::uint8_t*>(y));
    case SumOutput::quantised:
      return finish_quantised(f, part, sums, static_cast<std::uint8_t*>(y));
  }
}

template <>
void finish_rows<kLanes>(const SumFinish& f, Range rows, Index n, Word* sums, Index step,
                         void* y) noexcept {
  if (are_alike(f)) {
    join_rows(f, rows, n, sums, step);
    SumFinish joined = f;
    joined.row_add = nullptr;
    return finish_row<kLanes>(joined, {0, 0, (rows.end - rows.begin) * n}, sums, y);
  }
  auto* out = static_cast<char*>(y);
  for (Index row = rows.begin; row < rows.end;
       ++row, sums += step, out += n * output_width(f.output))
    finish_row<kLanes>(f, {row, 0, n}, sums, out);
}

}  // namespace strata::kernels
