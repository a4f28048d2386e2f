#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "messages.h"
#include "strata/core/mapped_file.h"

namespace strata::onnx {

/// A stretch of a mapped file.
struct ExternalBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const MappedFile> file;
};

/// The files beside a model that hold its external tensors; each is mapped once.
class ExternalData {
 public:
  /// `folder` is where the files may lie; nowhere when empty.
  explicit ExternalData(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The bytes an external tensor names, of which there are `size`. Throws: file when the file
  /// cannot be read; invalid_model when it lies outside the folder or is too short.
  ExternalBytes read(const TensorProto& proto, std::size_t size);

 private:
  std::shared_ptr<const MappedFile> open(const std::string& location);

  std::filesystem::path folder_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace strata::onnx
