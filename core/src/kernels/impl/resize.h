#pragma once

#include "kernels/impl/pairs.h"
#include "kernels/impl/window.h"

/// Resizing of the rows and the columns of planes: each row of outputs is first blended from rows
/// of inputs, then stretched. What a vector of outputs is made of lies close together unless the
/// axis shrinks a lot: in two registers, from which lanes are picked.
namespace strata::kernels {
namespace {

/// Lanes p[0] to p[n - 1], at most kLanes; the others are zero and are not read.
inline Vf load_inside(const float* p, Index n) { return n > 0 ? load_upto(p, n) : Vf{}; }

inline Vi load_places(const std::int32_t* p, Index n) {
#if defined(__AVX512F__)
  const auto mask = static_cast<__mmask16>(n >= kLanes ? 0xffffu : (1u << n) - 1);
  return reinterpret_cast<Vi>(_mm512_maskz_loadu_epi32(mask, p));
#elif defined(__AVX2__)
  const Vi mask = lane_numbers() < static_cast<std::int32_t>(n);
  return reinterpret_cast<Vi>(_mm256_maskload_epi32(p, reinterpret_cast<__m256i>(mask)));
#else
  Vi v{};
  if (n >= kLanes) {
    __builtin_memcpy(&v, p, sizeof v);
  } else {
    for (Index i = 0; i < n; ++i) v[i] = p[i];
  }
  return v;
#endif
}

/// Lanes of one register that holds x[first], x[first + 1], …
struct PickOne {
  Vf a;
  std::int32_t first;
  Vf operator()(Vi places) const {
#if defined(__AVX512F__)
    return _mm512_permutexvar_ps(reinterpret_cast<__m512i>(places - first), a);
#elif defined(__AVX2__)
    return _mm256_permutevar8x32_ps(a, reinterpret_cast<__m256i>(places - first));
#else
    Vf v{};
    for (int i = 0; i < kLanes; ++i) v[i] = a[(places[i] - first) & (kLanes - 1)];
    return v;
#endif
  }
};

/// Lanes of two registers that lie one after the other.
struct PickTwo {
  Vf a;
  Vf b;
  std::int32_t first;
  Vf operator()(Vi places) const {
#if defined(__AVX512F__)
    return _mm512_permutex2var_ps(a, reinterpret_cast<__m512i>(places - first), b);
#elif defined(__AVX2__)
    const Vi lanes = places - first;
    const Vf low = _mm256_permutevar8x32_ps(a, reinterpret_cast<__m256i>(lanes)),
             high = _mm256_permutevar8x32_ps(b, reinterpret_cast<__m256i>(lanes));
    return lanes < kLanes ? low : high;
#else
    Vf v{};
    for (int i = 0; i < kLanes; ++i) {
      const int lane = (places[i] - first) & (2 * kLanes - 1);
      v[i] = lane < kLanes ? a[lane] : b[lane - kLanes];
    }
    return v;
#endif
  }
};

/// Lanes from anywhere.
struct PickAny {
  const float* x;
  Vf operator()(Vi places) const {
#if defined(__AVX512F__)
    return _mm512_i32gather_ps(reinterpret_cast<__m512i>(places), x, 4);
#elif defined(__AVX2__)
    return _mm256_i32gather_ps(x, reinterpret_cast<__m256i>(places), 4);
#else
    Vf v{};
    for (int i = 0; i < kLanes; ++i) v[i] = x[places[i]];
    return v;
#endif
  }
};

/// Outputs o to o + n - 1, n <= kLanes; the other lanes are of no meaning.
template <class Pick>
[[gnu::always_inline]] inline Vf weighed(const ResizedAxis& axis, Index o, Index n,
                                         const Pick& pick) {
  if (!axis.weights) return pick(load_places(axis.inputs + o, n));
  Vf sum{};
  for (Index at = o, end = axis.taps * axis.out; at < end; at += axis.out) {
    sum = fma(load_upto(axis.weights + at, n), pick(load_places(axis.inputs + at, n)), sum);
  }
  return sum;
}

/// Outputs o to o + n - 1 of a row, n <= kLanes.
[[gnu::always_inline]] inline void stretch_vector(const ResizedAxis& axis, const float* x, Index o,
                                                  Index n, float* y) {
  const std::int32_t first = axis.inputs[o];
  const Index span = axis.inputs[(axis.taps - 1) * axis.out + o + n - 1] - first + 1;
  const Vf a = load_inside(x + first, axis.in - first);
  if (span <= kLanes) {
    store_upto(y + o, weighed(axis, o, n, PickOne{a, first}), n);
  } else if (span <= 2 * kLanes) {
    const Vf b = load_inside(x + first + kLanes, axis.in - first - kLanes);
    store_upto(y + o, weighed(axis, o, n, PickTwo{a, b, first}), n);
  } else {
    store_upto(y + o, weighed(axis, o, n, PickAny{x}), n);
  }
}

inline void stretch(const ResizedAxis& axis, const float* x, float* y) {
  Index o = 0;
  for (; o + kLanes <= axis.out; o += kLanes) stretch_vector(axis, x, o, kLanes, y);
  if (o < axis.out) stretch_vector(axis, x, o, axis.out - o, y);
}

/// Two copies of each of n inputs.
inline void double_row(const float* x, Index n, float* y) {
  Index i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const Vf v = load(x + i);
    store_pairs(y + 2 * i, v, v);
  }
  for (; i < n; ++i) y[2 * i] = y[2 * i + 1] = x[i];
}

/// V vectors of a blend of rows that begin every `pitch` floats.
template <int V>
inline void blend_vectors(const ResizedAxis& axis, Index o, const float* x, Index pitch, float* y) {
  Vf sum[V] = {};
  for (Index at = o, end = axis.taps * axis.out; at < end; at += axis.out) {
    const float* row = x + axis.inputs[at] * pitch;
    const Vf weight = broadcast(axis.weights[at]);
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) sum[v] = fma(weight, load(row + v * kLanes), sum[v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) store(y + v * kLanes, sum[v]);
}

/// Output row o, of rows of n floats.
inline void blend(const ResizedAxis& axis, Index o, const float* x, Index pitch, Index n,
                  float* y) {
  Index i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) blend_vectors<4>(axis, o, x + i, pitch, y + i);
  for (; i + kLanes <= n; i += kLanes) blend_vectors<1>(axis, o, x + i, pitch, y + i);
  if (i == n) return;
  Vf sum{};
  for (Index at = o, end = axis.taps * axis.out; at < end; at += axis.out) {
    const float* row = x + axis.inputs[at] * pitch + i;
    sum = fma(broadcast(axis.weights[at]), load_first(row, n - i), sum);
  }
  store_first(y + i, sum, n - i);
}

/// Makes the rows of outputs of one outer place.
struct RowResizer {
  const Resize& call;
  Index pitch;
  float* scratch;

