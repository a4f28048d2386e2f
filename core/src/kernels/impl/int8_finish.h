#pragma once

#include "kernels/impl/int8_words.h"

/// What is done to rows of sums before they are stored.
namespace strata::kernels {

/// Some columns of some rows. What lies behind the last sum, up to `kSumsSlack` words, is read and
/// may be written.
struct SumPart {
  Range rows;
  Range columns;
  Index step;    ///< words between the rows of sums
  Index y_step;  ///< elements between the rows of what they become

  Index size() const { return columns.end - columns.begin; }
};

/// Finishes a part of some sums, which may be written over, into `y`. There is one for vectors of
/// each size, whether or not there is an instruction that multiplies bytes.
template <Index Lanes>
void finish_part(const SumFinish& finish, const SumPart& part, std::int32_t* sums,
                 void* y) noexcept;

template <>
void finish_part<kLanes>(const SumFinish&, const SumPart&, std::int32_t*, void*) noexcept;

namespace {

inline Index output_width(SumOutput output) {
  return output == SumOutput::bytes || output == SumOutput::quantised ? 1 : 4;
}

}  // namespace
}  // namespace strata::kernels
