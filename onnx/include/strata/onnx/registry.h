#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/hir/inference_op.h"

namespace strata::onnx {

/// A subgraph attribute: its model, whose first inputs are the subgraph's own and whose last are
/// the outer wires it captures, which the loader appends to the node's inputs.
struct Subgraph {
  hir::InferenceBody model;
  std::size_t own_inputs = 0;
  std::size_t captures = 0;
};

/// One node of an ONNX graph as the function that parses it sees it. Every attribute that is not
/// asked for is an error, so each version of an op asks for exactly what it has.
class NodeArgs {
 public:
  virtual ~NodeArgs() = default;

  virtual std::string_view op_type() const = 0;
  /// The version of the op: the greatest of its versions that is not above the model's opset.
  virtual int version() const = 0;
  /// Inputs as listed, those left out included.
  virtual std::size_t input_count() const = 0;
  virtual bool has_input(std::size_t i) const = 0;
  virtual std::size_t output_count() const = 0;
  virtual bool has_output(std::size_t i) const = 0;

  virtual bool has(std::string_view attribute) const = 0;
  virtual std::optional<std::int64_t> integer(std::string_view name) = 0;
  virtual std::optional<double> number(std::string_view name) = 0;
  virtual std::optional<std::string> text(std::string_view name) = 0;
  virtual std::optional<Shape> integers(std::string_view name) = 0;
  virtual std::optional<std::vector<float>> numbers(std::string_view name) = 0;
  virtual std::optional<std::vector<std::string>> texts(std::string_view name) = 0;
  virtual std::optional<Tensor> tensor(std::string_view name) = 0;
  /// A subgraph; captured names are shared by all subgraphs of the node, in one order.
  virtual std::optional<Subgraph> graph(std::string_view name) = 0;
  virtual std::optional<ValueType> type(std::string_view name) = 0;

  std::int64_t integer(std::string_view name, std::int64_t otherwise) {
    return integer(name).value_or(otherwise);
  }
  double number(std::string_view name, double otherwise) {
    return number(name).value_or(otherwise);
  }
  std::string text(std::string_view name, std::string_view otherwise) {
    return text(name).value_or(std::string(otherwise));
  }
  /// An integer that stands for a truth value. Throws: invalid_model when it is neither 0 nor 1.
  bool flag(std::string_view name, bool otherwise);
  /// A TensorProto data type number.
  std::optional<DatumType> dtype(std::string_view name);
  DatumType dtype(std::string_view name, DatumType otherwise) {
    return dtype(name).value_or(otherwise);
  }
  std::int64_t required_integer(std::string_view name);
  double required_number(std::string_view name);
  std::string required_text(std::string_view name);
  DatumType required_dtype(std::string_view name);
  Shape required_integers(std::string_view name);
  std::vector<float> required_numbers(std::string_view name);
  Tensor required_tensor(std::string_view name);
  Subgraph required_graph(std::string_view name);
  /// Asks for an attribute that does not affect the result.
  virtual void ignore(std::string_view name) = 0;
  /// Throws: invalid_model unless the node has between `least` and `most` inputs, and leaves out
  /// none of the first `least` except those listed in `optional`.
  void expect_inputs(std::size_t least, std::size_t most,
                     std::initializer_list<std::size_t> optional = {}) const;
};

/// The DatumType of a TensorProto data type number, or nothing for one that is unknown.
std::optional<DatumType> datum_type_of_onnx(int data_type);
int onnx_data_type(DatumType type);

using ParseOp = hir::InferenceOp (*)(NodeArgs& node);

/// Which ops are known: by domain, name and the versions at which the standard changed them.
class Registry {
 public:
  struct Entry {
    std::vector<int> versions;
    ParseOp parse;
  };
  using Key = std::pair<std::string, std::string>;  ///< domain ("" is ai.onnx), name

  /// Throws: internal when the op is there already.
  void add(std::string_view name, std::initializer_list<int> versions, ParseOp parse) {
    add_to("", name, versions, parse);
  }
  void add_to(std::string_view domain, std::string_view name, std::initializer_list<int> versions,
              ParseOp parse);

  const Entry* find(std::string_view domain, std::string_view name) const;
  const std::map<Key, Entry>& entries() const { return entries_; }
  /// The names in a domain, for a hint at what was meant.
  std::vector<std::string> names(std::string_view domain) const;

 private:
  std::map<Key, Entry> entries_;
};

/// All ops of this build.
const Registry& registry();

}  // namespace strata::onnx
