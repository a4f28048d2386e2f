#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "kernels/function_types.h"

/// Copies of two axes of elements of `width` bytes, which is 1, 2, 4, 8 or 16. Planes are turned in
/// registers of 16 bytes, which all CPUs have: what takes time is memory.
namespace strata::kernels::planes {

/// Two axes of elements: `columns` is the inner one. Steps are in bytes. Functions take it by
/// value, so that what they write cannot change it.
struct Plane {
  Index columns, from_column, to_column;
  Index rows, from_row, to_row;
};

template <std::size_t width>
struct Unit;
template <>
struct Unit<1> {
  typedef std::uint8_t Vector __attribute__((vector_size(16)));
};
template <>
struct Unit<2> {
  typedef std::uint16_t Vector __attribute__((vector_size(16)));
};
template <>
struct Unit<4> {
  typedef std::uint32_t Vector __attribute__((vector_size(16)));
};
template <>
struct Unit<8> {
  typedef std::uint64_t Vector __attribute__((vector_size(16)));
};
template <>
struct Unit<16> : Unit<8> {};

/// Registers of elements of one width.
template <std::size_t width>
struct Lanes {
  using V = typename Unit<width>::Vector;
  static constexpr int count = static_cast<int>(16 / width);

  static V load(const std::byte* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(std::byte* p, V v) { std::memcpy(p, &v, sizeof v); }

  /// Lanes of a and b in turn, from lane `first` on.
  template <int first>
  static V by_turns(V a, V b) {
    return by_turns<first>(a, b, std::make_integer_sequence<int, count>{});
  }
  template <int first, int... Is>
  static V by_turns(V a, V b, std::integer_sequence<int, Is...>) {
    return __builtin_shufflevector(a, b, (first + Is / 2 + Is % 2 * count)...);
  }
  /// The even lanes of both, one after the other.
  static V evens(V a, V b) { return evens(a, b, std::make_integer_sequence<int, count>{}); }
  template <int... Is>
  static V evens(V a, V b, std::integer_sequence<int, Is...>) {
    return __builtin_shufflevector(a, b, (2 * Is)...);
  }

  /// Lane i of v[k] becomes lane k of v[i]: the halves are shuffled into each other, like cards,
  /// until a place's low bits have become its high ones.
  template <int times = count>
  static void turn(V (&v)[count]) {
    if constexpr (times > 1) {
      V w[count];
#pragma GCC unroll 16
      for (int i = 0; i < count / 2; ++i) {
        w[2 * i] = by_turns<0>(v[i], v[i + count / 2]);
        w[2 * i + 1] = by_turns<count / 2>(v[i], v[i + count / 2]);
      }
#pragma GCC unroll 16
      for (int i = 0; i < count; ++i) v[i] = w[i];
      turn<times / 2>(v);
    }
  }

  /// Vectors of `from`, `from_step` bytes apart, to as many of `to`.
  static void turn_square(const std::byte* from, Index from_step, std::byte* to, Index to_step) {
    V v[count];
    load_square(from, from_step, v);
    turn(v);
    store_square(v, to, to_step);
  }
  static void load_square(const std::byte* from, Index step, V (&v)[count]) {
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) v[i] = load(from + i * step);
  }
  static void store_square(const V (&v)[count], std::byte* to, Index step) {
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) store(to + i * step, v[i]);
  }
};

/// Fills a row with copies of one element.
template <std::size_t width>
void fill_row(const std::byte* from, std::byte* to, Index columns) {
  constexpr Index together = 16 / static_cast<Index>(width);
  std::byte units[16];
  for (std::size_t i = 0; i < 16; i += width) std::memcpy(units + i, from, width);
  Index i = 0;
  for (; i + together <= columns; i += together)
    std::memcpy(to + i * static_cast<Index>(width), units, 16);
  for (; i < columns; ++i) std::memcpy(to + i * static_cast<Index>(width), units, width);
}

template <std::size_t width>
void copy_row(const std::byte* from, std::byte* to, Plane p) {
  constexpr Index step = static_cast<Index>(width);
  if (p.to_column != step) {
    for (Index i = 0; i < p.columns; ++i)
      std::memcpy(to + i * p.to_column, from + i * p.from_column, width);
    return;
  }
  if (p.from_column == 0) return fill_row<width>(from, to, p.columns);
  Index i = 0;
  if constexpr (width < 16) {
    using L = Lanes<width>;
    if (p.from_column == 2 * step) {
      // Every other one; the last is read alone, as there may be nothing behind it.
      for (; i + L::count < p.columns; i += L::count) {
        const std::byte* both = from + 2 * i * step;
        L::store(to + i * step, L::evens(L::load(both), L::load(both + 16)));
      }
    }
  }
  for (; i < p.columns; ++i) std::memcpy(to + i * step, from + i * p.from_column, width);
}

/// Rows from `first` on, element by element.
template <std::size_t width>
void copy_rows(const std::byte* from, std::byte* to, Plane p, Index first) {
  for (Index row = first; row < p.rows; ++row)
    copy_row<width>(from + row * p.from_row, to + row * p.to_row, p);
}

/// A few columns, so that rows lie densely in `to`: vectors that hold more than a row are written
/// each over the end of the one before.
template <std::size_t width>
void weave(const std::byte* from, std::byte* to, Plane p) {
  using L = Lanes<width>;
  using V = typename L::V;
  constexpr Index step = static_cast<Index>(width);
  Index row = 0;
  for (; p.columns == 2 && row + L::count <= p.rows; row += L::count) {
    const V a = L::load(from + row * step), b = L::load(from + row * step + p.from_column);
    L::store(to + row * p.to_row, L::template by_turns<0>(a, b));
    L::store(to + row * p.to_row + 16, L::template by_turns<L::count / 2>(a, b));
  }
  for (; row + 2 * L::count <= p.rows; row += L::count) {
    V v[L::count];
#pragma GCC unroll 16
    for (int i = 0; i < L::count; ++i)
      v[i] = L::load(from + row * step + (i < p.columns ? i * p.from_column : 0));
    L::turn(v);
    L::store_square(v, to + row * p.to_row, p.to_row);
  }
  copy_rows<width>(from, to, p, row);
}

