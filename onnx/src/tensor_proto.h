#pragma once

#include <unordered_map>

#include "bulk_data.h"
#include "external_data.h"
#include "strata/core/tensor.h"

namespace onnx {
class SparseTensorProto;
class TensorProto;
class TensorProto_Segment;
}  // namespace onnx

namespace strata::onnx {

/// What `without_bulk_data` took out of a file.
struct BulkData {
  std::shared_ptr<const MappedFile> file;
  std::vector<Stretch> stretches;
};

/// Makes tensors of a model's TensorProtos, whichever way they store their elements.
class TensorReader {
 public:
  /// `folder` is where external data may lie; nowhere when empty.
  explicit TensorReader(std::filesystem::path folder, BulkData bulk = {})
      : files_(std::move(folder)), bulk_(std::move(bulk)) {}

  /// The tensor of `proto`. Large raw data is taken out of the proto or left in its file instead of
  /// copied; a proto of a large tensor gives the same one when it is read again, and so must outlive
  /// the reader. Throws: invalid_model when type, shape and data do not agree; file for external data.
  Tensor read(::onnx::TensorProto& proto);
  /// The dense tensor of a sparse one.
  Tensor read(::onnx::SparseTensorProto& proto);

 private:
  Tensor read_elements(::onnx::TensorProto& proto);
  bool is_bulk(const ::onnx::TensorProto_Segment& segment) const;
  Tensor read_bulk(const ::onnx::TensorProto& proto, DatumType type, const Shape& shape) const;

  ExternalData files_;
  BulkData bulk_;
  std::unordered_map<const ::onnx::TensorProto*, Tensor> large_;  ///< those read
};

/// A TensorProto of `tensor`: raw data, or string_data for strings. Throws: internal for tensors of
/// dims.
::onnx::TensorProto to_proto(const Tensor& tensor, const std::string& name);

}  // namespace strata::onnx
