#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "invocation.h"
#include "item.h"
#include "names.h"
#include "strata/core/limits.h"
#include "strata/core/ops/all.h"
#include "strata/core/typed_model.h"
#include "strata/opl/archive.h"
#include "strata/opl/ast.h"

namespace strata::opl {

/// Fragments that call fragments, at most.
inline constexpr int kMaxExpansions = 64;

/// The first name on a left side, which the node is called by.
const Target& first_name(const Target& target);

/// Reads a parsed document into a model.
class DocumentReader {
 public:
  /// `files` holds the variables; null for a text alone.
  DocumentReader(const Document& document, const ArchiveFiles* files, const Limits& limits,
                 std::span<const OpEntry> own);

  TypedModel read();

  const Document& document() const { return document_; }
  const Limits& limits() const { return limits_; }
  /// The user's own ops.
  std::span<const OpEntry> own_ops() const { return own_ops_; }
  const std::shared_ptr<SymbolScope>& symbols() const { return symbols_; }
  const Fragment* fragment(std::string_view name) const;
  /// Whether tract has written it: it says in a fragment by which version.
  bool is_of_tract() const { return fragment("tract_core_properties") != nullptr; }
  /// Whether graph.quant says how the tensor of this name is quantised.
  bool is_quantised(const std::string& name) const { return quantised_.contains(name); }
  bool is_symbol(std::string_view name) const { return symbol_names_.contains(name); }
  /// Makes the names in a shape symbols from here on.
  void add_symbol(std::string_view name);

  /// The fragment `name` as a body, whose inputs its own assignments declare.
  Body body(std::string_view name, Position position);
  /// The same for a fragment that does not declare its parameters: they are like `parameters`.
  TypedModel body_of(const Fragment& fragment, const std::vector<Fact>& parameters);
  /// The body that was made by the same recipe before, or `made`: nodes that share a body still do
  /// when they are read.
  Body shared_body(std::string recipe, TypedModel made);
  /// The file behind a label.
  const FileBytes& file(const std::string& label, Position position) const;
  /// The elements of a file; those of one that is read again are shared.
  Tensor variable(const std::string& label, Position position);
  /// Charges one assignment to the budget. Throws: limit.
  void count_assignment();
  /// Charges the items of a list, nested ones included, to the budget of items read by name.
  /// Throws: limit.
  void count_items(const Item& list);
  [[noreturn]] void fail(Position position, std::string_view message) const;
  [[noreturn]] void unsupported(Position position, std::string_view message) const;
  std::string place(Position position) const;

 private:
  friend class GraphReader;
  friend class CalledAt;
  /// Counts one more body that is being read. Throws: limit.
  void enter_body();
  void read_extension(const Extension& extension);
  /// Throws: invalid_model where a line of graph.quant names nothing.
  void read_quantisation(std::string_view text);

  const Document& document_;
  const ArchiveFiles* files_;
  const Limits& limits_;
  std::span<const OpEntry> own_ops_;
  std::shared_ptr<SymbolScope> symbols_ = std::make_shared<SymbolScope>();
  std::set<std::string, std::less<>> symbol_names_, quantised_;
  std::map<std::string, Tensor, std::less<>> variables_;  ///< by file
  std::map<std::string_view, const Fragment*> fragments_;
  std::map<std::string, Body, std::less<>> bodies_;  ///< by fragment, or by a longer recipe
  std::int64_t assignments_ = 0;
  std::int64_t items_ = 0;  ///< of lists that were read by name
  int nesting_ = 0;         ///< bodies being read
  int expansions_ = 0;      ///< fragments being expanded
  std::optional<Position>
      called_at_;  ///< where errors are told to be while a compound fragment is expanded
};

/// While it lives, errors are reported at the position of a call: its compound fragment, which is
/// being read, is not part of the document.
class CalledAt {
 public:
  CalledAt(DocumentReader& document, Position call)
      : document_(document), before_(document.called_at_) {
    if (!before_) document_.called_at_ = call;
  }
  ~CalledAt() { document_.called_at_ = before_; }
  CalledAt(const CalledAt&) = delete;
  CalledAt& operator=(const CalledAt&) = delete;