/// A few rows, so that columns lie densely in `from`: vectors are read that hold more than a
/// column.
template <std::size_t width>
void unweave(const std::byte* from, std::byte* to, Plane p) {
  using L = Lanes<width>;
  constexpr Index step = static_cast<Index>(width);
  Index i = 0;
  for (; i + 2 * L::count <= p.columns; i += L::count) {
    typename L::V v[L::count];
    L::load_square(from + i * p.from_column, p.from_column, v);
    L::turn(v);
#pragma GCC unroll 16
    for (int row = 0; row < L::count; ++row)
      if (row < p.rows) L::store(to + row * p.to_row + i * step, v[row]);
  }
  Plane rest = p;
  rest.columns -= i;
  copy_rows<width>(from + i * p.from_column, to + i * step, rest, 0);
}

enum class OuterAxis { rows, columns };

/// The blocks of a plane that are turned one after the other, each in squares: first along the
/// inner axis, then along the outer one.
struct Blocks {
  OuterAxis outer_axis;
  Index outer;  ///< elements of a block along it
  Index inner;
};

constexpr Index kWays = 8;  ///< of a first cache: lines that share one place

/// How many lines `apart` bytes from each other a first cache can hold, in which lines far apart
/// share few places.
inline Index lines_held(Index apart) {
  constexpr Index way = 4096, line = 64;
  const Index shared = (apart | way) & -(apart | way);
  return kWays * way / (shared < line ? line : shared);
}

/// On the side whose lines lie farther apart, whole ones are read or written at once, except where
/// a cache holds one of each column. Those of the other side are met again and again, so a block
/// has no more of them than are held. Where too few are, or neither side is the farther one, blocks
/// are a line wide and high.
template <std::size_t width>
Blocks blocks_of(const Plane& p) {
  constexpr Index line = 64 / static_cast<Index>(width), most = 64;
  const bool reads_far = p.from_column > p.to_row, are_alike = p.from_column == p.to_row;
  if ((reads_far || are_alike) && lines_held(p.from_column) >= p.columns)
    return {OuterAxis::rows, line, p.columns};
  const Index held = lines_held(reads_far ? p.to_row : p.from_column);
  if (are_alike || held == kWays || held < line) return {OuterAxis::rows, line, line};
  if (reads_far) return {OuterAxis::columns, p.columns, line < 16 ? 16 : line};
  return {OuterAxis::rows, p.rows, held < most ? held : most};
}

/// Elements lie side by side along the columns in `to` and along the rows in `from`, and there are
/// enough of both to fill a register. Where its size does not divide them, some are copied twice.
template <std::size_t width>
void turn_plane(const std::byte* from, std::byte* to, Plane p) {
  constexpr Index step = static_cast<Index>(width), side = Lanes<width>::count;
  if (const Index more = p.columns % side; more != 0) {
    const Index at = p.columns - side;
    p.columns = side;
    turn_plane<width>(from + at * p.from_column, to + at * step, p);
    p.columns = at + side - more;
  }
  if (const Index more = p.rows % side; more != 0) {
    const Index at = p.rows - side;
    p.rows = side;
    turn_plane<width>(from + at * step, to + at * p.to_row, p);
    p.rows = at + side - more;
  }
  struct Axis {
    Index size, from, to;
  };
  const Blocks block = blocks_of<width>(p);
  const Axis columns{p.columns, p.from_column, step}, rows{p.rows, step, p.to_row};
  const bool by_columns = block.outer_axis == OuterAxis::columns;
  const Axis outer = by_columns ? columns : rows, inner = by_columns ? rows : columns;
  const auto least = [](Index a, Index b) { return a < b ? a : b; };
  for (Index o = 0; o < outer.size; o += block.outer)
    for (Index i = 0; i < inner.size; i += block.inner)
      for (Index a = o; a < least(outer.size, o + block.outer); a += side) {
        const std::byte* f = from + a * outer.from + i * inner.from;
        std::byte* t = to + a * outer.to + i * inner.to;
        // The CPU would not fetch lines far apart, each in another page, by itself.
        for (Index c = 0; by_columns && c < side; ++c)
          __builtin_prefetch(f + c * p.from_column + 2 * block.inner * step);
        for (Index b = i; b < least(inner.size, i + block.inner); b += side) {
          Lanes<width>::turn_square(f, p.from_column, t, p.to_row);
          f += side * inner.from;
          t += side * inner.to;
        }
      }
}

template <std::size_t width>
void copy_plane(const std::byte* from, std::byte* to, Plane p) {
  constexpr Index step = static_cast<Index>(width), side = Lanes<width>::count;
  const bool fills = p.from_column == 0 && p.columns >= side;  // rows with one element each
  const bool turns =
      p.to_column == step && p.from_row == step && p.from_column != 2 * step && !fills;
  if (turns && p.rows >= side) {
    if (p.columns >= side) return turn_plane<width>(from, to, p);
    if constexpr (side > 1)
      if (p.to_row == p.columns * step) return weave<width>(from, to, p);
  } else if (turns && p.columns >= side && p.from_column == p.rows * step) {
    return unweave<width>(from, to, p);
  }
  copy_rows<width>(from, to, p, 0);
}

}  // namespace strata::kernels::planes
