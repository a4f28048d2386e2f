#include "strata/onnx/load_plan.h"

#include "strata/onnx/load.h"

namespace strata::onnx {
namespace {

std::shared_ptr<const Plan> compiled(hir::InferenceModel loaded, const Target& target,
                                     const Limits& limits) {
  loaded.analyse();
  TypedModel model = loaded.to_typed();
  declutter(model, limits);
  optimise(model, target, limits);
  return Plan::build(std::move(model), limits);
}

}  // namespace

std::shared_ptr<const Plan> load_plan(const std::filesystem::path& path, const Target& target,
                                      const Limits& limits, const Registry* own) {
  hir::InferenceModel loaded = load(path, limits, own);
  try {
    return compiled(std::move(loaded), target, limits);
  } catch (Error& error) {
    throw error.in(cat("while compiling ", path.string()));
  }
}

std::shared_ptr<const Plan> load_plan(std::span<const std::byte> bytes, const Target& target,
                                      const Limits& limits, const Registry* own) {
  return compiled(load(bytes, {}, limits, own), target, limits);
}

}  // namespace strata::onnx
