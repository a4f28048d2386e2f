#include "entries.h"

#include <algorithm>
#include <map>
#include <set>

#include "npy.h"
#include "strata/core/error.h"

namespace strata::cli {
namespace {

/// The arrays by name; if two have the same name, the first.
using Index = std::map<std::string_view, const Tensor*>;

Index index_of(const Entries& entries) {
  Index out;
  for (const auto& [name, tensor] : entries) out.emplace(name, &tensor);
  return out;
}

/// How many numbers follow the name of a port of `type` in the names of its arrays.
std::size_t numbers_after(const ValueType& type) {
  if (type.kind == ValueType::Kind::tensor) return 0;
  return numbers_after(*type.element) + (type.kind == ValueType::Kind::sequence ? 1 : 0);
}

/// If `longer` is `name` followed by numbers, each after a dot: how many numbers. Otherwise
/// nothing.
std::optional<std::size_t> numbers_between(std::string_view name, std::string_view longer) {
  if (!longer.starts_with(name)) return std::nullopt;
  longer.remove_prefix(name.size());
  std::size_t count = 0;
  for (; !longer.empty(); ++count) {
    const std::size_t end = std::min(longer.find_first_not_of("0123456789", 1), longer.size());
    if (longer[0] != '.' || end == 1) return std::nullopt;
    longer.remove_prefix(end);
  }
  return count;
}

bool is_array_of(const std::string& name, const ValueType& type, std::string_view entry) {
  return numbers_between(name, entry) == numbers_after(type);
}

bool is_there(const std::string& name, const ValueType& type, const Index& index) {
  for (auto at = index.lower_bound(name); at != index.end() && at->first.starts_with(name); ++at)
    if (is_array_of(name, type, at->first)) return true;
  return false;
}

/// The value of `type` named `name`, or nothing when it is a tensor that is not there. A sequence
/// without items is empty.
std::optional<Value> value_from_entries(const std::string& name, const ValueType& type,
                                        const Index& index);

Value sequence_from_entries(const std::string& name, const ValueType& element, const Index& index) {
  Sequence out{element, {}};
  for (;;) {
    const std::string item = cat(name, '.', out.items.size());
    if (!is_there(item, element, index)) return out;
    out.items.push_back(value_from_entries(item, element, index).value());
  }
}

std::optional<Value> value_from_entries(const std::string& name, const ValueType& type,
                                        const Index& index) {
  switch (type.kind) {
    case ValueType::Kind::tensor: {
      const auto found = index.find(name);
      if (found == index.end()) return std::nullopt;
      try {
        return Value(restored(*found->second, type.dtype));
      } catch (Error& error) {
        throw error.in(cat("array ", in_quotes(name)));
      }
    }
    case ValueType::Kind::sequence:
      return sequence_from_entries(name, *type.element, index);
    case ValueType::Kind::optional:
      break;
  }
  Optional out{*type.element, nullptr};
  if (is_there(name, type, index))
    out.value =
        std::make_shared<const Value>(value_from_entries(name, *type.element, index).value());
  return Value(std::move(out));
}

/// Checks that each entry belongs to one port.
void check_owners(const Ports& ports, const Entries& entries) {
  for (const auto& [entry, tensor] : entries) {
    std::vector<std::string> owners;
    for (std::size_t i = 0; i < ports.names.size(); ++i)
      if (is_array_of(ports.names[i], ports.types[i], entry)) owners.push_back(ports.names[i]);
    if (owners.empty()) fail_unknown_name(ports.what, entry, ports.names);
    require(owners.size() == 1, ErrorKind::invalid_argument, "the array ", in_quotes(entry),
            " may be of ", ports.what, ' ', in_quotes(owners.front()), " or of ",
            in_quotes(owners.back()));
  }
}

/// Checks that each entry was read for some value.
void check_all_read(const Ports& ports, const std::vector<std::optional<Value>>& values,
                    const Entries& entries) {
  Entries read;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i]) add_entries(ports.names[i], *values[i], read);
  std::set<std::string_view> names;
  for (const auto& [name, tensor] : read) names.insert(name);
  for (const auto& [name, tensor] : entries)
    require(names.contains(name), ErrorKind::invalid_argument, "the array ", in_quotes(name),
            " is given, but not each item before it");
}

}  // namespace

void add_entries(const std::string& name, const Value& value, Entries& out) {
  switch (value.type().kind) {
    case ValueType::Kind::tensor:
      out.emplace_back(name, value.tensor());
      return;
    case ValueType::Kind::sequence:
      for (std::size_t i = 0; i < value.sequence().items.size(); ++i)
        add_entries(cat(name, '.', i), value.sequence().items[i], out);
      return;
    case ValueType::Kind::optional:
      if (value.optional().value) add_entries(name, *value.optional().value, out);
      return;
  }
}

std::vector<std::optional<Value>> values_from_entries(const Ports& ports, const Entries& entries) {
  check_owners(ports, entries);
  const Index index = index_of(entries);
  std::vector<std::optional<Value>> out;
  for (std::size_t i = 0; i < ports.names.size(); ++i)
    out.push_back(value_from_entries(ports.names[i], ports.types[i], index));
  check_all_read(ports, out, entries);
  return out;
}

void check_array_names(const Ports& ports) {
  for (std::size_t a = 0; a < ports.names.size(); ++a)
    for (std::size_t b = 0; b < ports.names.size(); ++b) {
      const auto between = numbers_between(ports.names[a], ports.names[b]);
      const bool meet = a != b && between &&
                        *between + numbers_after(ports.types[b]) == numbers_after(ports.types[a]);
      require(!meet, ErrorKind::invalid_argument, "arrays of the ", ports.what, "s ",
              in_quotes(ports.names[a]), " and ", in_quotes(ports.names[b]),
              " may have the same name in an .npz; a folder can hold both");
    }
}

void fail_unknown_name(std::string_view what, const std::string& name,
                       const std::vector<std::string>& names) {
  std::string message = cat("the model has no ", what, ' ', in_quotes(name));
  const std::string nearest = nearest_name(name, names);
  if (!nearest.empty()) message += cat(", perhaps ", in_quotes(nearest), " is meant");
  message += cat("; it has ", names.empty() ? "none" : "");
  for (std::size_t i = 0; i < names.size(); ++i) message += cat(i ? ", " : "", in_quotes(names[i]));
  fail(ErrorKind::invalid_argument, message);
}

}  // namespace strata::cli
