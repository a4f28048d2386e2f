#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace strata {

/// The bytes of a regular file for as long as the object lives: mapped read-only, or read where
/// there are few.
class MappedFile {
 public:
  /// Throws: file when it is missing, not a regular file, or cannot be read.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// Returns the memory of this part of the file to the system until it is read again, if it is
  /// large enough.
  void release(std::span<const std::byte> part) const;

 private:
  std::unique_ptr<std::byte[]> read_;  ///< null where the file is mapped
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A part of a file, whose memory is returned to the system once nobody holds the part, unless it
/// is small.
class FilePart {
 public:
  FilePart(std::shared_ptr<const MappedFile> file, std::span<const std::byte> bytes)
      : file_(std::move(file)), bytes_(bytes) {}
  ~FilePart() { file_->release(bytes_); }
  FilePart(const FilePart&) = delete;
  FilePart& operator=(const FilePart&) = delete;

 private:
  std::shared_ptr<const MappedFile> file_;
  std::span<const std::byte> bytes_;
};

}  // namespace strata
