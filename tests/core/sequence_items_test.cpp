#include <doctest/doctest.h>

#include <thread>

#include "strata/core/value.h"

using namespace strata;

namespace {

Value number(std::int64_t value) { return Tensor::scalar<std::int64_t>(value); }

std::vector<std::int64_t> numbers(const SequenceItems& items) {
  std::vector<std::int64_t> out;
  for (const Value& item : items) out.push_back(item.tensor().as<std::int64_t>()[0]);
  return out;
}

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("items are appended, inserted and erased") {
  SequenceItems items{number(1), number(3)};
  items.push_back(number(4));
  items.insert(1, number(2));
  items.insert(4, number(5));
  items.insert(0, number(0));
  CHECK(numbers(items) == Numbers{0, 1, 2, 3, 4, 5});
  items.erase(0);
  items.erase(4);
  items.erase(1);
  CHECK(numbers(items) == Numbers{1, 3, 4});
  CHECK(items == SequenceItems{number(1), number(3), number(4)});
  CHECK_FALSE(items == SequenceItems{number(1), number(3)});
  CHECK(SequenceItems().empty());
  CHECK_THROWS_WITH_AS(items.erase(3), "item 3 of a sequence of 3", Error);
  CHECK_THROWS_WITH_AS(items.insert(4, number(5)), "place 4 of a sequence of 3", Error);
}

TEST_CASE("copies of a list that go on in different ways do not see each other's items") {
  SequenceItems first{number(1)};
  for (std::int64_t i = 2; i < 20; ++i) first.push_back(number(i));
  SequenceItems second = first, third = second;
  second.push_back(number(100));
  third.push_back(number(200));
  third.push_back(number(201));
  second.push_back(number(101));
  CHECK(first.size() == 19);
  CHECK(numbers(second).back() == 101);
  CHECK(second[19].tensor().as<std::int64_t>()[0] == 100);
  CHECK(third[19].tensor().as<std::int64_t>()[0] == 200);
  CHECK(numbers(third).back() == 201);
  first.push_back(number(300));
  CHECK(numbers(first).back() == 300);
}

TEST_CASE("what goes on from the end copies no item") {
  SequenceItems items;
  for (std::int64_t i = 0; i < 5; ++i) items.push_back(number(i));
  const Value* const begin = items.begin();  // with room for three more
  SequenceItems longer = items;
  longer.push_back(number(5));
  CHECK(longer.begin() == begin);
  SequenceItems other = items;  // whose next place is taken
  other.push_back(number(6));
  CHECK(other.begin() != begin);
  CHECK(numbers(longer) == Numbers{0, 1, 2, 3, 4, 5});
}

TEST_CASE("a list that was moved from is empty") {
  SequenceItems items{number(1)};
  const SequenceItems taken = std::move(items);
  CHECK(taken.size() == 1);
  CHECK(items.empty());  // NOLINT(bugprone-use-after-move)
  items.push_back(number(2));
  CHECK(numbers(items) == Numbers{2});
}

TEST_CASE("copies on several threads may all append") {
  SequenceItems items;
  for (std::int64_t i = 0; i < 9; ++i) items.push_back(number(i));
  std::vector<SequenceItems> copies(4, items);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < copies.size(); ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) copies[t].push_back(number(static_cast<std::int64_t>(t)));
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t t = 0; t < copies.size(); ++t) {
    CHECK(copies[t].size() == 109);
    for (std::size_t i = 9; i < 109; ++i)
      CHECK(copies[t][i].tensor().as<std::int64_t>()[0] == static_cast<std::int64_t>(t));
  }
}
