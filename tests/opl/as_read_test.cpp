#include <doctest/doctest.h>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/session.h"
#include "strata/opl/model.h"

namespace strata::opl {

TEST_CASE("a form that a known rank allows is not chosen by a rank that the text does not tell") {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2, 3})),
                 sizes = model.add_source(
                     "sizes", Fact::tensor(DatumType::i64, std::vector{Dim::symbol("R")}));
  const OutletId w = model.wire_one("w", Reshape{}, {x, sizes});
  model.set_fact(w, Fact::tensor(DatumType::f32, Shape{3, 2}));
  model.add_output("y", model.wire_one("y", MatMul{}, {x, w}));
  const std::string text = to_text(model);
  CHECK(text.find("y = matmul(") == std::string::npos);
  CHECK(to_text(from_text(text)) == text);
}

TEST_CASE("a form that a known rank allows is not chosen by sizes that the text does not tell") {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2, 3})),
                 half = model.add_source(
                     "half", Fact::tensor(DatumType::i64, std::vector{Dim::symbol("R")}));
  const OutletId sizes = model.wire_one("sizes", Binary{BinaryOp::add}, {half, half});
  model.set_fact(sizes, Fact::of(Tensor::of<std::int64_t>({2}, {3, 2})));
  const OutletId w = model.wire_one("w", Reshape{}, {x, sizes});
  REQUIRE(model.fact(w).to_string() == "f32[3,2]");
  model.add_output("y", model.wire_one("y", MatMul{}, {x, w}));
  const std::string text = to_text(model);
  CHECK(text.find("y = matmul(") == std::string::npos);
  CHECK(to_text(from_text(text)) == text);
}

TEST_CASE("a convolution with a bias of unknown rank is read as it was written") {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{1, 1, 3})),
                 bias = model.add_source("bias", Fact::tensor(DatumType::f32, ShapeFact::open())),
                 w = model.constant("w", Tensor::of<float>({1, 1, 2}, {1, 10}));
  model.add_output("y", model.wire_one("y", Conv{}, {x, w, bias}));
  const std::string text = to_text(model);
  const TypedModel read = from_text(text);
  CHECK(to_text(read) == text);
  const ValueList inputs{Tensor::of<float>({1, 1, 3}, {1, 2, 3}), Tensor::of<float>({1}, {100})};
  CHECK(run_model(read, inputs)[0].tensor() == Tensor::of<float>({1, 1, 2}, {121, 132}));
}

}  // namespace strata::opl
