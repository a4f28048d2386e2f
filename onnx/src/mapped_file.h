#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace strata::onnx {

/// A regular file, mapped read-only for as long as the object lives.
class MappedFile {
 public:
  /// Throws: file when it is missing, not a regular file, or cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace strata::onnx
