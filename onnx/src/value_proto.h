#pragma once

#include "strata/core/value.h"
#include "tensor_proto.h"

namespace onnx {
class OptionalProto;
class SequenceProto;
}  // namespace onnx

namespace strata::onnx {

/// Throws: invalid_model when an item is not of type `element`; unsupported for maps.
Sequence sequence_of(::onnx::SequenceProto& proto, const ValueType& element, TensorReader& tensors);
Optional optional_of(::onnx::OptionalProto& proto, const ValueType& element, TensorReader& tensors);

::onnx::SequenceProto to_proto(const Sequence& sequence, const std::string& name);
::onnx::OptionalProto to_proto(const Optional& optional, const std::string& name);

}  // namespace strata::onnx
