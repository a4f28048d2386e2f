#include "memory_layout.h"

#include <doctest/doctest.h>

#include <random>

using namespace strata;

namespace {

bool overlap(const Lifetime& a, std::size_t at_a, const Lifetime& b, std::size_t at_b) {
  const bool in_time = a.first <= b.last && b.first <= a.last;
  const bool in_space = at_a < at_b + b.bytes && at_b < at_a + a.bytes;
  return a.bytes && b.bytes && in_time && in_space;
}

}  // namespace

TEST_SUITE("memory layout") {
  TEST_CASE("blocks whose lives do not meet share memory") {
    const MemoryLayout layout = lay_out({{100, 0, 1}, {100, 2, 3}});
    CHECK(layout.total == 128);
    CHECK(layout.offsets[0] == layout.offsets[1]);
  }

  TEST_CASE("blocks that live together do not overlap") {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      std::vector<Lifetime> blocks;
      for (int i = 0; i < 30; ++i) {
        const std::size_t first = random() % 40;
        blocks.push_back({random() % 1000, first, first + random() % 10});
      }
      const MemoryLayout layout = lay_out(blocks);
      for (std::size_t a = 0; a < blocks.size(); ++a) {
        CHECK(layout.offsets[a] % 64 == 0);
        CHECK(layout.offsets[a] + blocks[a].bytes <= layout.total);
        for (std::size_t b = 0; b < a; ++b)
          CHECK_FALSE(overlap(blocks[a], layout.offsets[a], blocks[b], layout.offsets[b]));
      }
    }
  }

  TEST_CASE("a block that holds others lives as long as they do") {
    const MemoryLayout layout =
        lay_out({{.bytes = 64, .first = 0, .last = 4, .held = BlockPlace{1, 192}},
                 {.bytes = 128, .first = 3, .last = 4, .held = BlockPlace{3, 64}},
                 {.bytes = 256, .first = 1, .last = 2},
                 {.bytes = 512, .first = 4, .last = 5}});
    CHECK(layout.total == 512 + 256);
    CHECK(layout.offsets[1] == layout.offsets[3] + 64);
    CHECK(layout.offsets[0] == layout.offsets[1] + 192);
    CHECK((layout.offsets[2] >= layout.offsets[3] + 512 ||
           layout.offsets[2] + 256 <= layout.offsets[3]));
  }

  TEST_CASE("held blocks move with the places they have") {
    std::vector<Lifetime> blocks{{.bytes = 64, .held = BlockPlace{1, 64}}, {.bytes = 512}};
    std::vector<std::size_t> offsets{0, 1024};
    place_held(blocks, offsets);
    CHECK(offsets == std::vector<std::size_t>{1088, 1024});
    blocks[0].held->offset = 128;
    place_held(blocks, offsets);
    CHECK(offsets == std::vector<std::size_t>{1152, 1024});
  }
}
