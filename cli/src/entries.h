#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/value.h"

/// Values as the named arrays of an `.npz`: item 2 of a sequence `s` is `s.2`, and an empty
/// optional is absent.
namespace strata::cli {

using Entries = std::vector<std::pair<std::string, Tensor>>;

/// Appends the arrays of `value`.
void add_entries(const std::string& name, const Value& value, Entries& out);

/// The value of `type` named `name`, or nothing when it is a tensor that is not there. A sequence
/// without items is empty. Throws: invalid_argument when an array cannot be of the type.
std::optional<Value> value_from_entries(const std::string& name, const ValueType& type,
                                        const Entries& entries);

/// Throws: invalid_argument when an entry belongs to none of `names`: is neither a name, nor a
/// name, a dot and a number.
void check_entry_names(const Entries& entries, const std::vector<std::string>& names,
                       std::string_view what);

/// `name` is none of `names`, and what was perhaps meant. Throws: invalid_argument, always.
[[noreturn]] void fail_unknown_name(std::string_view what, const std::string& name,
                                    const std::vector<std::string>& names);

}  // namespace strata::cli
