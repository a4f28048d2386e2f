#pragma once

#include "messages.h"

/// The messages of files that hold one value (messages.h).
namespace strata::onnx {

// What a sequence or an optional holds.
inline constexpr int kTensorContent = 1, kSequenceContent = 3, kOptionalContent = 5;

struct OptionalProto;

struct SequenceProto {
  Text name;
  int elem_type = 0;  ///< what it holds
  List<TensorProto> tensor_values;
  List<SparseTensorProto> sparse_tensor_values;
  List<SequenceProto> sequence_values;
  List<Text> map_values;
  List<OptionalProto> optional_values;

  static constexpr auto fields() {
    using P = SequenceProto;
    return std::tuple{Field{1, &P::name},
                      Field{2, &P::elem_type},
                      Field{3, &P::tensor_values},
                      Field{4, &P::sparse_tensor_values},
                      Field{5, &P::sequence_values},
                      Field{6, &P::map_values},
                      Field{7, &P::optional_values}};
  }
};

struct OptionalProto {
  Text name;
  int elem_type = 0;  ///< what it holds
  TensorProto* tensor_value = nullptr;
  SparseTensorProto* sparse_tensor_value = nullptr;
  SequenceProto* sequence_value = nullptr;
  std::optional<Text> map_value;
  OptionalProto* optional_value = nullptr;

  static constexpr auto fields() {
    using P = OptionalProto;
    return std::tuple{Field{1, &P::name},           Field{2, &P::elem_type},
                      Field{3, &P::tensor_value},   Field{4, &P::sparse_tensor_value},
                      Field{5, &P::sequence_value}, Field{6, &P::map_value},
                      Field{7, &P::optional_value}};
  }
};

}  // namespace strata::onnx
