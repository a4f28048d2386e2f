#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/typed_model.h"
#include "strata/opl/ast.h"

namespace strata::opl {

class Invocation;
class GraphWriter;

/// Writes a node as the right side of an assignment, or answers none: then the default form is
/// used. A tuple stands for an assignment of its own for each output.
using WriteNode = std::optional<Expression> (*)(const NodeView& node, GraphWriter& writer);
/// Wires what an invocation of a fragment stands for, and gives its results.
using ReadCall = OutletIds (*)(Invocation& call);

struct WriteRow {
  std::string_view op;  ///< name of a core op
  WriteNode write;
};
struct ReadRow {
  std::string_view fragment;
  std::vector<std::string_view> parameters;  ///< in their order, for positional arguments
  ReadCall read;
};

/// Which core ops have a standard form, and which fragments we understand.
class Registry {
 public:
  void write(std::string_view op, WriteNode write) { writers_.push_back({op, write}); }
  /// `parameters` are names between commas.
  void read(std::string_view fragment, std::string_view parameters, ReadCall read);

  /// Null where the op has no standard form, or nobody knows the fragment.
  const WriteRow* writer(std::string_view op) const;
  const ReadRow* reader(std::string_view fragment) const;
  /// The names of all fragments, for messages.
  std::vector<std::string> fragments() const;

  /// All forms of NNEF, tract's registries and ours.
  static const Registry& standard();

 private:
  std::vector<WriteRow> writers_;
  std::vector<ReadRow> readers_;  ///< sorted by fragment once complete
};

}  // namespace strata::opl
