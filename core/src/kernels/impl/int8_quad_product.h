#pragma once

#include "kernels/impl/int8_product.h"
#include "kernels/impl/int8_quads.h"

/// Products of matrices by words of four bytes, as in int8_quads.h: the left operand is stored as
/// u8, the right one, the weights, as i8. A packed B is panels of words, then the number of second
/// steps before each vector of columns and of all, then the second steps, each for all columns of
/// its vector.
namespace strata::kernels {
namespace {

/// Which step it is that is met again, and the words of its columns.
struct SecondVector {
  Word step;
  Word words[kLanes];
};

/// Where the parts of a packed B lie.
struct QuadColumns {
  QuadColumns(Index k, Index n)
      : vectors(ceil_div(n, kPanel) * kPanelVectors), steps(steps_of(k)) {}

  Index vectors;  ///< of columns
  Index steps;

  /// The words of a step.
  Index at(Index vector, Index step) const {
    return (vector / kPanelVectors * steps + step) * kPanel + vector % kPanelVectors * kLanes;
  }
  Index counts_at() const { return vectors * steps * kLanes; }
  Index seconds_at() const { return counts_at() + vectors + 1; }
};

Index quad_right_size(Index k, Index n) noexcept { return QuadColumns(k, n).seconds_at(); }

/// Calls `visit(step, weights)` for each step of a vector of columns of which weights are too
/// large.
template <class Visit>
inline void for_each_second(const QuadColumns& columns, Index vector, const Word* packed,
                            const Visit& visit) {
  for (Index step = 0; step < columns.steps; ++step) {
    const Vu weights = too_large(load_words(packed + columns.at(vector, step)));
    if (!is_zero(weights)) visit(step, weights);
  }
}

/// -1 where pairs of 16 bits take as long as so many second steps.
[[gnu::cold]] Index quad_more_right(const Word* packed, Index k, Index n) noexcept {
  constexpr Index kWords = sizeof(SecondVector) / sizeof(Word);
  const QuadColumns columns(k, n);
  Index count = 0;
  for (Index vector = 0; vector < columns.vectors; ++vector)
    for_each_second(columns, vector, packed, [&](Index, Vu) { ++count; });
  return count > columns.vectors * columns.steps / 4 ? -1 : count * kWords;
}

[[gnu::cold]] void quad_pack_more(Word* packed, Index k, Index n) noexcept {
  const QuadColumns columns(k, n);
  Word* counts = packed + columns.counts_at();
  auto* second = reinterpret_cast<SecondVector*>(packed + columns.seconds_at());
  Word count = counts[0] = 0;
  for (Index vector = 0; vector < columns.vectors; ++vector) {
    for_each_second(columns, vector, packed, [&](Index step, Vu weights) {
      Word* own = packed + columns.at(vector, step);
      second->step = static_cast<Word>(step);
      store_words(second->words, weights);
      store_words(own, load_words(own) ^ weights);
      ++second;
      ++count;
    });
    counts[vector + 1] = count;
  }
}

/// Adds what some second steps give to a vector of sums of each row.
inline void add_seconds(const SecondVector* begin, const SecondVector* end,
                        const Int8Operands<StoredWord>& o, Index rows, Word* sums) {
  for (const SecondVector* second = begin; second < end; ++second) {
    const Word* left = o.left + second->step * o.left_step;
    const Vu words = load_words(second->words);
    Word* to = sums;
    for (Index r = 0; r < rows; ++r, to += o.sums_step)
      store_words(to, add_products(load_words(to), broadcast_word(left[r]), words));
  }
}

void quad_multiply(const Int8Product& p, Range rows, Range columns, Word*) noexcept {
  const QuadColumns layout(p.k, p.n);
  const Index steps = layout.steps, chunk = chunk_of(steps);
  const Word* counts = p.right + layout.counts_at();
  const auto* seconds = reinterpret_cast<const SecondVector*>(p.right + layout.seconds_at());
  const auto* right = reinterpret_cast<const StoredWord*>(p.right);
  for (Index j = columns.begin; j < columns.end; j += chunk) {
    const Range some{j, min_of(j + chunk, columns.end)};
    multiply_chunk(p, rows, some, right + j * steps,
                   [&](const Int8Operands<StoredWord>& o, Index height, Word* sums) {
                     const Word* count = counts + j / kLanes;
                     for (Index i = j; i < some.end; i += kLanes, ++count)
                       add_seconds(seconds + count[0], seconds + count[1], o, height, sums + i - j);
                   });
  }
}

constexpr Int8Products make_quad_products(const char* name) {
  Int8Products out = make_int8_products(name);
  out.right_size = quad_right_size;
  out.more_right = quad_more_right;
  out.pack_more = quad_pack_more;
  out.multiply = quad_multiply;
  return out;
}

}  // namespace
}  // namespace strata::kernels
