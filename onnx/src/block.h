#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model_context.h"
#include "name_map.h"
#include "node_order.h"
#include "strata/hir/inference_model.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// The graph that nodes are added to.
struct GraphTarget {
  hir::InferenceModel& model;
  int depth = 0;                                                     ///< bodies around it
  std::unordered_map<std::string, std::size_t, NameHash> next = {};  ///< numbers of taken names

  /// `base`, or `base.1`, `base.2`, … when it is taken by a node or a call.
  std::string free_name(std::string base);
  /// Calls give their nodes names that begin with theirs.
  void take_for_call(const std::string& name) { next.emplace(name, 1); }
};

/// A map, or a sequence of maps with the same keys, is two wires.
struct MapWires {
  OutletId keys;
  OutletId values;
};

/// Wires by the names a block has for them. A name may stand for `kAbsent`: an optional input that
/// was left out.
class Scope {
 public:
  /// `outer` is asked for names this scope does not have.
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

  /// Makes room for so many more.
  void expect(std::size_t names) { wires_.reserve(wires_.size() + names); }

  /// The name outlives the scope. Throws: invalid_model when this scope has it.
  void define(HashedName name, OutletId wire);
  void define(HashedName name, MapWires map);
  std::optional<OutletId> find(HashedName name) const;
  std::optional<MapWires> find_map(HashedName name) const;
  /// Throws: invalid_model when nothing defines the name.
  OutletId wire(HashedName name) const;

 private:
  const Scope* outer_;
  NameMap<OutletId> wires_;
  NameMap<MapWires> maps_;
};

/// What the subgraphs of one node take from the graph around them.
struct Captures {
  GraphNames::Names names;   ///< become the last inputs of each of them
  GraphNames::Names absent;  ///< optional inputs of a function that this call leaves out
};

/// Adds the nodes of a graph or of a function's body to a model.
class Block {
 public:
  Block(ModelContext& context, const Environment& environment, GraphTarget& target, Scope& scope)
      : context_(context), environment_(environment), target_(target), scope_(scope) {}

  /// Adds `nodes`, in whatever order they are listed, and defines their outputs.
  /// Throws: invalid_model, unsupported, limit; the error names the node.
  void add(const NodeProtos& nodes);

 private:
  /// `index` is its place among the nodes of its graph or function in the file.
  void add_node(NodeProto& node, std::size_t index);
  /// Claims `name` only once nothing can fail any more, since errors use it.
  void add_op(NodeProto& node, std::size_t index, const OpKind& kind, std::string&& name);
  void add_call(const NodeProto& node, const Function& function, const Scope* outer,
                const std::string& name);
  void check_call(const NodeProto& node, const Function& function) const;
  Environment environment_of_call(const NodeProto& node, const Function& function,
                                  const std::string& name) const;
  const Function* standard_function(const NodeProto& node);
  const OpKind& kind_of(const NodeProto& node);
  OutletIds inputs_of(const NodeProto& node) const;
  void define_outputs(const NodeProto& node, std::uint32_t id);
  Captures captures_of(const NodeProto& node) const;
  int opset_of(const NodeProto& node) const;

  ModelContext& context_;
  const Environment& environment_;
  GraphTarget& target_;
  Scope& scope_;
  const NodeProtos* nodes_ = nullptr;  ///< those being added
};

}  // namespace strata::onnx
