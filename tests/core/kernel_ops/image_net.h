#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "strata/core/ops/conv.h"
#include "support/lowered.h"
#include "support/models.h"
#include "support/op_case.h"

/// Small nets of images, to see what optimising makes of them.
namespace strata::tests {

/// The largest difference, as a part of the largest number there is.
inline double largest_error(const Tensor& actual, const Tensor& expected) {
  REQUIRE((actual.shape() == expected.shape()));
  double error = 0, largest = 1;
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    const double wanted = number_at(expected, i);
    largest = std::max(largest, std::abs(wanted));
    error = std::max(error, std::abs(number_at(actual, i) - wanted));
  }
  return error / largest;
}

/// A model of images, put together op by op.
struct Net {
  explicit Net(std::uint32_t seed = 1) : noise(seed) {}

  OutletId input(const Shape& shape) {
    inputs.push_back(noise.tensor(DatumType::f32, shape));
    return model.add_source(name("x"), float_fact(shape));
  }
  /// One whose batch and sizes the model leaves open.
  OutletId open_input(const Shape& shape) {
    inputs.push_back(noise.tensor(DatumType::f32, shape));
    std::vector<Dim> dims(shape.begin(), shape.end());
    for (std::size_t axis = 0; axis < dims.size(); ++axis)
      if (axis != 1) dims[axis] = Dim::symbol(cat("S", axis));
    return model.add_source(name("x"), float_fact(dims));
  }
  std::string name(std::string_view stem) { return cat(stem, count++); }
  Tensor small(const Shape& shape) {
    MutableTensor out(DatumType::f32, shape);
    for (float& x : out.as<float>()) x = static_cast<float>(noise.number(-8, 8)) / 32;
    return std::move(out).freeze();
  }
  std::int64_t channels(OutletId x) const { return *model.fact(x).shape[1].constant(); }

  OutletId conv(OutletId x, std::int64_t out, std::int64_t kernel = 3, Conv op = {}) {
    const std::size_t axes = model.fact(x).shape.rank() - 2;
    Shape weights(axes + 2, kernel);
    weights[0] = out, weights[1] = channels(x) / op.group;
    if (op.padding.amounts.empty()) op.padding.amounts = Shape(2 * axes, kernel / 2);
    return model.wire_one(
        name("conv"), op,
        {x, model.constant(name("w"), small(weights)), model.constant(name("b"), small({out}))});
  }
  OutletId wire(const TypedOp& op, const OutletIds& in) {
    return model.wire_one(name("op"), op, in);
  }
  OutletId constant(const Tensor& value) { return model.constant(name("c"), value); }

  /// Optimises the model with these outputs, checks that they stay as they were, and gives the
  /// number of live nodes with such an op.
  template <class Op>
  std::size_t count_after(const OutletIds& outputs) {
    for (const OutletId out : outputs) model.add_output(name("y"), out);
    const ValueList before = run_model(model, inputs);
    optimise(model);
    const ValueList after = run_model(model, inputs);
    REQUIRE(after.size() == before.size());
    for (std::size_t i = 0; i < before.size(); ++i)
      CHECK(largest_error(after[i].tensor(), before[i].tensor()) < 1e-4);
    CHECK(run_on_threads(3) == after);
    return count_of<Op>(model);
  }
  ValueList run_on_threads(std::size_t threads) const {
    Session session(Plan::build(model, {}), {.threads = threads});
    return session.run(inputs);
  }

  Noise noise;
  TypedModel model;
  ValueList inputs;
  int count = 0;
};

inline const Shape kImage{2, 16, 9, 11};

}  // namespace strata::tests
