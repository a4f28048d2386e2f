#pragma once

#include <cstdint>
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
enum class FragmentKind : std::uint8_t {
  plain,
  gives_list,       ///< of results, also where it has one
  takes_quantised,  ///< says itself by what its operands are quantised, as those of no other
                    ///< fragment may be
};

struct ReadRow {
  std::string_view fragment;
  std::vector<std::string_view> parameters;  ///< in their order, for positional arguments
  ReadCall read;
  FragmentKind kind = FragmentKind::plain;
};

/// Which core ops have a standard form. Separate from Readers, so that a program which only loads
/// models does not contain the code that writes them.
class Writers {
 public:
  void add(std::string_view op, WriteNode write) { rows_.push_back({op, write}); }
  /// Null where the op has no standard form.
  const WriteRow* find(std::string_view op) const;

  /// All forms of NNEF and of tract's registries that a core op fits.
  static const Writers& standard();

 private:
  std::vector<WriteRow> rows_;
};

/// Which fragments we understand.
class Readers {
 public:
  /// `parameters` are names between commas.
  void add(std::string_view fragment, std::string_view parameters, ReadCall read,
           FragmentKind kind = FragmentKind::plain);
  /// Null where nobody knows the fragment.
  const ReadRow* find(std::string_view fragment) const;
  /// The names of all fragments, for messages.
  std::vector<std::string> fragments() const;

  /// All forms of NNEF, tract's registries and ours.
  static const Readers& standard();

 private:
  std::vector<ReadRow> rows_;  ///< sorted by fragment
};

}  // namespace strata::opl
