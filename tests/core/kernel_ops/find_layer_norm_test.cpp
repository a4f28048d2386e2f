#include <doctest/doctest.h>

#include "core/kernel_ops/model_writer.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/reduce.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// How the parts of a layer norm are written.
struct Way {
  std::int64_t axis = -1;
  bool squares_by_pow = true;
  Shape scale{6};
  float power = 2;
  bool is_read = false;  ///< x less its mean, by something else
};

class Written : public ModelWriter {
 public:
  explicit Written(const Way& way) : way_(way) {
    const OutletId x = model.add_source("x", float_fact(std::vector<Dim>{Dim::symbol("n"), 4, 6}));
    const OutletId centred = binary(BinaryOp::sub, x, mean(x));
    const OutletId squares = way.squares_by_pow ? binary(BinaryOp::pow, centred, number(way.power))
                                                : binary(BinaryOp::mul, centred, centred);
    const OutletId sum = binary(BinaryOp::add, mean(squares), number(1e-3F));
    const OutletId root = unary(UnaryOp::sqrt, sum);
    const OutletId scaled = binary(BinaryOp::mul, binary(BinaryOp::div, centred, root),
                                   constant(uniform_floats(way.scale)));
    const OutletId bias = model.add_source("bias", float_fact(Shape{6}));
    model.add_output("y", binary(BinaryOp::add, bias, scaled));
    if (way.is_read) model.add_output("centred", centred);
  }

 private:
  OutletId mean(OutletId x) {
    return wire(Reduce{Reduction::mean},
                {x, constant(Tensor::vector<std::int64_t>({{way_.axis}}))});
  }

  Way way_;
};

std::size_t found(const Way& way, const std::string& rule = "find_layer_norm") {
  Written written(way);
  return optimise_and_compare(written.model, {uniform_floats({3, 4, 6}), uniform_floats({6})}, rule,
                              2e-6);
}

}  // namespace

TEST_SUITE("layer norm written out") {
  TEST_CASE("mean, deviation, scale and bias become one kernel") {
    for (const std::int64_t axis : {-1, 2})
      for (const bool by_pow : {true, false}) {
        CHECK(found({.axis = axis, .squares_by_pow = by_pow}) == 1);
        CHECK(found({.axis = axis, .squares_by_pow = by_pow}, "extend_layer_norm") == 2);
      }
    Written written({});
    optimise(written.model);
    CHECK(count_of_op(written.model, "NormKernel") == 1);
    CHECK(count_of_op(written.model, "BinaryKernel") == 0);
  }

  TEST_CASE("a centred value that is read elsewhere is computed beside it") {
    CHECK(found({.is_read = true}) == 1);
  }

  TEST_CASE("a scale that is no row of x stays a product") {
    CHECK(found({.scale = {4, 1}}) == 1);
    CHECK(found({.scale = {4, 1}}, "extend_layer_norm") == 0);
    CHECK(found({.scale = {1}}, "extend_layer_norm") == 0);
  }

  TEST_CASE("means along another axis, and other powers, stay as they are") {
    CHECK(found({.axis = 1}) == 0);
    CHECK(found({.power = 4}) == 0);
  }
}
