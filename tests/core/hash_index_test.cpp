#include "strata/core/hash_index.h"

#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace strata;

namespace {

auto any() {
  return [](std::uint32_t) { return true; };
}
auto is(std::uint32_t wanted) {
  return [wanted](std::uint32_t number) { return number == wanted; };
}

}  // namespace

TEST_SUITE("hash index") {
  TEST_CASE("names that differ in one byte, or in their length, have hashes of their own") {
    std::set<std::size_t> hashes;
    std::size_t names = 0;
    for (std::size_t length = 0; length < 40; ++length) {
      const std::string name(length, 'a');
      hashes.insert(name_hash(name)), ++names;
      for (std::size_t i = 0; i < length; ++i) {
        std::string other = name;
        other[i] = 'b';
        hashes.insert(name_hash(other)), ++names;
      }
    }
    CHECK(hashes.size() == names);
    CHECK(name_hash("encoder/layer.1") == name_hash(std::string("encoder/layer.1")));
  }

  TEST_CASE("names do not meet because they differ where products by any odd number do alike") {
    // The highest bit of a word is that of its product, which a word behind it may cancel.
    constexpr std::size_t kPairs = 10;
    std::set<std::size_t> hashes;
    for (std::size_t chosen = 0; chosen < std::size_t{1} << kPairs; ++chosen) {
      std::string name(16 * kPairs, 'a');
      for (std::size_t pair = 0; pair < kPairs; ++pair) {
        if ((chosen >> pair & 1) == 0) continue;
        for (const std::size_t byte : {7, 11, 15}) name[16 * pair + byte] ^= '\x80';
      }
      hashes.insert(name_hash(name));
    }
    CHECK(hashes.size() == std::size_t{1} << kPairs);
  }

  TEST_CASE("parts do not meet because they would by shifts and sums alone") {
    const auto spread = [](std::size_t seed) {
      return 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2);
    };
    std::set<std::size_t> hashes;
    for (std::size_t first = 0; first < 1000; ++first) {
      const std::size_t seed = first + spread(0);
      const std::size_t last = seed - spread(seed);  // seed ^ (last + spread(seed)) is 0 for all
      hashes.insert(mixed_hash(mixed_hash(0, first), last));
    }
    CHECK(hashes.size() == 1000);
    CHECK(mixed_hash(1, 2) != mixed_hash(2, 1));
    CHECK(mixed_hash(1, 2) == mixed_hash(1, 2));
  }

  TEST_CASE("an empty one has nothing") {
    CHECK_FALSE(HashIndex().find(7, any()).has_value());
    HashIndex index;
    index.erase(7, 1);
    CHECK_FALSE(index.find(7, any()).has_value());
  }

  TEST_CASE("numbers of one hash are told apart by the caller") {
    HashIndex index;
    index.insert(7, 1);
    index.insert(7, 2);
    CHECK(index.find(7, is(1)) == 1);
    CHECK(index.find(7, is(2)) == 2);
    CHECK_FALSE(index.find(7, is(3)).has_value());
    index.erase(7, 1);
    CHECK_FALSE(index.find(7, is(1)).has_value());
    CHECK(index.find(7, is(2)) == 2);
  }

  TEST_CASE("hashes that differ in one bit, at either end, are found each") {
    HashIndex index;
    for (std::uint32_t bit = 0; bit < 64; ++bit) index.insert(std::size_t{1} << bit, bit);
    for (std::uint32_t bit = 0; bit < 64; ++bit)
      CHECK(index.find(std::size_t{1} << bit, is(bit)) == bit);
  }

  TEST_CASE("renumbered numbers stay where they are found") {
    HashIndex index;
    index.insert(5, 0);
    index.insert(6, 2);
    index.renumber({10, 11, 12});
    CHECK(index.find(5, any()) == 10);
    CHECK(index.find(6, any()) == 12);
  }

  TEST_CASE("insertions and erasures in any order agree with a map") {
    std::mt19937 random(3);
    std::multimap<std::size_t, std::uint32_t> expected;
    HashIndex index;
    for (std::uint32_t step = 0; step < 20000; ++step) {
      const std::size_t hash = random() % 300;
      const auto held = expected.find(hash);
      if (held != expected.end() && random() % 2) {
        index.erase(hash, held->second);
        expected.erase(held);
      } else {
        index.insert(hash, step);
        expected.emplace(hash, step);
      }
    }
    for (std::size_t hash = 0; hash < 300; ++hash)
      CHECK(index.find(hash, any()).has_value() == expected.contains(hash));
    for (const auto& [hash, number] : expected) CHECK(index.find(hash, is(number)) == number);
  }
}
