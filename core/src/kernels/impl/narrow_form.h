#pragma once

#include "kernels/impl/index.h"

/// Where the parts of a packed matrix of narrow numbers lie, see NarrowForm, and what goes through
/// them.
namespace strata::kernels {
namespace {

constexpr int kWordVectors = 2;
constexpr Index kWordColumns = kWordVectors * kLanes;  ///< of a panel
constexpr Index kZerosStep = 16;  ///< floats of a cache line, where each panel begins

inline Index rows_of_words(const NarrowForm& form) { return form.block * form.bits / 32; }
inline Index narrow_block_floats(const NarrowForm& form) {
  return (1 + rows_of_words(form)) * kWordColumns;
}
inline bool has_narrow_floats(const NarrowForm& form) { return form.bits == 16; }
inline Index narrow_panel_floats(const NarrowForm& form, Index k) {
  if (has_narrow_floats(form)) return k * kWordColumns / 2;
  const Index blocks = ceil_div(k, form.block);
  return blocks * narrow_block_floats(form) + round_up(blocks * kWordColumns / 4, kZerosStep);
}

/// A block of a panel: a vector of each for each vector of columns.
struct NarrowBlock {
  const float* data;
  const std::uint8_t* zeros;
  Vf scale(int v) const { return load(data + v * kLanes); }
  const float* words_at(Index row, int v) const {
    return data + (1 + row) * kWordColumns + v * kLanes;
  }
  Vi words(Index row, int v) const { return bits(load(words_at(row, v))); }
};

/// A panel of a matrix of k rows.
struct NarrowPanel {
  const float* data;
  NarrowForm form;
  const std::uint8_t* zeros;

  NarrowPanel(const float* panel, const NarrowForm& narrow, Index k)
      : data(panel),
        form(narrow),
        zeros(reinterpret_cast<const std::uint8_t*>(panel + ceil_div(k, narrow.block) *
                                                                narrow_block_floats(narrow))) {}
  NarrowBlock block(Index i) const {
    return {data + i * narrow_block_floats(form), zeros + i * kWordColumns};
  }
};

/// Fetches what follows a line that is read once: the CPU's own fetches end with each page. From a
/// place less far ahead it would come too late, from one much farther it might be gone again.
inline void fetch_ahead(const void* line) {
  constexpr Index kAhead = 2048;  // bytes
  __builtin_prefetch(static_cast<const char*>(line) + kAhead);
}

/// The rows from `row` on.
inline RoundedRows rows_from(const RoundedRows& a, Index row) {
  RoundedRows out = a;
  out.bytes += row * a.byte_step;
  out.scales += row * a.block_step;
  out.sums += row * a.block_step;
  return out;
}

}  // namespace
}  // namespace strata::kernels
