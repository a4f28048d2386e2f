#pragma once

#include "kernels/impl/int8_words.h"

/// What is done to rows of sums before they are stored.
namespace strata::kernels {

/// Some columns of one row.
struct RowPart {
  Index row;
  Index column;
  Index size;
};

/// Finishes part of a row, whose sums must be readable and writable by whole vectors, into `y`. There is
/// one for vectors of each size, whether or not there is an instruction that multiplies bytes.
template <Index Lanes>
void finish_row(const SumFinish& finish, const RowPart& part, std::int32_t* sums, void* y) noexcept;

/// Finishes whole rows of n sums each, `step` apart, into rows of `y` that follow each other.
template <Index Lanes>
void finish_rows(const SumFinish& finish, Range rows, Index n, std::int32_t* sums, Index step,
                 void* y) noexcept;

template <>
void finish_row<kLanes>(const SumFinish&, const RowPart&, std::int32_t*, void*) noexcept;
template <>
void finish_rows<kLanes>(const SumFinish&, Range, Index, std::int32_t*, Index, void*) noexcept;

namespace {

inline Index output_width(SumOutput output) {
  return output == SumOutput::bytes || output == SumOutput::quantised ? 1 : 4;
}

/// Finishes rows of n sums each, one after the other, that floats hold; they are written over.
void finish_float_sums(const SumFinish& f, Range rows, Index n, float* sums, void* y) noexcept {
  auto* words = reinterpret_cast<Word*>(sums);
  const Index size = (rows.end - rows.begin) * n;
  for (Index i = 0; i < size; i += kLanes)
    store_words(words + i, reinterpret_cast<Vu>(to_int(load(sums + i))));
  finish_rows<kLanes>(f, rows, n, words, n, y);
}

}  // namespace
}  // namespace strata::kernels
