#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "environment.h"
#include "strata/core/small_vector.h"
#include "strata/onnx/registry.h"
#include "tensor_proto.h"

namespace strata::onnx {

/// Makes the model of a subgraph attribute of the node being parsed.
using BuildSubgraph = std::function<Subgraph(const GraphProto&)>;

/// `attribute`, or what it stands for when it refers to one of the function's; null when the call
/// leaves that out. Throws: invalid_model for a reference outside any function and for one to
/// another type.
const AttributeProto* resolve_attribute(const AttributeProto& attribute,
                                        const Environment& environment);

/// A node of a file, as NodeArgs.
class ProtoNodeArgs final : public NodeArgs {
 public:
  ProtoNodeArgs(const NodeProto& node, int version, const Environment& environment,
                TensorReader& tensors, BuildSubgraph build_subgraph);

  std::string_view op_type() const override;
  int version() const override { return version_; }
  std::size_t input_count() const override;
  bool has_input(std::size_t i) const override;
  std::size_t output_count() const override;
  bool has_output(std::size_t i) const override;

  bool has(std::string_view attribute) const override {
    return std::any_of(given_.begin(), given_.end(),
                       [&](const Given& each) { return each.name == attribute; });
  }
  std::optional<std::int64_t> integer(std::string_view name) override;
  std::optional<double> number(std::string_view name) override;
  std::optional<std::string> text(std::string_view name) override;
  std::optional<Shape> integers(std::string_view name) override;
  std::optional<std::vector<float>> numbers(std::string_view name) override;
  std::optional<std::vector<std::string>> texts(std::string_view name) override;
  std::optional<Tensor> tensor(std::string_view name) override;
  std::optional<Subgraph> graph(std::string_view name) override;
  std::optional<ValueType> type(std::string_view name) override;
  void ignore(std::string_view name) override { read(name); }

  /// Throws: invalid_model when there is an attribute that nobody asked for.
  void expect_all_read() const;

 private:
  /// An attribute that has a value.
  struct Given {
    std::string_view name;
    const AttributeProto* attribute;
    bool is_read;
  };

  /// The attribute, or null; notes that it was asked for.
  const AttributeProto* read(std::string_view name);
  /// The attribute, if it is there, after noting that it was asked for. Throws: invalid_model when
  /// it is no `kind`.
  const AttributeProto* find(std::string_view name, int kind);

  const NodeProto& node_;
  int version_;
  TensorReader& tensors_;
  BuildSubgraph build_subgraph_;
  SmallVector<Given, 4> given_;  ///< in the order of their names
};

}  // namespace strata::onnx
