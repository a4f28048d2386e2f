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

template <>
void finish_row<kLanes>(const SumFinish&, const RowPart&, std::int32_t*, void*) noexcept;

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
  auto* out = static_cast<char*>(y);
  for (Index row = rows.begin; row < rows.end; ++row, words += n, out += n * output_width(f.output))
    finish_row<kLanes>(f, {row, 0, n}, words, out);
}

}  // namespace
}  // namespace strata::kernels
