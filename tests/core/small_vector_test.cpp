#include "strata/core/small_vector.h"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace {

using Small = strata::SmallVector<std::int64_t, 3>;

std::vector<std::int64_t> items(const Small& small) { return {small.begin(), small.end()}; }

/// Whether the elements lie within the object itself.
bool in_place(const Small& small) {
  const auto* first = reinterpret_cast<const std::byte*>(&small);
  const auto* data = reinterpret_cast<const std::byte*>(small.data());
  return data >= first && data < first + sizeof(Small);
}

}  // namespace

TEST_CASE("a small vector is made like a vector") {
  CHECK(Small().empty());
  CHECK(items(Small{1, 2}) == std::vector<std::int64_t>{1, 2});
  CHECK(items(Small(4, 7)) == std::vector<std::int64_t>{7, 7, 7, 7});
  const std::vector<std::int64_t> source = {5, 6, 7, 8};
  CHECK(items(Small(source.begin(), source.end())) == source);
  CHECK(items(Small(std::span<const std::int64_t>(source))) == source);
}

TEST_CASE("up to N elements stay in place, more move out and keep their order") {
  Small small{1, 2, 3};
  CHECK(in_place(small));
  small.push_back(4);
  CHECK_FALSE(in_place(small));
  CHECK(items(small) == std::vector<std::int64_t>{1, 2, 3, 4});
  for (std::int64_t i = 5; i <= 100; ++i) small.push_back(i);
  CHECK(small.size() == 100);
  CHECK(small.front() == 1);
  CHECK(small.back() == 100);
}

TEST_CASE("a copy is independent") {
  for (const std::size_t count : {2u, 5u}) {
    const Small source(count, 1);
    Small copy = source;
    copy[0] = 9;
    CHECK(source[0] == 1);
    Small assigned{4, 4, 4, 4};
    assigned = source;
    CHECK(assigned == source);
    const Small& self = assigned;
    assigned = self;
    CHECK(assigned == source);
  }
}

TEST_CASE("a move takes the elements and leaves a usable empty vector") {
  for (const std::size_t count : {2u, 5u}) {
    Small source(count, 1);
    Small moved = std::move(source);
    CHECK(moved == Small(count, 1));
    CHECK(source.empty());  // NOLINT: the state after a move is what is tested
    for (std::int64_t i = 0; i < 5; ++i) source.push_back(i);
    CHECK(items(source) == std::vector<std::int64_t>{0, 1, 2, 3, 4});
    Small assigned{7, 7, 7, 7, 7, 7};
    assigned = std::move(moved);
    CHECK(assigned == Small(count, 1));
  }
}

TEST_CASE("insert and erase keep the other elements in order") {
  Small small{1, 2, 3};
  small.insert(small.begin() + 1, 9);
  CHECK(items(small) == std::vector<std::int64_t>{1, 9, 2, 3});
  small.insert(small.end(), 8);
  CHECK(items(small) == std::vector<std::int64_t>{1, 9, 2, 3, 8});
  small.erase(small.begin());
  small.erase(small.end() - 1);
  CHECK(items(small) == std::vector<std::int64_t>{9, 2, 3});
  small.pop_back();
  CHECK(items(small) == std::vector<std::int64_t>{9, 2});
}

TEST_CASE("resize fills what it adds and forgets what it drops") {
  Small small{1, 2};
  small.resize(5, 3);
  CHECK(items(small) == std::vector<std::int64_t>{1, 2, 3, 3, 3});
  small.resize(1);
  small.resize(2);
  CHECK(items(small) == std::vector<std::int64_t>{1, 0});
  small.clear();
  CHECK(small.empty());
}

TEST_CASE("small vectors are equal when their elements are") {
  CHECK(Small{1, 2} == Small{1, 2});
  CHECK(Small{1, 2} != Small{1, 2, 3});
  CHECK(Small{1, 2} != Small{2, 1});
  Small grown{1, 2, 3, 4};
  grown.resize(2);
  CHECK(grown == Small{1, 2});
}

TEST_CASE("reverse iteration runs from the last to the first") {
  const Small small{1, 2, 3};
  CHECK(std::vector<std::int64_t>(small.rbegin(), small.rend()) ==
        std::vector<std::int64_t>{3, 2, 1});
}

TEST_CASE("ranges go in and out at any place") {
  Small small{1, 5};
  const std::vector<std::int64_t> more = {2, 3, 4};
  small.insert(small.begin() + 1, more.begin(), more.end());
  CHECK(items(small) == std::vector<std::int64_t>{1, 2, 3, 4, 5});
  small.insert(small.end(), {6, 7});
  small.insert(small.begin(), more.begin(), more.begin());
  CHECK(items(small) == std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7});
  small.erase(small.begin() + 1, small.begin() + 4);
  CHECK(items(small) == std::vector<std::int64_t>{1, 5, 6, 7});
  small.erase(small.begin(), small.end());
  CHECK(small.empty());
}
