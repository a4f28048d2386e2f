#include "core/kernel_ops/on_threads.h"
#include "kernel_ops/norm_kernel.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/layer_norm.h"
#include "support/optimised.h"

using namespace strata;
using namespace strata::tests;

namespace {

struct Way {
  std::int64_t axis = 2;
  Shape scale{3, 1, 1};
  Shape bias{3, 1, 1};
  BinaryOp second = BinaryOp::add;
  bool scale_first = false;  ///< the order of operands
  bool is_read = false;      ///< the product, by an output of its own
  bool has_own_scale = false;
};

/// How often a norm with these operands behind it becomes one kernel.
std::size_t found(const Way& way) {
  TypedModel model;
  const OutletId x = model.add_source("x", float_fact(std::vector<Dim>{Dim::symbol("n"), 3, 4, 5}));
  OutletIds operands{x};
  if (way.has_own_scale) operands.push_back(model.constant("own", uniform_floats({4, 5})));
  const OutletId norm = model.wire_one("norm", LayerNorm{way.axis, 1e-3F}, operands);
  const OutletId scale = model.constant("scale", uniform_floats(way.scale)),
                 bias = model.constant("bias", uniform_floats(way.bias));
  const OutletId product =
      model.wire_one("product", Binary{BinaryOp::mul},
                     way.scale_first ? OutletIds{scale, norm} : OutletIds{norm, scale});
  model.add_output(
      "y", model.wire_one("sum", Binary{way.second},
                          way.scale_first ? OutletIds{bias, product} : OutletIds{product, bias}));
  if (way.is_read) model.add_output("product", product);
  return optimise_and_compare(model, {uniform_floats({2, 3, 4, 5})}, "find_channel_norm", 2e-6);
}

}  // namespace

TEST_SUITE("norms of channels") {
  TEST_CASE("a scale and a bias for each channel become part of the norm") {
    for (const bool scale_first : {false, true}) {
      CHECK(found({.scale_first = scale_first}) == 1);
      CHECK(found({.axis = -2, .scale = {1, 3, 1, 1}, .scale_first = scale_first}) == 1);
    }
    CHECK(found({.axis = 3, .scale = {4, 1}, .bias = {1, 4, 1}}) == 1);
  }

  TEST_CASE("other operands stay as they are") {
    CHECK(found({.scale = {4, 1}}) == 0);
    CHECK(found({.bias = {1}}) == 0);
    CHECK(found({.bias = {3, 4, 1}}) == 0);
    CHECK(found({.axis = 3}) == 0);
    CHECK(found({.second = BinaryOp::sub}) == 0);
    CHECK(found({.is_read = true}) == 0);
    CHECK(found({.has_own_scale = true}) == 0);
  }

  TEST_CASE("are the same on any number of threads") {
    Reals reals;
    for (const Isa isa : supported_isas())
      check_threads(NormKernel{NormKind::channels, 2, 1e-3F, isa},
                    {reals({3, 7, 50, 61}), reals({7, 1, 1}), reals({7, 1, 1})});
  }
}
