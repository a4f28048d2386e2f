#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "compare.h"

namespace strata::conformance {

/// Inputs and expected outputs, by position.
struct DataSet {
  std::vector<std::filesystem::path> inputs;
  std::vector<std::filesystem::path> outputs;
};

/// One official case: a model and data to run it on.
///
/// A `light` case has no input files: its one input is the ramp i/n, i < n, as ONNX's own runner
/// makes it.
struct Case {
  std::string group;  ///< node, simple, pytorch-operator, pytorch-converted, light, …
  std::string name;   ///< test_add
  std::filesystem::path model;
  std::vector<DataSet> data;
  cli::Tolerance tolerance;
  bool ramp_input = false;

  /// How lists and messages name it: `node/test_add`.
  std::string id() const { return group + '/' + name; }
};

/// All cases below the folders, sorted by group and name: folders that hold a `model.onnx`, and the
/// files `light_*.onnx`. Throws: file when a folder cannot be read.
std::vector<Case> find_cases(const std::vector<std::filesystem::path>& folders);

/// The op types in a case's model, those of subgraphs and functions included, as `Add` or
/// `ai.onnx.ml.Binarizer`; none when the model cannot be parsed.
std::set<std::string> op_types(const std::filesystem::path& model);

}  // namespace strata::conformance
