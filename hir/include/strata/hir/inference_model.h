#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "strata/core/graph.h"
#include "strata/hir/inference_op.h"

namespace strata::hir {

using InferenceNode = Node<InferenceFact, InferenceOp>;
struct Trials;

/// A graph input.
struct Source {
  static constexpr std::string_view name = "Source";
  OutletIds wire(Builder&, const OutletIds&) const {
    fail(ErrorKind::internal, "a source is wired");
  }
};

/// The op's name in its file, and where it comes from, for errors: `Sigmoid`, `ONNX Sigmoid, opset
/// 13`.
struct Origin {
  std::string op_type;
  std::string text;
};

/// Where a node stands in its file.
struct FilePlace {
  std::shared_ptr<const Origin> origin;  ///< null for what is not a node of the file
  std::uint32_t number = 0;              ///< among the nodes of its graph or function, from 0
};

/// What the file declares of a wire.
struct Declaration {
  OutletId wire;
  std::string called;  ///< the wire in errors: `output "y"`
  InferenceFact fact;
  /// Whether it is a bool that a body gives. A condition of one element may have any rank, and
  /// another one in the next iteration, so no rank that is declared of it is held against it.
  bool may_be_condition = false;
};

/// An input for which the file has a value.
struct DefaultInput {
  std::string name;
  OutletId constant;
  InferenceFact declared;
};

/// A model as it stands in its file, with what is known so far of each wire.
class InferenceModel : public Graph<InferenceFact, InferenceOp> {
 public:
  explicit InferenceModel(std::shared_ptr<SymbolScope> symbols = std::make_shared<SymbolScope>())
      : symbols_(std::move(symbols)) {}
  /// A copy has a scope of its own.
  InferenceModel(const InferenceModel&);
  InferenceModel(InferenceModel&&) noexcept;
  InferenceModel& operator=(const InferenceModel&);
  InferenceModel& operator=(InferenceModel&&) noexcept;
  ~InferenceModel();

  /// Makes room for `more` nodes, and for their places in the file.
  void expect_nodes(std::size_t more) {
    Graph::expect_nodes(more);
    places_.reserve(nodes_.size() + more);
  }
  OutletId add_source(std::string_view name, InferenceFact fact);
  OutletId add_const(std::string_view name, Value value);
  /// Notes an input for which the file has a value: a constant until `make_input`.
  void add_default(DefaultInput input) { defaults_.push_back(std::move(input)); }
  const std::vector<DefaultInput>& defaults() const { return defaults_; }
  /// Turns the default that the file has for this input back into an input, after the others. Call
  /// it before analysis. Throws: invalid_argument when the file has no default for it.
  void make_input(std::string_view name);
  /// Throws: invalid_argument when there is no such input.
  const std::string& input_name(std::size_t i) const;
  const std::shared_ptr<SymbolScope>& symbol_scope() const { return symbols_; }

  void set_place(std::uint32_t node, FilePlace place);
  /// Sets how many outputs the op must give, those up to the last that has a name in the file; by
  /// default it must give all.
  void set_wanted_outputs(std::uint32_t node, std::size_t count);
  std::size_t wanted_outputs(std::uint32_t node) const;
  /// The op's name in its file, or that of the inference op.
  std::string op_type(std::uint32_t node) const;
  std::string origin(std::uint32_t node) const;
  /// `Concat "encoder/concat_3" (node 41, ONNX Concat, opset 13)`, for errors.
  std::string place_text(std::uint32_t node) const;

  /// Adds a declaration. It is checked against what is known of the wire now, and what analysis and
  /// expansion find, but they infer nothing from it. Throws: invalid_model, showing both.
  void declare(Declaration declaration);
  const std::vector<Declaration>& declarations() const { return declarations_; }

  /// Forgets the sizes that the file declares for outputs of nodes, and those it declares in
  /// bodies, for files in which they are wrong. Call it before analysis.
  void forget_output_shapes();

  /// Runs all rules until nothing changes; the outputs of bodies are found by expanding them. Facts
  /// that outputs of nodes have beforehand are treated as declarations, too: they are used only
  /// after everything that follows without them. Throws: invalid_model, naming the node, when two
  /// facts contradict each other.
  void analyse();
  /// Expands every op into core ops. Throws: invalid_model, unsupported; both name the node. The
  /// result shares the symbol scope of this model, as its bodies do: of this model and all its
  /// results, only one may be changed or converted at a time.
  TypedModel to_typed() const;
  /// The same for inputs of these facts, with fresh symbols from `symbols`. An input whose fact has
  /// a constant value becomes that constant and is no longer an input.
  TypedModel expand(const std::vector<Fact>& inputs, std::shared_ptr<SymbolScope> symbols) const;

 private:
  /// The place of a node of the file, or null.
  const FilePlace* place(std::uint32_t node) const;

  std::shared_ptr<SymbolScope> symbols_;
  std::vector<FilePlace> places_;
  std::map<std::uint32_t, std::size_t> wanted_outputs_;  ///< of nodes that have more
  std::vector<Declaration> declarations_;
  std::vector<DefaultInput> defaults_;    ///< those that are still constants
  std::shared_ptr<const Trials> trials_;  ///< what analysis expanded nodes into; null before
};

/// The names of the symbols that sizes of the inputs mention, sorted.
std::vector<std::string> input_symbols(const InferenceModel& model);
/// The model with these sizes in place of symbols, in bodies as well; names that it does not have
/// are ignored. Sizes fixed before analysis let it infer more than sizes fixed in the typed model.
/// Throws: invalid_argument where a size of an input becomes negative.
InferenceModel concretize_dims(const InferenceModel& model, const Dim::Bindings& sizes);

}  // namespace strata::hir
