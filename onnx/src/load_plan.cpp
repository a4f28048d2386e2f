#include "strata/onnx/load_plan.h"

#include "strata/onnx/load.h"

namespace strata::onnx {

std::shared_ptr<const Plan> load_plan(const std::filesystem::path& path, const Target& target,
                                      const Limits& limits) {
  hir::InferenceModel loaded = load(path, limits);
  try {
    loaded.analyse();
    TypedModel model = loaded.to_typed();
    declutter(model, limits);
    optimise(model, target, limits);
    return Plan::build(std::move(model), limits);
  } catch (Error& error) {
    throw error.in(cat("while compiling ", path.string()));
  }
}

}  // namespace strata::onnx
