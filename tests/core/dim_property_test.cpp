#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "strata/core/dim.h"
#include "strata/core/error.h"

namespace {

using strata::Dim;
using strata::Error;

using Values = std::map<std::string, std::int64_t, std::less<>>;

/// A second, independent meaning for the expressions of the property test: a tree worked out with
/// plain integers.
struct Tree {
  enum Kind {
    number,
    name,
    add,
    subtract,
    multiply,
    divide,
    remainder,
    least,
    greatest
  } kind = number;
  std::int64_t value = 0;
  std::string symbol = {};
  std::shared_ptr<Tree> left = nullptr;
  std::shared_ptr<Tree> right = nullptr;
};
using TreeRef = std::shared_ptr<Tree>;

std::int64_t floored(std::int64_t a, std::int64_t b) {
  std::int64_t q = a / b;
  while (q * b > a && b > 0) --q;
  while (q * b < a && b < 0) --q;
  return q;
}

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

  TreeRef tree(int depth) {
    if (depth == 0 || between(0, 7) == 0) return leaf();
    const auto kind = static_cast<Tree::Kind>(between(Tree::add, Tree::greatest));
    auto result = std::make_shared<Tree>(Tree{kind});
    result->left = tree(depth - 1);
    const bool divides = kind == Tree::divide || kind == Tree::remainder;
    result->right = divides ? divisor(depth - 1) : tree(depth - 1);
    return result;
  }

  Values values() {
    return {{"a", between(-9, 30)}, {"b", between(-9, 30)}, {"c", between(1, 12)}};
  }

 private:
  TreeRef named(std::string symbol) {
    auto result = std::make_shared<Tree>(Tree{Tree::name});
    result->symbol = std::move(symbol);
    return result;
  }
  TreeRef leaf() {
    static const char* const kNames[] = {"a", "b", "c"};
    if (between(0, 2) != 0) return named(kNames[between(0, 2)]);
    return std::make_shared<Tree>(Tree{Tree::number, between(-6, 6)});
  }
  /// Mostly an integer, else something positive: `c`, or `c` times or plus an integer.
  TreeRef divisor(int depth) {
    const std::int64_t size = between(1, 6);
    auto number = std::make_shared<Tree>(Tree{Tree::number, between(0, 3) == 0 ? -size : size});
    if (depth == 0 || between(0, 3) != 0) return number;
    number->value = size;
    auto result = std::make_shared<Tree>(Tree{between(0, 1) == 0 ? Tree::add : Tree::multiply});
    result->left = named("c");
    result->right = number;
    return result;
  }

  std::mt19937 random_;
};

std::int64_t meaning(const Tree& tree, const Values& values) {
  if (tree.kind == Tree::number) return tree.value;
  if (tree.kind == Tree::name) return values.at(tree.symbol);
  const std::int64_t a = meaning(*tree.left, values);
  const std::int64_t b = meaning(*tree.right, values);
  switch (tree.kind) {
    case Tree::add:
      return a + b;
    case Tree::subtract:
      return a - b;
    case Tree::multiply:
      return a * b;
    case Tree::divide:
      return floored(a, b);
    case Tree::remainder:
      return a - b * floored(a, b);
    case Tree::least:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

Dim built(const Tree& tree) {
  if (tree.kind == Tree::number) return tree.value;
  if (tree.kind == Tree::name) return Dim::symbol(tree.symbol);
  const Dim a = built(*tree.left);
  const Dim b = built(*tree.right);
  switch (tree.kind) {
    case Tree::add:
      return a + b;
    case Tree::subtract:
      return a - b;
    case Tree::multiply:
      return a * b;
    case Tree::divide:
      return floor_div(a, b);
    case Tree::remainder:
      return mod(a, b);
    case Tree::least:
      return min(a, b);
    default:
      return max(a, b);
  }
}

/// The tree with operands of + * min max in the other order, and a - b as -(b - a).
Dim built_mirrored(const Tree& tree) {
  if (tree.kind == Tree::number) return tree.value;
  if (tree.kind == Tree::name) return Dim::symbol(tree.symbol);
  const Dim b = built_mirrored(*tree.right);
  const Dim a = built_mirrored(*tree.left);
  switch (tree.kind) {
    case Tree::add:
      return b + a;
    case Tree::subtract:
      return -(b - a);
    case Tree::multiply:
      return b * a;
    case Tree::divide:
      return floor_div(-a, -b);
    case Tree::remainder:
      return -mod(-a, -b);
    case Tree::least:
      return -max(-b, -a);
    default:
      return -min(-b, -a);
  }
}

constexpr int kTrees = 20000;

/// Calls `use(tree, dim, generator)` for expressions of every depth up to 5; those over the size
/// limit are passed by.
template <class Use>
void for_random_trees(std::uint32_t seed, Use use) {
  Generator generator(seed);
  int too_large = 0;
  for (int i = 0; i < kTrees; ++i) {
    const TreeRef tree = generator.tree(1 + i % 5);
    try {
      use(*tree, built(*tree), generator);
    } catch (const Error& error) {
      REQUIRE(error.message() == "dimension expression is too large");
      ++too_large;
    }
  }
  CHECK(too_large < kTrees / 50);
}

}  // namespace

TEST_CASE("a canonical form has the value of the expression it came from") {
  for_random_trees(1, [](const Tree& tree, const Dim& dim, Generator& generator) {
    for (int i = 0; i < 8; ++i) {
      const Values values = generator.values();
      const std::int64_t expected = meaning(tree, values);
      INFO(dim.to_string());
      REQUIRE(dim.evaluate(values) == expected);
      Dim::Bindings bindings;
      for (const auto& [name, value] : values) bindings.emplace(name, value);
      REQUIRE(dim.substitute(bindings) == Dim(expected));
    }
  });
}

TEST_CASE("a canonical form does not depend on the order of building") {
  for_random_trees(2, [](const Tree& tree, const Dim& dim, Generator&) {
    const Dim mirrored = built_mirrored(tree);
    INFO(dim.to_string() << " and " << mirrored.to_string());
    REQUIRE(dim == mirrored);
    REQUIRE(dim.hash() == mirrored.hash());
  });
}

TEST_CASE("a canonical form is read back from its text") {
  for_random_trees(3, [](const Tree&, const Dim& dim, Generator&) {
    INFO(dim.to_string());
    REQUIRE(Dim::parse(dim.to_string()) == dim);
  });
}

TEST_CASE("a canonical form is its own canonical form") {
  for_random_trees(4, [](const Tree&, const Dim& dim, Generator&) {
    INFO(dim.to_string());
    REQUIRE(dim.substitute({{"a", Dim::symbol("a")}}) == dim);
    REQUIRE(dim - dim == Dim(0));
    REQUIRE(max(dim, dim + 1) == dim + 1);
  });
}
