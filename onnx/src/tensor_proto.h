#pragma once

#include <unordered_map>

#include "external_data.h"
#include "strata/core/tensor.h"

namespace onnx {
class SparseTensorProto;
class TensorProto;
}  // namespace onnx

namespace strata::onnx {

/// Makes tensors of a model's TensorProtos, whichever way they store their elements.
class TensorReader {
 public:
  /// `folder` is where external data may lie; nowhere when empty. Segments of tensors are
  /// those of `without_bulk_data(bulk->bytes())`; without a file there are none.
  explicit TensorReader(std::filesystem::path folder, std::shared_ptr<const MappedFile> bulk = {})
      : files_(std::move(folder)), bulk_(std::move(bulk)) {}

  /// The tensor of `proto`. Large raw data is taken out of the proto or left in its file instead of
  /// copied; the same proto gives the same tensor when it is read again, and so must outlive the
  /// reader. Throws: invalid_model when type, shape and data do not agree; file for external data.
  Tensor read(::onnx::TensorProto& proto);
  /// The dense tensor of a sparse one.
  Tensor read(::onnx::SparseTensorProto& proto);

 private:
  Tensor read_elements(::onnx::TensorProto& proto);
  Tensor read_bulk(const ::onnx::TensorProto& proto, DatumType type, const Shape& shape) const;

  ExternalData files_;
  std::shared_ptr<const MappedFile> bulk_;
  std::unordered_map<const ::onnx::TensorProto*, Tensor> read_;
};

/// A TensorProto of `tensor`: raw data, or string_data for strings. Throws: internal for tensors of
/// dims.
::onnx::TensorProto to_proto(const Tensor& tensor, const std::string& name);

}  // namespace strata::onnx
