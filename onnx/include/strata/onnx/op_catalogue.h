#pragma once

#include <map>
#include <string_view>
#include <vector>

namespace strata::onnx {

/// What this build makes of one version of an op: one core op or none, several (by hir or by the
/// function body that the standard gives), or nothing.
enum class Support { native, expanded, absent };

std::string_view to_string(Support support);

/// One op of the ONNX standard, or of ONNX Runtime.
struct CatalogueEntry {
  std::string_view domain;  ///< "ai.onnx", "com.microsoft", …
  std::string_view name;
  std::map<int, Support> versions;        ///< those at which the standard changed it
  std::vector<std::string_view> becomes;  ///< core ops; none where the input is passed on as it is
  std::vector<std::string_view> may_add;  ///< core ops for some attributes, types or shapes
};

/// Every op of ai.onnx, ai.onnx.ml, ai.onnx.preview and ai.onnx.preview.training, and those of
/// com.microsoft that are supported, by domain and name.
std::vector<CatalogueEntry> op_catalogue();

/// How many versions have this support.
std::size_t count_of(const std::vector<CatalogueEntry>& catalogue, Support support);

}  // namespace strata::onnx
