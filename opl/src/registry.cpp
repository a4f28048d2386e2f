#include "registry.h"

#include <algorithm>

#include "compounds.h"
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

/// Where the fragment stands among the sorted rows, or would stand.
std::vector<ReadRow>::const_iterator place_of(const std::vector<ReadRow>& rows,
                                              std::string_view fragment) {
  return std::lower_bound(
      rows.begin(), rows.end(), fragment,
      [](const ReadRow& row, std::string_view name) { return row.fragment < name; });
}

}  // namespace

const WriteRow* Writers::find(std::string_view op) const {
  const auto at =
      std::find_if(rows_.begin(), rows_.end(), [&](const WriteRow& row) { return row.op == op; });
  return at == rows_.end() ? nullptr : &*at;
}

const Writers& Writers::standard() {
  static const Writers writers = [] {
    Writers made;
    register_all(made);
    return made;
  }();
  return writers;
}

void Readers::add(std::string_view fragment, std::string_view parameters, ReadCall read,
                  FragmentKind kind) {
  rows_.insert(place_of(rows_, fragment), {fragment, split(parameters), read, kind});
}

const ReadRow* Readers::find(std::string_view fragment) const {
  const auto at = place_of(rows_, fragment);
  return at == rows_.end() || at->fragment != fragment ? nullptr : &*at;
}

std::vector<std::string> Readers::fragments() const {
  std::vector<std::string> out = default_form_names();
  for (const std::string_view name : compound_names()) out.emplace_back(name);
  for (const ReadRow& row : rows_) out.emplace_back(row.fragment);
  return out;
}

const Readers& Readers::standard() {
  static const Readers readers = [] {
    Readers made;
    register_all(made);
    return made;
  }();
  return readers;
}

}  // namespace strata::opl
