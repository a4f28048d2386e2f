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

/// Where the files beside a model may lie.
struct DataFolders {
  std::filesystem::path folder;  ///< that of the model; nowhere when empty
  /// A second folder that links in the first may lead to: if the model's own path is a link, the
  /// folder of the file it points to, as in a cache that stores files by content. A real path, or
  /// empty.
  std::filesystem::path linked;
};

/// The files beside a model that hold its external tensors; each is mapped once.
class ExternalData {
 public:
  explicit ExternalData(DataFolders folders) : folders_(std::move(folders)) {}

  /// The bytes an external tensor names, of which there are `size`. Throws: file when the file
  /// cannot be read; invalid_model when it lies outside the folders or is too short.
  ExternalBytes read(const TensorProto& proto, std::size_t size);

 private:
  std::shared_ptr<const MappedFile> open(const std::string& location);

  DataFolders folders_;
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

}  // namespace strata::onnx
