#pragma once

#include <unordered_map>

#include "external_data.h"
#include "strata/core/tensor.h"

namespace strata::onnx {

/// Makes tensors of a model's TensorProtos, whichever way they store their elements.
class TensorReader {
 public:
  /// External data may lie in `folders`. `file` holds the messages; null if they are in memory that
  /// may be freed before the tensors.
  explicit TensorReader(DataFolders folders, std::shared_ptr<const MappedFile> file = {})
      : files_(std::move(folders)), file_(std::move(file)) {}

  /// The tensor of `proto`. Large raw data is left in its file instead of copied. A large tensor is
  /// remembered by its proto, which must outlive the reader, and is shared when it is read again.
  /// Throws: invalid_model when type, shape and data do not agree; file for external data.
  Tensor read(const TensorProto& proto);
  /// The dense tensor of a sparse one.
  Tensor read(const SparseTensorProto& proto);

 private:
  Tensor read_elements(const TensorProto& proto);
  Tensor of_raw_data(Text raw, DatumType type, const Shape& shape) const;

  ExternalData files_;
  std::shared_ptr<const MappedFile> file_;
  std::unordered_map<const TensorProto*, Tensor> large_;  ///< those read
};

}  // namespace strata::onnx
