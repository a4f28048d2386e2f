#include "name_map.h"

#include <doctest/doctest.h>

#include <string>

using namespace strata;
using namespace std::string_view_literals;
using strata::onnx::NameMap;

TEST_CASE("a name keeps the first value it is given") {
  NameMap<int> map;
  CHECK(map.add("a"sv, 1));
  CHECK(map.add("b"sv, 2));
  CHECK_FALSE(map.add("a"sv, 3));
  REQUIRE(map.find("a"sv));
  CHECK(*map.find("a"sv) == 1);
  CHECK(*map.find("b"sv) == 2);
  CHECK(map.find("c"sv) == nullptr);
  CHECK(map.size() == 2);
}

TEST_CASE("names come in the order they were added") {
  std::vector<std::string> names;
  for (int i = 0; i < 1000; ++i) names.push_back("name " + std::to_string(i));
  NameMap<int> map;
  for (int i = 0; i < 1000; ++i) map.add(std::string_view(names[static_cast<std::size_t>(i)]), i);
  int next = 0;
  for (const auto& [name, value] : map) {
    CHECK(name == names[static_cast<std::size_t>(next)]);
    CHECK(value == next++);
  }
  CHECK(next == 1000);
}