  /// Row o from the inputs x.
  void operator()(const float* x, Index o, float* y) const {
    const ResizedAxis &rows = call.rows, &columns = call.columns;
    if (!rows.inputs) {
      x += o * pitch;
    } else if (!rows.weights) {
      x += rows.inputs[o] * pitch;
    } else {
      float* blended = columns.inputs ? scratch : y;
      blend(rows, o, x, pitch, columns.in, blended);
      x = blended;
    }
    if (columns.doubles) return double_row(x, columns.in, y);
    if (columns.inputs) return stretch(columns, x, y);
    if (x != y) copy_run(x, 1, y, columns.in);
  }
};

std::size_t resize_scratch(const Resize& r) noexcept {
  const bool blends = r.rows.weights && r.columns.inputs;
  return blends ? static_cast<std::size_t>(r.columns.in) * sizeof(float) : 0;
}

void resize(const Resize& r, Range rows, void* scratch) noexcept {
  const Index width = r.columns.out;
  const bool copies = r.rows.inputs && !r.rows.weights;
  const Index pitch = r.pitch ? r.pitch : r.columns.in;
  const RowResizer resize_row{r, pitch, static_cast<float*>(scratch)};
  float* y = r.y + rows.begin * width;
  for (Index row = rows.begin; row < rows.end;) {
    const Index outer = row / r.rows.out, first = row - outer * r.rows.out;
    const Index last = min_of(r.rows.out, first + rows.end - row);
    const float* x = r.x + outer * r.rows.in * pitch;
    for (Index o = first; o < last; ++o, y += width) {
      if (copies && o > first && r.rows.inputs[o] == r.rows.inputs[o - 1]) {
        copy_run(y - width, 1, y, width);
      } else {
        resize_row(x, o, y);
      }
    }
    row += last - first;
  }
}

}  // namespace
}  // namespace strata::kernels
