#include "strata/onnx/op_catalogue.h"

#include <algorithm>

#include "model_text.h"
#include "strata/onnx/registry.h"

namespace strata::testing {
namespace {

const onnx::CatalogueEntry& entry_of(const std::vector<onnx::CatalogueEntry>& catalogue,
                                     std::string_view name, std::string_view domain = "ai.onnx") {
  const auto found = std::find_if(catalogue.begin(), catalogue.end(), [&](const auto& entry) {
    return entry.name == name && entry.domain == domain;
  });
  REQUIRE(found != catalogue.end());
  return *found;
}

}  // namespace

TEST_CASE("no version of any op is absent") {
  const auto catalogue = onnx::op_catalogue();
  CHECK(count_of(catalogue, onnx::Support::absent) == 0);
  CHECK(count_of(catalogue, onnx::Support::native) > 0);
  CHECK(count_of(catalogue, onnx::Support::expanded) > 0);
}

TEST_CASE("every registered version of an op is one of the standard") {
  const auto catalogue = onnx::op_catalogue();
  for (const auto& op : onnx::registry().entries()) {
    const auto& key = op.first;
    INFO(key.first, '.', key.second);
    const auto& entry = entry_of(catalogue, key.second, key.first.empty() ? "ai.onnx" : key.first);
    for (const int version : op.second.versions) CHECK(entry.versions.contains(version));
  }
}

TEST_CASE("an op is native, expanded by hir or expanded by its body") {
  const auto catalogue = onnx::op_catalogue();
  CHECK(entry_of(catalogue, "Tanh").versions.at(13) == onnx::Support::native);
  CHECK(entry_of(catalogue, "Gemm").versions.at(9) == onnx::Support::expanded);
  CHECK(entry_of(catalogue, "HannWindow").versions.at(17) == onnx::Support::expanded);
  CHECK(entry_of(catalogue, "HannWindow").versions.size() == 1);
  CHECK(entry_of(catalogue, "Gelu", "com.microsoft").versions.at(1) == onnx::Support::native);
  CHECK(entry_of(catalogue, "Attention", "com.microsoft").versions.at(1) ==
        onnx::Support::expanded);
}

}  // namespace strata::testing
