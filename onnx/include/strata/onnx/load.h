#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "strata/core/limits.h"
#include "strata/core/value.h"
#include "strata/hir/inference_model.h"

namespace strata::onnx {

class Registry;

/// Reads an ONNX file. External tensors are mapped from the file's folder and never from outside
/// it; where the file is a link, links beside it may lead to the folder that it lies in. No file
/// read may change while the model, or a session made from it, uses its weights. Throws: file,
/// invalid_model, unsupported, limit; the error names the file and the node. `own` holds ops that
/// this build does not know, or knows otherwise; null for none.
hir::InferenceModel load(const std::filesystem::path& path, const Limits& limits = {},
                         const Registry* own = nullptr);
/// The same from memory; `folder` is where external data may lie, nowhere when empty.
hir::InferenceModel load(std::span<const std::byte> bytes, const std::filesystem::path& folder = {},
                         const Limits& limits = {}, const Registry* own = nullptr);

/// A value in a file of the official test data: a TensorProto, SequenceProto or OptionalProto, told
/// apart by `type`. Throws: file.
Value read_value(const std::filesystem::path& path, const ValueType& type);
/// Replaces the file by a complete one. Throws: file.
void write_value(const std::filesystem::path& path, const Value& value, const std::string& name);
/// What such a file holds.
std::string to_bytes(const Value& value, const std::string& name);

}  // namespace strata::onnx
