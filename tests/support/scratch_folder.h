#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

namespace strata::tests {

/// A new folder for temporary files, which is removed with all that is in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    const std::string unique(6, 'X');  // replaced by mkdtemp
    const auto temporary = std::filesystem::temp_directory_path();
    std::string name = (temporary / ("strata-test-" + unique)).string();
    if (!::mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code left_behind;
    std::filesystem::remove_all(path_, left_behind);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  /// Writes a file, and gives its path.
  std::filesystem::path write(std::string_view name, std::string_view bytes) const {
    std::filesystem::path file = path_ / name;
    std::ofstream(file, std::ios::binary) << bytes;
    return file;
  }

  /// How many files and folders lie directly in it.
  std::ptrdiff_t entries() const {
    return std::distance(std::filesystem::directory_iterator(path_), {});
  }

 private:
  std::filesystem::path path_;
};

}  // namespace strata::tests
