#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ports.h"
#include "strata/core/value.h"

/// Values as the named arrays of an `.npz`: item 2 of a sequence `s` is `s.2`, and an empty
/// optional is absent.
namespace strata::cli {

using Entries = std::vector<std::pair<std::string, Tensor>>;

/// Appends the arrays of `value`.
void add_entries(const std::string& name, const Value& value, Entries& out);

/// The values of all ports, nothing for tensors that are not there. Throws: invalid_argument when
/// an array cannot be of the type, or is of no port, of two, or of an item after one that is
/// missing.
std::vector<std::optional<Value>> values_from_entries(const Ports& ports, const Entries& entries);

/// Throws: invalid_argument when arrays of two ports may have the same name.
void check_array_names(const Ports& ports);

/// `name` is none of `names`, and what was perhaps meant. Throws: invalid_argument, always.
[[noreturn]] void fail_unknown_name(std::string_view what, const std::string& name,
                                    const std::vector<std::string>& names);

}  // namespace strata::cli
