#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

/// A name beside `path` that hardly anyone else has, ending in `role`: hidden, so that a crash leaves
/// nothing that looks whole.
std::filesystem::path hidden_beside(const std::filesystem::path& path, std::string_view role);

/// Notes that a file or folder is not finished, while it is alive.
class Unfinished {
 public:
  explicit Unfinished(std::string path);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Removes all files and folders that are not finished, of which 64 at once count. A handler of
/// signals may call it: it takes no lock and no memory.
void remove_unfinished_files() noexcept;

/// A file that takes the place of another once it is whole. Until then it has a name of its own
/// beside it; it is removed unless it is finished. Through a link the file it names is replaced,
/// not the link, and a file that there was hands on its mode and, as far as may be, its owner. All
/// throw: file, with the path and the reason.
class Replacement {
 public:
  explicit Replacement(const std::filesystem::path& target);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// Where to write until it is finished: an empty file.
  const std::string& path() const { return file_->path(); }
  /// Makes these bytes the whole file.
  void write(std::string_view bytes) const;
  /// Puts the file in its place, once the disk has it.
  void finish() const;

 private:
  std::filesystem::path target_;
  std::optional<Unfinished> file_;
};

}  // namespace strata
