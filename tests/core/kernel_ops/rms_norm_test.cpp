#include <doctest/doctest.h>

#include "core/kernel_ops/model_writer.h"
#include "strata/core/ops/reduce.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

/// How x is divided by the root.
enum class Quotient { division, rsqrt, reciprocal, one_over };

struct Way {
  Quotient quotient = Quotient::rsqrt;
  std::int64_t axis = -1;
  float power = 2;
  Shape scale{6};
};

class Written : public ModelWriter {
 public:
  explicit Written(const Way& way) : way_(way) {
    const OutletId x = model.add_source("x", float_fact(std::vector<Dim>{Dim::symbol("n"), 4, 6}));
    const OutletId squares = binary(BinaryOp::pow, x, number(way.power));
    const OutletId axes = constant(Tensor::vector<std::int64_t>({{way.axis}}));
    const OutletId mean = wire(Reduce{Reduction::mean}, {squares, axes});
    const OutletId quotient = divided(x, binary(BinaryOp::add, number(1e-3F), mean));
    const OutletId scale = constant(uniform_floats(way.scale));
    model.add_output("y", binary(BinaryOp::mul, scale, quotient));
  }

 private:
  OutletId divided(OutletId x, OutletId sum) {
    if (way_.quotient == Quotient::rsqrt)
      return binary(BinaryOp::mul, x, unary(UnaryOp::rsqrt, sum));
    const OutletId root = unary(UnaryOp::sqrt, sum);
    if (way_.quotient == Quotient::reciprocal)
      return binary(BinaryOp::mul, unary(UnaryOp::reciprocal, root), x);
    if (way_.quotient == Quotient::one_over)
      return binary(BinaryOp::mul, x, binary(BinaryOp::div, number(1), root));
    return binary(BinaryOp::div, x, root);
  }

  Way way_;
};

std::size_t found(const Way& way, const std::string& rule = "find_rms_norm") {
  Written written(way);
  return optimise_and_compare(written.model, {uniform_floats({3, 4, 6})}, rule, 2e-6);
}

}  // namespace

TEST_SUITE("rms norms") {
  TEST_CASE("are found however the quotient is written") {
    for (const Quotient quotient :
         {Quotient::division, Quotient::rsqrt, Quotient::reciprocal, Quotient::one_over})
      for (const std::int64_t axis : {-1, 2}) {
        CHECK(found({.quotient = quotient, .axis = axis}) == 1);
        CHECK(found({.quotient = quotient, .axis = axis}, "scale_rms_norm") == 1);
      }
  }

  TEST_CASE("are of squares along the last axis") {
    CHECK(found({.axis = 1}) == 0);
    CHECK(found({.power = 3}) == 0);
  }

  TEST_CASE("take a scale of one number for each element of a row") {
    CHECK(found({.scale = {4, 1}}, "scale_rms_norm") == 0);
    CHECK(found({.scale = {1}}, "scale_rms_norm") == 0);
  }
}
