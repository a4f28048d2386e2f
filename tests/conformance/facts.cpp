#include <iostream>
#include <string>

#include "strata/core/error.h"
#include "strata/core/text.h"
#include "strata/onnx/load.h"

/// Prints what analysis finds of the outputs of models.
///
/// Reads a path a line from standard input, and prints a line for each: the facts of the model's
/// outputs, parted by tabs, or `error: ` and why the model is refused.
namespace {

std::string facts_of_outputs(const std::string& path) {
  try {
    strata::hir::InferenceModel model = strata::onnx::load(path);
    model.analyse();
    std::string out;
    for (const strata::GraphOutput& output : model.outputs()) {
      if (!out.empty()) out += '\t';
      out += model.fact(output.outlet).to_string();
    }
    return out;
  } catch (const strata::Error& error) {
    std::string out = strata::cat("error: ", error.what());
    for (char& c : out)
      if (c == '\n') c = ';';
    return out;
  }
}

}  // namespace

int main() {
  for (std::string path; std::getline(std::cin, path);)
    std::cout << facts_of_outputs(path) << std::endl;
}
