#include "entries.h"

#include <algorithm>

#include "npy.h"
#include "strata/core/error.h"

namespace strata::cli {
namespace {

const Tensor* find_entry(const std::string& name, const Entries& entries) {
  for (const auto& [key, tensor] : entries)
    if (key == name) return &tensor;
  return nullptr;
}

bool has_items(const std::string& name, const Entries& entries) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const auto& entry) { return entry.first.starts_with(name + ".0"); });
}

Value sequence_from_entries(const std::string& name, const ValueType& element,
                            const Entries& entries) {
  Sequence out{element, {}};
  for (;;) {
    const std::string item = cat(name, '.', out.items.size());
    if (!find_entry(item, entries) && !has_items(item, entries)) return out;
    out.items.push_back(value_from_entries(item, element, entries).value());
  }
}

/// Whether `entry` is `name`, or `name` followed by `.` and a number, any number of times.
bool belongs_to(std::string_view entry, std::string_view name) {
  if (!entry.starts_with(name)) return false;
  entry.remove_prefix(name.size());
  return entry.empty() || (entry[0] == '.' && entry.size() > 1 &&
                           entry.find_first_not_of(".0123456789") == std::string_view::npos);
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

std::optional<Value> value_from_entries(const std::string& name, const ValueType& type,
                                        const Entries& entries) {
  switch (type.kind) {
    case ValueType::Kind::tensor: {
      const Tensor* found = find_entry(name, entries);
      if (!found) return std::nullopt;
      try {
        return Value(restored(*found, type.dtype));
      } catch (Error& error) {
        throw error.in(cat("array ", in_quotes(name)));
      }
    }
    case ValueType::Kind::sequence:
      return sequence_from_entries(name, *type.element, entries);
    case ValueType::Kind::optional:
      break;
  }
  Optional out{*type.element, nullptr};
  const bool is_there = find_entry(name, entries) || has_items(name, entries);
  if (is_there)
    out.value =
        std::make_shared<const Value>(value_from_entries(name, *type.element, entries).value());
  return Value(std::move(out));
}

void check_entry_names(const Entries& entries, const std::vector<std::string>& names,
                       std::string_view what) {
  for (const auto& [entry, tensor] : entries)
    if (std::none_of(names.begin(), names.end(),
                     [&item = entry](const std::string& name) { return belongs_to(item, name); }))
      fail_unknown_name(what, entry, names);
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
