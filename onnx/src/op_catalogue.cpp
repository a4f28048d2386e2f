#include "strata/onnx/op_catalogue.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "functions.h"
#include "op_catalogue_table.h"
#include "strata/core/error.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {
namespace {

std::vector<std::string_view> parts_of(std::string_view list, std::string_view separator) {
  std::vector<std::string_view> out;
  while (!list.empty()) {
    const std::size_t end = list.find(separator);
    out.push_back(list.substr(0, end));
    list = end == std::string_view::npos ? "" : list.substr(end + separator.size());
  }
  return out;
}

int number_of(std::string_view text) {
  int out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  return out;
}

Support support_of(const CatalogueRow& row, int version, std::size_t core_ops) {
  if (const auto* entry = registry().find(row.domain, row.name)) {
    const bool is_known =
        std::find(entry->versions.begin(), entry->versions.end(), version) != entry->versions.end();
    if (!is_known) return Support::absent;
    return core_ops <= 1 ? Support::native : Support::expanded;
  }
  return Functions::has_body(std::string(row.domain), std::string(row.name), version)
             ? Support::expanded
             : Support::absent;
}

}  // namespace

std::string_view to_string(Support support) {
  switch (support) {
    case Support::native:
      return "native";
    case Support::expanded:
      return "expanded";
    case Support::absent:
      return "absent";
  }
  fail(ErrorKind::internal, "a support that is unknown");
}

std::vector<CatalogueEntry> op_catalogue() {
  std::vector<CatalogueEntry> out;
  for (const CatalogueRow& row : op_catalogue_table()) {
    CatalogueEntry entry{row.domain.empty() ? "ai.onnx" : row.domain,
                         row.name,
                         {},
                         parts_of(row.becomes, ", "),
                         parts_of(row.may_add, ", ")};
    for (const std::string_view text : parts_of(row.versions, " ")) {
      const int version = number_of(text);
      entry.versions.emplace(version, support_of(row, version, entry.becomes.size()));
    }
    out.push_back(std::move(entry));
  }
  return out;
}

std::size_t count_of(const std::vector<CatalogueEntry>& catalogue, Support support) {
  std::size_t count = 0;
  for (const CatalogueEntry& entry : catalogue)
    for (const auto& [version, its] : entry.versions) count += its == support ? 1 : 0;
  return count;
}

}  // namespace strata::onnx
