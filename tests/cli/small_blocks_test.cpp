#include "small_blocks.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace strata::cli {
namespace {

struct Held {
  unsigned char* bytes;
  std::size_t size;
  unsigned char mark;
};

/// Blocks of all sizes around those that are small, each full of a mark of its own.
std::vector<Held> marked_blocks(std::size_t rounds) {
  std::vector<Held> out;
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t size = 0; size < 1100; size = size < 40 ? size + 1 : size + 13) {
      Held held{static_cast<unsigned char*>(block_of(size)), size,
                static_cast<unsigned char>(out.size() % 251)};
      REQUIRE(held.bytes);
      std::memset(held.bytes, held.mark, held.size);
      out.push_back(held);
    }
  return out;
}

bool keeps_mark(const Held& held) {
  for (std::size_t i = 0; i < held.size; ++i)
    if (held.bytes[i] != held.mark) return false;
  return true;
}

}  // namespace

TEST_CASE("no two blocks share a byte, and each lies where any type may") {
  const std::vector<Held> blocks = marked_blocks(20);
  std::set<unsigned char*> places;
  for (const Held& held : blocks) {
    CHECK(keeps_mark(held));
    CHECK(reinterpret_cast<std::uintptr_t>(held.bytes) % 16 == 0);
    CHECK(places.insert(held.bytes).second);
  }
  for (const Held& held : blocks) give_back(held.bytes);
}

TEST_CASE("more blocks than a chunk holds are apart from one another as well") {
  std::vector<std::uint64_t*> blocks;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    blocks.push_back(static_cast<std::uint64_t*>(block_of(48)));
    for (int k = 0; k < 6; ++k) blocks.back()[k] = i;
  }
  bool is_kept = true;
  for (std::uint64_t i = 0; i < blocks.size(); ++i)
    for (int k = 0; k < 6; ++k) is_kept &= blocks[i][k] == i;
  CHECK(is_kept);
  for (std::uint64_t* block : blocks) give_back(block);
}

TEST_CASE("blocks may be given back by another thread, while both take more") {
  std::vector<Held> first = marked_blocks(10), second;
  std::thread other([&] {
    for (const Held& held : first) give_back(held.bytes);
    second = marked_blocks(10);
  });
  std::vector<Held> third = marked_blocks(10);
  other.join();
  for (const auto* blocks : {&second, &third})
    for (const Held& held : *blocks) {
      CHECK(keeps_mark(held));
      give_back(held.bytes);
    }
}

TEST_CASE("null is given back as nothing") { give_back(nullptr); }

}  // namespace strata::cli
