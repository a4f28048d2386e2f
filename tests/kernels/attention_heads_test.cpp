#include <doctest/doctest.h>

#include "attention_reference.h"

namespace strata::kernels::testing {
namespace {

constexpr Index kHeads = 5;  ///< as many as go side by side, and one more

/// How the keys and values of heads lie: row by row in turns, head by head, or once for all.
enum class HeadLayout { in_turns, apart, shared };

/// The results of all heads in one call, in the order [query][head][width].
void check_heads(Index queries, Index keys, Index depth, HeadLayout layout) {
  CAPTURE(queries);
  CAPTURE(keys);
  CAPTURE(depth);
  const Index width = depth % 64 == 0 ? depth : depth + 3;
  const std::vector<float> q = noise(queries * kHeads * depth, 1),
                           k = noise(keys * kHeads * depth, 2), v = noise(keys * kHeads * width, 3),
                           mask = noise(kHeads * keys, 4);
  Attention a;
  a.queries = queries;
  a.keys = keys;
  a.depth = depth;
  a.width = width;
  a.heads = kHeads;
  a.scale = 2 / std::sqrt(static_cast<float>(depth));
  a.q = {q.data(), kHeads * depth, 1};
  a.mask = {mask.data(), 0, 1};
  a.y_stride = kHeads * width;
  const bool in_turns = layout == HeadLayout::in_turns;
  a.k = {k.data(), in_turns ? kHeads * depth : depth, 1};
  a.v = {v.data(), in_turns ? kHeads * width : width, 1};
  a.steps = {depth, in_turns ? depth : keys * depth, in_turns ? width : keys * width, keys, width};
  if (layout == HeadLayout::shared) a.steps.k = a.steps.v = 0;
  for_each_isa([&](const KernelTable& t) {
    std::vector<float> y(size(queries * kHeads * width), 77.0F);
    Attention call = a;
    call.y = y.data();
    const Scratch scratch(t.attention_scratch(call));
    t.attention(call, {0, queries}, scratch.get());
    for (Index h = 0; h < kHeads; ++h) {
      Attention one = a;
      one.q.data += h * a.steps.q;
      one.k.data += h * a.steps.k;
      one.v.data += h * a.steps.v;
      one.mask.data += h * a.steps.mask;
      std::vector<float> found;
      for (Index i = 0; i < queries; ++i)
        for (Index j = 0; j < width; ++j) found.push_back(y[size(i * a.y_stride + h * width + j)]);
      CHECK(largest_error(found, reference(one)) < kTolerance);
    }
  });
}

}  // namespace

TEST_CASE("several heads in one call, few keys and more than a cache keeps near") {
  for (const HeadLayout layout : {HeadLayout::in_turns, HeadLayout::apart, HeadLayout::shared}) {
    for (const Index queries : {1, 2, 5}) {
      check_heads(queries, 7, 5, layout);
      check_heads(queries, 300, 37, layout);
      check_heads(queries, 129, 64, layout);
      check_heads(queries, 70, 128, layout);
      check_heads(queries, 1, 3000, layout);
    }
  }
}

TEST_CASE("what a head gives does not depend on the heads beside it") {
  const Index keys = 400, depth = 128;
  const std::vector<float> q = noise(kHeads * depth, 1), k = noise(keys * kHeads * depth, 2),
                           v = noise(keys * kHeads * depth, 3);
  for_each_isa([&](const KernelTable& t) {
    Attention a;
    a.queries = 1;
    a.keys = keys;
    a.depth = a.width = depth;
    a.q = {q.data(), depth, 1};
    a.k = {k.data(), kHeads * depth, 1};
    a.v = {v.data(), kHeads * depth, 1};
    a.steps = {depth, depth, depth, 0, depth};
    std::vector<float> together(size(kHeads * depth)), apart(size(kHeads * depth));
    a.heads = kHeads;
    a.y = together.data();
    const Scratch scratch(t.attention_scratch(a));
    t.attention(a, {0, 1}, scratch.get());
    a.heads = 1;
    for (Index h = 0; h < kHeads; ++h) {
      a.y = apart.data() + h * depth;
      t.attention(a, {0, 1}, scratch.get());
      a.q.data += depth;
      a.k.data += depth;
      a.v.data += depth;
    }
    CHECK(together == apart);
  });
}

}  // namespace strata::kernels::testing
