#pragma once

#include <string_view>
#include <vector>

namespace strata::onnx {

/// One op of the standard; lists are separated by blanks (versions) and ", " (core ops).
struct CatalogueRow {
  std::string_view domain;
  std::string_view name;
  std::string_view versions;
  std::string_view becomes;
  std::string_view may_add;
};

/// By domain and name.
const std::vector<CatalogueRow>& op_catalogue_table();

}  // namespace strata::onnx
