#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

#include "strata/core/session.h"
#include "strata/core/transform.h"

namespace strata::onnx {

class Registry;

/// All stages in one step: reads an ONNX file, finds its facts, simplifies it and compiles it for
/// `target`. `own` is as in `load`. Throws: as `load`, `analyse`, `to_typed` and the passes do; the
/// error names the file.
std::shared_ptr<const Plan> load_plan(const std::filesystem::path& path, const Target& target = {},
                                      const Limits& limits = {}, const Registry* own = nullptr);
/// The same from memory, which may go once it is loaded; external data lie nowhere.
std::shared_ptr<const Plan> load_plan(std::span<const std::byte> bytes, const Target& target = {},
                                      const Limits& limits = {}, const Registry* own = nullptr);

}  // namespace strata::onnx
