#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "strata/opl/archive.h"

namespace strata::opl {

/// Why `name` cannot be the name of a file in a container, or empty.
std::string_view name_defect(std::string_view name);

/// Maps a file into memory, read only. Throws: file.
FileBytes map_file(const std::filesystem::path& path);

/// Collects files under the limits.
class ArchiveCollector {
 public:
  ArchiveCollector(std::string archive, const ArchiveLimits& limits)
      : archive_(std::move(archive)), limits_(limits) {}

  /// The name without the `./` before it. Throws: file where it is refused or taken; limit.
  std::string claim(std::string_view name, std::uint64_t size);
  void add(std::string name, FileBytes bytes) { files_.emplace(std::move(name), std::move(bytes)); }
  ArchiveFiles take() { return std::move(files_); }
  [[noreturn]] void fail_entry(std::string_view name, std::string_view defect) const;

 private:
  std::string archive_;
  ArchiveLimits limits_;
  std::uint64_t bytes_ = 0;
  ArchiveFiles files_;
};

}  // namespace strata::opl
