#pragma once

#include "kernels/impl/int8_product.h"
#include "kernels/impl/int8_quads.h"

/// Products of matrices by words of four bytes, as in int8_quads.h: the left operand is stored as u8, the right
/// one, the weights, as i8. A packed B is panels of words, then the number of second steps before each panel
/// and of all, then the second steps, each for all columns of its panel.
namespace strata::kernels {
namespace {

/// Which step it is that is met again, and the words of its columns.
struct SecondRow {
  Word step;
  Word words[kPanel];
};

/// Where the parts of a packed B begin.
struct QuadColumns {
  QuadColumns(Index k, Index n) : panels(ceil_div(n, kPanel)), steps(steps_of(k)) {}

  Index panels;
  Index steps;

  Index counts_at() const { return panels * steps * kPanel; }
  Index seconds_at() const { return counts_at() + panels + 1; }
};

Index quad_right_size(Index k, Index n) noexcept { return QuadColumns(k, n).seconds_at(); }

/// Calls `visit(i, row)` for each step i, counted through all panels, of which weights are too large.
template <class Visit>
inline void for_each_second(const QuadColumns& columns, const Word* packed, const Visit& visit) {
  for (Index i = 0; i < columns.panels * columns.steps; ++i, packed += kPanel) {
    Vu row[kPanelVectors], any{};
    for (int v = 0; v < kPanelVectors; ++v)
      any |= row[v] = too_large(load_words(packed + v * kLanes));
    if (!is_zero(any)) visit(i, row);
  }
}

/// -1 where pairs of 16 bits take as long as so many second steps.
[[gnu::cold]] Index quad_more_right(const Word* packed, Index k, Index n) noexcept {
  constexpr Index kWords = sizeof(SecondRow) / sizeof(Word);
  const QuadColumns columns(k, n);
  Index count = 0;
  for_each_second(columns, packed, [&](Index, const auto&) { ++count; });
  return count > columns.panels * columns.steps / 4 ? -1 : count * kWords;
}

[[gnu::cold]] void quad_pack_more(Word* packed, Index k, Index n) noexcept {
  const QuadColumns columns(k, n);
  Word* counts = packed + columns.counts_at();
  auto* seconds = reinterpret_cast<SecondRow*>(packed + columns.seconds_at());
  Word count = counts[0] = 0;
  Index panel = 0;
  for_each_second(columns, packed, [&](Index i, const auto& row) {
    while (panel < i / columns.steps) counts[++panel] = count;
    SecondRow& second = seconds[count++];
    second.step = static_cast<Word>(i % columns.steps);
    for (int v = 0; v < kPanelVectors; ++v) {
      Word* own = packed + i * kPanel + v * kLanes;
      store_words(second.words + v * kLanes, row[v]);
      store_words(own, load_words(own) ^ row[v]);
    }
  });
  while (panel < columns.panels) counts[++panel] = count;
}

/// Adds what the second steps of a panel of columns give to the sums of some rows.
inline void add_seconds(const SecondRow* begin, const SecondRow* end,
                        const Int8Operands<StoredWord>& o, Index rows, Word* sums) {
  for (const SecondRow* second = begin; second < end; ++second) {
    const Word* left = o.left + second->step * o.left_step;
    for (Index r = 0; r < rows; ++r) {
      const Vu x = broadcast_word(left[r]);
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v) {
        Word* to = sums + r * o.sums_step + v * kLanes;
        store_words(to, add_products(load_words(to), x, load_words(second->words + v * kLanes)));
      }
    }
  }
}

void quad_multiply(const Int8Product& p, Range rows, Range columns, Word*) noexcept {
  const QuadColumns layout(p.k, p.n);
  const Index steps = layout.steps, chunk = chunk_of(steps);
  const Word* counts = p.right + layout.counts_at();
  const auto* seconds = reinterpret_cast<const SecondRow*>(p.right + layout.seconds_at());
  const auto* right = reinterpret_cast<const StoredWord*>(p.right);
  for (Index j = columns.begin; j < columns.end; j += chunk) {
    const Range some{j, min_of(j + chunk, columns.end)};
    multiply_chunk(p, rows, some, right + j * steps,
                   [&](const Int8Operands<StoredWord>& o, Index height, Word* sums) {
                     const Word* count = counts + j / kPanel;
                     for (Index i = j; i < some.end; i += kPanel, ++count)
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
