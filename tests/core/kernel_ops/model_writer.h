#pragma once

#include "strata/core/ops/binary.h"
#include "strata/core/ops/unary.h"
#include "strata/core/typed_model.h"

namespace strata::tests {

/// A model being written op by op, without a thought for names.
struct ModelWriter {
  TypedModel model;

  OutletId wire(const TypedOp& op, const OutletIds& inputs) {
    return model.wire_one(model.unique_name("wire"), op, inputs);
  }
  OutletId unary(UnaryOp op, OutletId a) { return wire(Unary{op}, {a}); }
  OutletId binary(BinaryOp op, OutletId a, OutletId b) { return wire(Binary{op}, {a, b}); }
  OutletId constant(const Tensor& value) {
    return model.constant(model.unique_name("constant"), value);
  }
  OutletId number(float value) { return constant(Tensor::scalar(value)); }
};

}  // namespace strata::tests
