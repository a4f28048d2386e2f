#include "cases.h"

#include <algorithm>
#include <tuple>

#include "strata/core/error.h"

namespace strata::conformance {
namespace {

namespace fs = std::filesystem;

/// Cases whose expected output asks for another relative tolerance, in the official `data.json`.
constexpr std::pair<std::string_view, double> kTolerances[] = {{"light_densenet121", 2e-3}};

/// `folder/kind_0.pb`, `folder/kind_1.pb`, … as long as there are more.
std::vector<fs::path> numbered_files(const fs::path& folder, std::string_view kind) {
  std::vector<fs::path> out;
  for (;;) {
    fs::path path = folder / cat(kind, '_', out.size(), ".pb");
    if (!fs::exists(path)) return out;
    out.push_back(std::move(path));
  }
}

Case folder_case(const fs::path& folder) {
  Case out{.group = folder.parent_path().filename().string(),
           .name = folder.filename().string(),
           .model = folder / "model.onnx",
           .data = {},
           .tolerance = {}};
  for (std::size_t i = 0;; ++i) {
    const fs::path data = folder / cat("test_data_set_", i);
    if (!fs::is_directory(data)) return out;
    out.data.push_back({numbered_files(data, "input"), numbered_files(data, "output")});
  }
}

Case light_case(const fs::path& model) {
  const std::string stem = model.stem().string();
  Case out{.group = "light",
           .name = stem,
           .model = model,
           .data = {},
           .tolerance = {},
           .ramp_input = true};
  for (const auto& [name, relative] : kTolerances)
    if (name == stem) out.tolerance.relative = relative;
  out.data.push_back({{}, {model.parent_path() / (stem + "_output_0.pb")}});
  return out;
}

void search(const fs::path& folder, std::vector<Case>& out) {
  if (fs::exists(folder / "model.onnx")) {
    out.push_back(folder_case(fs::canonical(folder)));
    return;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory())
      search(entry.path(), out);
    else if (name.starts_with("light_") && entry.path().extension() == ".onnx")
      out.push_back(light_case(entry.path()));
  }
}

}  // namespace

std::vector<Case> find_cases(const std::vector<fs::path>& folders) {
  std::vector<Case> out;
  for (const fs::path& folder : folders) {
    require(fs::is_directory(folder), ErrorKind::file, in_quotes(folder.string()), " is no folder");
    search(folder, out);
  }
  std::sort(out.begin(), out.end(), [](const Case& a, const Case& b) {
    return std::tie(a.group, a.name) < std::tie(b.group, b.name);
  });
  return out;
}

}  // namespace strata::conformance
