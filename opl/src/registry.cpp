#include "registry.h"

#include <algorithm>

#include "default_form.h"
#include "ops/all.h"

namespace strata::opl {
namespace {

std::vector<std::string_view> split(std::string_view names) {
  std::vector<std::string_view> out;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    std::string_view name = names.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    out.push_back(name);
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return out;
}

}  // namespace

void Registry::read(std::string_view fragment, std::string_view parameters, ReadCall read) {
  const auto at = std::lower_bound(
      readers_.begin(), readers_.end(), fragment,
      [](const ReadRow& row, std::string_view name) { return row.fragment < name; });
  readers_.insert(at, {fragment, split(parameters), read});
}

const WriteRow* Registry::writer(std::string_view op) const {
  const auto at = std::find_if(writers_.begin(), writers_.end(),
                               [&](const WriteRow& row) { return row.op == op; });
  return at == writers_.end() ? nullptr : &*at;
}

const ReadRow* Registry::reader(std::string_view fragment) const {
  const auto at = std::lower_bound(
      readers_.begin(), readers_.end(), fragment,
      [](const ReadRow& row, std::string_view name) { return row.fragment < name; });
  return at == readers_.end() || at->fragment != fragment ? nullptr : &*at;
}

std::vector<std::string> Registry::fragments() const {
  std::vector<std::string> out = default_form_names();
  for (const ReadRow& row : readers_) out.emplace_back(row.fragment);
  return out;
}

const Registry& Registry::standard() {
  static const Registry registry = [] {
    Registry made;
    register_all(made);
    return made;
  }();
  return registry;
}

}  // namespace strata::opl
