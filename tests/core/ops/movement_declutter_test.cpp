#include <doctest/doctest.h>

#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/optional_get.h"
#include "strata/core/ops/optional_of.h"
#include "strata/core/ops/pad.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/sequence_at.h"
#include "strata/core/ops/sequence_construct.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/tile.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"

using namespace strata;

namespace {

/// A model of one input [N,3], and what is left of it.
struct Chain {
  TypedModel model;
  OutletId wire = model.add_source("x", Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 3}}));

  Chain& then(const TypedOp& op,
              std::initializer_list<std::initializer_list<std::int64_t>> operands = {}) {
    OutletIds inputs{wire};
    for (const auto& values : operands)
      inputs.push_back(
          model.constant(model.unique_name("c"),
                         Tensor::vector<std::int64_t>(std::span(values.begin(), values.size()))));
    wire = model.wire(model.unique_name("y"), op, inputs)[0];
    return *this;
  }
  /// The op that makes the output once the model is in its simplest form.
  TypedOp last() {
    model.add_output("out", wire);
    declutter(model);
    return model.node(model.outputs()[0].outlet.node).op;
  }
  bool vanishes() { return last().as<Source>() != nullptr; }
};

}  // namespace

TEST_SUITE("movement_declutter") {
  TEST_CASE("ops that change nothing vanish") {
    CHECK(Chain().then(Transpose{{0, 1}}).vanishes());
    CHECK(Chain().then(Reshape{}, {{0, 3}}).vanishes());
    CHECK(Chain().then(Tile{}, {{1, 1}}).vanishes());
    CHECK(Chain().then(Pad{}, {{0, 0, 0, 0}}).vanishes());
    CHECK(Chain().then(Slice{}, {{0}, {3}, {1}}).vanishes());
    CHECK(Chain().then(Expand{}, {{1, 3}}).vanishes());
    CHECK(Chain().then(Split{0, 1}).vanishes());
    CHECK(Chain().then(Squeeze{}, {{}}).vanishes());
  }

  TEST_CASE("a pad that repeats some elements and takes others away is cut afterwards") {
    for (const PadMode mode : {PadMode::edge, PadMode::reflect, PadMode::wrap}) {
      CHECK(Chain().then(Pad{mode}, {{0, 1, 0, -1}}).last().as<Slice>());
      CHECK(Chain().then(Pad{mode}, {{0, 1, 0, 1}}).last().as<Pad>());
    }
    CHECK(Chain().then(Pad{PadMode::constant}, {{0, 1, 0, -1}}).last().as<Pad>());
  }

  TEST_CASE("what it is cut to is what it was") {
    const Value x = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
    for (const PadMode mode : {PadMode::edge, PadMode::reflect, PadMode::wrap})
      for (std::int64_t before = -3; before <= 4; ++before)
        for (std::int64_t after = -3; after <= 4; ++after) {
          if (3 + before + after < 0) continue;
          CAPTURE(before);
          CAPTURE(after);
          Chain chain;
          chain.then(Pad{mode}, {{0, before, 1, after}});
          chain.model.add_output("y", chain.wire);
          const ValueList expected = run_model(chain.model, {&x, 1});
          declutter(chain.model);
          CHECK(run_model(chain.model, {&x, 1}) == expected);
        }
  }

  TEST_CASE("a slice of a concat that lies in one of its inputs is one of that input") {
    const auto slice = [](std::int64_t start, std::int64_t end, std::int64_t axis,
                          std::int64_t step = 1) {
      Chain chain;  // [N,3] and [N,2], which make [N,5]
      const OutletId z =
          chain.model.add_source("z", Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 2}}));
      chain.wire = chain.model.wire("concat", Concat{-1}, {chain.wire, z})[0];
      chain.then(Slice{}, {{start}, {end}, {axis}, {step}});
      const TypedOp last = chain.last();
      const TypedNode& made = chain.model.node(chain.model.outputs()[0].outlet.node);
      if (last.as<Source>()) return cat("is ", made.name);
      return cat("of ", chain.model.node(made.inputs[0].node).name);
    };
    CHECK(slice(0, 3, 1) == "is x");
    CHECK(slice(-2, INT64_MAX, -1) == "is z");
    CHECK(slice(1, 3, 1) == "of x");
    CHECK(slice(4, 5, 1) == "of z");
    CHECK(slice(2, 4, 1) == "of concat");
    CHECK(slice(0, 3, 1, 2) == "of concat");
    CHECK(slice(0, 3, 0) == "of concat");
    CHECK(slice(3, 3, 1) == "of concat");
  }

  TEST_CASE("a slice that goes backward stays") {
    CHECK_FALSE(Chain().then(Slice{}, {{2}, {-4}, {1}, {-1}}).vanishes());
  }

  TEST_CASE("pairs that undo each other vanish") {
    CHECK(Chain().then(Transpose{{1, 0}}).then(Transpose{}).vanishes());
    CHECK(Chain().then(Unsqueeze{}, {{1}}).then(Squeeze{}, {{-2}}).vanishes());
    CHECK(Chain().then(Reshape{}, {{-1, 3, 1}}).then(Reshape{}, {{-1, 3}}).vanishes());
    CHECK(Chain().then(SequenceConstruct{}).then(SequenceAt{}, {{-1}}).vanishes());
    CHECK(Chain().then(OptionalOf{}).then(OptionalGet{}).vanishes());
  }

  TEST_CASE("axes that come back fewer, or elsewhere, are others") {
    for (const std::int64_t axis : {0, 1}) {
      Chain chain;
      chain.then(Slice{}, {{0}, {1}, {1}}).then(Reshape{}, {{0, 1, 1}});
      const TypedOp left = chain.then(Squeeze{}, {{1, 2}}).then(Unsqueeze{}, {{axis}}).last();
      CHECK_FALSE(left.as<Slice>());
      CHECK(chain.model.output_fact(0).to_string() == (axis == 0 ? "f32[1,N]" : "f32[N,1]"));
    }
  }

  TEST_CASE("a transpose of axes that were added comes before them") {
    for (const std::vector<std::int64_t>& perm :
         {std::vector<std::int64_t>{0, 3, 1, 2}, {1, 0, 3, 2}, {3, 2, 1, 0}, {2, 0, 1, 3}})
      for (const std::vector<std::int64_t>& axes :
           {std::vector<std::int64_t>{1, 2}, {0, -1}, {0, 1}}) {
        Chain chain;
        chain.wire = chain.model.wire_one(
            "added", Unsqueeze{},
            {chain.wire, chain.model.constant("axes", Tensor::vector<std::int64_t>(axes))});
        chain.wire = chain.model.wire_one("turned", Transpose{perm}, {chain.wire});
        const ValueList given{Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})};
        TypedModel before = chain.model;
        before.add_output("out", chain.wire);
        const ValueList expected = run_model(before, given);
        CHECK(chain.last().as<Unsqueeze>() != nullptr);
        CHECK(run_model(chain.model, given)[0] == expected[0]);
      }
  }

  TEST_CASE("two transposes become one") {
    const TypedOp left = Chain()
                             .then(Expand{}, {{2, 1, 3}})
                             .then(Transpose{{1, 0, 2}})
                             .then(Transpose{{0, 2, 1}})
                             .last();
    REQUIRE(left.as<Transpose>());
    CHECK(left.as<Transpose>()->perm == std::vector<std::int64_t>{1, 2, 0});
  }
}
