#include "kernels/copy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace strata::kernels::testing {
namespace {

/// An axis of a copy; steps are in elements.
struct Axis {
  Index length, from_step, to_step;
};

/// A copy of elements of `width` bytes along `axes`, the innermost first, from `offset` elements
/// on.
struct Case {
  Index width;
  std::vector<Axis> axes;
  Index offset = 0;

  StridedCopy copy() const {
    StridedCopy out(static_cast<std::size_t>(width));
    for (const Axis& axis : axes)
      out.add_outer(axis.length, axis.from_step * width, axis.to_step * width);
    return out;
  }
};

/// By the definition: element after element.
void copy_elements(const Case& c, const std::byte* from, std::byte* to, std::size_t axes) {
  if (axes == 0) {
    std::copy_n(from, c.width, to);
    return;
  }
  const Axis& axis = c.axes[axes - 1];
  for (Index i = 0; i < axis.length; ++i)
    copy_elements(c, from + i * axis.from_step * c.width, to + i * axis.to_step * c.width,
                  axes - 1);
}

/// Bytes of no pattern that repeats after a power of two.
std::vector<std::byte> bytes(Index count) {
  std::vector<std::byte> out(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::byte>(i % 251 + i / 251);
  return out;
}

/// As a whole and in parts; nothing else is written, and nothing read outside the source.
void check(const Case& c) {
  Index from_size = c.offset + 1, to_size = 1;
  for (const Axis& axis : c.axes) {
    if (axis.from_step > 0) from_size += (axis.length - 1) * axis.from_step;
    to_size += (axis.length - 1) * axis.to_step;
  }
  const std::vector<std::byte> from = bytes(from_size * c.width);
  const std::vector<std::byte> untouched(static_cast<std::size_t>(to_size * c.width) + 64,
                                         std::byte{0xEE});
  std::vector<std::byte> expected = untouched, whole = untouched, in_parts = untouched;
  const std::byte* begin = from.data() + c.offset * c.width;
  copy_elements(c, begin, expected.data(), c.axes.size());
  const StridedCopy copy = c.copy();
  copy.run(begin, whole.data());
  const auto [things, step] = copy.cut();
  for (Index at = 0; at < things; at += 2 * step)
    copy.run_part(begin, in_parts.data(), {at, std::min(things, at + 2 * step)});
  CAPTURE(c.width);
  CHECK(whole == expected);
  CHECK(in_parts == expected);
}

constexpr Index kWidths[] = {1, 2, 4, 8, 16, 12};

}  // namespace

TEST_CASE("planes of any size are turned") {
  constexpr Index kSizes[] = {1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 40, 130};
  for (const Index width : kWidths)
    for (const Index rows : kSizes)
      for (const Index columns : kSizes) {
        CAPTURE(rows);
        CAPTURE(columns);
        check({width, {{columns, rows, 1}, {rows, 1, columns}}});
        check({width, {{columns, rows + 3, 1}, {rows, 1, columns + 2}}});  // a part of both
        check({width, {{columns, 0, 1}, {rows, 1, columns}}});             // one column for all
        check({width, {{2, rows, 1}, {rows, 1, 2}, {columns, 2 * rows, 2 * rows}}});
        check({width, {{columns, 2 * rows, 1}, {rows, 2, columns}}});
      }
}

TEST_CASE("planes are turned whose lines lie any power of two apart") {
  constexpr Index kApart[] = {256, 512, 1024, 2048, 4096, 8192};
  for (const Index width : kWidths)
    for (const Index from : kApart)
      for (const Index to : kApart) {
        CAPTURE(width);
        CAPTURE(from);
        CAPTURE(to);
        const Index columns = std::min<Index>(150, to / width),
                    rows = std::min<Index>(171, from / width);
        check({width, {{columns, from / width, 1}, {rows, 1, to / width}}});
      }
}

TEST_CASE("planes are turned wherever their axes lie among others") {
  for (const Index width : kWidths) {
    check({width, {{9, 35, 1}, {2, 315, 9}, {35, 1, 18}}});
    check({width, {{2, 700, 1}, {35, 1, 2}, {2, 1400, 70}, {20, 35, 140}, {2, 2800, 2800}}});
    check({width, {{35, 2, 1}, {20, 140, 35}, {2, 1, 700}, {2, 70, 1400}}});
  }
}

TEST_CASE("each element of a column fills a row") {
  for (const Index width : {1, 2, 4, 8, 16})
    for (const Index columns : {2, 3, 15, 16, 17, 100})
      for (const Index rows : {1, 2, 16, 33}) {
        check({width, {{columns, 0, 1}, {rows, 1, columns}}});
        check({width, {{columns, 0, 1}, {rows, 1, columns + 3}, {2, rows, rows * (columns + 3)}}});
      }
}

TEST_CASE("rows are taken with any step") {
  for (const Index width : kWidths)
    for (const Index columns : {1, 2, 3, 8, 15, 16, 17, 33, 64})
      for (const Index step : {-3, -2, -1, 0, 1, 2, 3}) {
        const Index offset = step < 0 ? -step * (columns - 1) : 0;
        CAPTURE(columns);
        CAPTURE(step);
        check({width, {{columns, step, 1}}, offset});
        check({width, {{columns, step, 1}, {5, 3 * columns, columns}}, offset});
        check({width, {{columns, step, 2}}, offset});
      }
}

TEST_CASE("a copy knows what it writes, and where it may be cut") {
  CHECK(Case{4, {{6, 1, 1}, {5, 6, 6}}}.copy().bytes() == 120);
  CHECK(Case{4, {{6, 5, 1}, {5, 1, 6}}}.copy().bytes() == 120);
  CHECK(Case{4, {{6, 1, 1}, {0, 6, 6}}}.copy().bytes() == 0);
  CHECK(Case{4, {{6, 1, 1}, {100, 6, 6}}}.copy().cut().things == 2400);
  const StridedCopy turned = Case{4, {{6, 100, 1}, {100, 1, 6}, {3, 600, 600}}}.copy();
  CHECK(turned.cut().things == 100);
  CHECK(turned.cut().step == 16);  // of what lies side by side in a line
}

}  // namespace strata::kernels::testing
