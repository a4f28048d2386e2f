#pragma once

#include "kernels/impl/pack_panel.h"

/// Rows of a few numbers, turned so that neighbours in a vector are of neighbouring rows: along a
/// row lanes would be empty, and each row would end with a fold of its own.
namespace strata::kernels {
namespace {

constexpr Index kShortRow = 3 * kLanes;  ///< numbers of a row that is turned, at most
constexpr Index kTurnedRows = 128;       ///< rows that are turned together, at most

/// Whether rows take less time turned: the more is done to each number, the longer they may be.
/// Rows of two whole vectors leave no lane empty as they are; only a search, which goes along each
/// row twice, gains from turning them.
bool turns_rows(RowWork work, Index rows, Index columns) noexcept {
  if (columns == 0 || rows < kLanes) return false;
  switch (work) {
    case RowWork::fold:
      return columns < 2 * kLanes;
    case RowWork::softmax:
      return columns != 2 * kLanes && columns <= 2 * kLanes + kLanes / 2;
    case RowWork::search:
      return columns <= kShortRow;
  }
  return false;
}

/// Rows that were turned: number k of row `first + i` is `data[k * stride + i]`.
struct TurnedRows {
  float* data;
  Index stride;
  Index first;
  Index count;
};

/// Calls visit(TurnedRows) for all rows, some at a time. Out of line, and to be given copies, so
/// that code of longer rows keeps its registers.
template <class Visit>
[[gnu::noinline]] void for_each_turned(const float* x, Index rows, Index columns, Visit visit) {
  alignas(64) float turned[kShortRow * kTurnedRows];
  for (Index first = 0; first < rows; first += kTurnedRows) {
    const Index count = min_of(kTurnedRows, rows - first), stride = round_up(count, kLanes);
    pack_panel({x + first * columns, columns, 1, count, columns}, stride, turned);
    visit(TurnedRows{turned, stride, first, count});
  }
}

/// Writes the rows side by side, as they came.
inline void turn_back(const TurnedRows& t, Index columns, float* rows) {
  pack_panel({t.data, t.stride, 1, columns, t.count}, columns, rows + t.first * columns);
}

}  // namespace
}  // namespace strata::kernels
