#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "strata/core/dim.h"
#include "strata/core/graph.h"
#include "strata/core/tensor.h"
#include "strata/opl/ast.h"

namespace strata::opl {

/// What an expression of a document stands for once its names are resolved: nothing, a literal, a
/// size, a wire, or a list of these (an array or a tuple).
struct Item {
  using List = std::vector<Item>;
  std::variant<std::monostate, bool, Number, std::string, Dim, OutletId, List> content;
  Position position;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&content);
  }
  bool is_none() const { return std::holds_alternative<std::monostate>(content); }
  bool is_wire() const { return std::holds_alternative<OutletId>(content); }
  /// A size: an integer literal or an expression over symbols; none for anything else.
  std::optional<Dim> as_dim() const;
};

/// What `item` is, for messages: `a wire`, `a number`, …
std::string_view describe(const Item& item);

/// The tensor that a literal, or nested arrays of literals, stand for: integers are i64, numbers
/// with a dot f32; symbols make a tensor of dims. None where they do not form a tensor.
std::optional<Tensor> literal_tensor(const Item& item);

}  // namespace strata::opl