 private:
  DocumentReader& document_;
  std::optional<Position> before_;
};

/// The names that are bound while assignments are read, and what new nodes are called.
struct Scope {
  NameMap<Item> items;
  std::string prefix;                          ///< of names within an expanded fragment
  std::map<std::string, std::string> renamed;  ///< its results, by the names they are assigned to

  std::string node_name(const std::string& name) const;
};

/// Reads the assignments of one graph or body into one model.
class GraphReader {
 public:
  GraphReader(DocumentReader& document, TypedModel& model) : document_(document), model_(model) {}

  DocumentReader& document() { return document_; }
  TypedModel& model() { return model_; }
  /// Reads the assignments of a fragment whose parameters are like `parameters`.
  void read(const Fragment& fragment, const std::vector<Fact>& parameters);
  /// Reads all assignments and makes `inputs` and `outputs` the ports of the model.
  void read(const std::vector<Assignment>& body, const std::vector<Port>& inputs,
            const std::vector<Port>& outputs);

  /// What the invocation gives: a wire, or a list of wires.
  Item invoke(const std::string& fragment, const std::string& target, Arguments arguments,
              Position position);
  /// `name`, or one that nothing in the document has.
  std::string helper_name(std::string name) const;

 private:
  friend class ExpressionReader;
  void assign_all(const std::vector<Assignment>& body, Scope& scope);
  void bind(const Target& target, Item item, Scope& scope);
  Item expand(const Fragment& fragment, const std::string& target, Arguments arguments,
              Position position);
  void bind_parameters(const Fragment& fragment, Arguments arguments, Scope& scope,
                       Position position);
  /// `row` is null for a fragment that is none of the registry's: it may be the default form of an
  /// op.
  OutletIds call_registry(const ReadRow* row, Invocation& call, Position position);
  /// Checks an argument of a fragment that has no quantisation parameters. Throws: unsupported if
  /// the argument is quantised.
  void check_plain(const std::string& fragment, const Item& item, Position position) const;
  OutletId port(const Port& port, const Scope& scope) const;

  DocumentReader& document_;
  TypedModel& model_;
  std::set<std::string, std::less<>> reserved_;  ///< names assigned somewhere in the body
  OutletIds quantised_;                          ///< wires that graph.quant quantises
};

/// Works out expressions.
class ExpressionReader {
 public:
  ExpressionReader(GraphReader& reader, Scope& scope) : reader_(reader), scope_(scope) {}

  /// `target` is the name of the wire that the value is assigned to.
  Item read(const Expression& expression, const std::string& target);

 private:
  Item node(const None&, const Expression& at, const std::string& target);
  Item node(const Number& number, const Expression& at, const std::string& target);
  Item node(const String& string, const Expression& at, const std::string& target);
  Item node(const Logical& logical, const Expression& at, const std::string& target);
  Item node(const Identifier& identifier, const Expression& at, const std::string& target);
  Item node(const Array& array, const Expression& at, const std::string& target);
  Item node(const Tuple& tuple, const Expression& at, const std::string& target);
  Item node(const opl::Binary& binary, const Expression& at, const std::string& target);
  Item node(const opl::Unary& unary, const Expression& at, const std::string& target);
  Item node(const Conditional& conditional, const Expression& at, const std::string& target);
  Item node(const Subscript& subscript, const Expression& at, const std::string& target);
  Item node(const Range& range, const Expression& at, const std::string& target);
  Item node(const Comprehension& comprehension, const Expression& at, const std::string& target);
  Item node(const Call& call, const Expression& at, const std::string& target);
  Item list(const std::vector<Expression>& items, const std::string& target);
  std::int64_t index(const Expression& expression, const std::string& target);
  void note_symbols(const Expression& expression);

  GraphReader& reader_;
  Scope& scope_;
};

}  // namespace strata::opl
