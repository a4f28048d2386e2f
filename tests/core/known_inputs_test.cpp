#include "strata/core/known_inputs.h"

#include <doctest/doctest.h>

#include "strata/core/ops/reshape.h"

using namespace strata;

namespace {

/// Reshapes x as the vector `shape` says.
Body reshaping() {
  auto body = std::make_shared<TypedModel>();
  const OutletId x = body->add_source("x", Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 6}})),
                 shape = body->add_source("shape", Fact::tensor(DatumType::i64, Shape{3}));
  body->add_output("y", body->wire_one("y", Reshape{}, {x, shape}));
  return body;
}

Fact sizes(std::vector<Dim> dims) {
  return Fact::of(
      Tensor::of<Dim>({static_cast<std::int64_t>(dims.size())}, std::span<const Dim>(dims)));
}

}  // namespace

TEST_SUITE("with_known_inputs") {
  TEST_CASE("sizes that an input holds reach the facts of a body, and not those of the other") {
    const Body body = reshaping();
    const Fact told = sizes({Dim::symbol("N"), 2, 3});
    const Fact* outer[] = {nullptr, &told};
    const Body known = with_known_inputs(body, outer);
    CHECK(known->output_fact(0).to_string() == "f32[N,2,3]");
    CHECK(body->output_fact(0).to_string() != "f32[N,2,3]");
  }

  TEST_CASE("a body that learns nothing is itself") {
    const Body body = reshaping();
    const Fact integers = Fact::tensor(DatumType::i64, Shape{3}),
               longer = sizes({Dim::symbol("N"), 2, 3, 1}),  // which is no value of the input
        other = sizes({Dim::symbol("N"), -3, 5});            // of which the body cannot be
    for (const Fact* fact : {static_cast<const Fact*>(nullptr), &integers, &longer, &other}) {
      const Fact* outer[] = {nullptr, fact};
      CHECK(with_known_inputs(body, outer) == body);
    }
  }
}
