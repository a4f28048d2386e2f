#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace strata {

/// A name beside `path` that is very likely unused, ending in `role`. It is hidden, so that a crash
/// leaves nothing that looks complete.
std::filesystem::path hidden_beside(const std::filesystem::path& path, std::string_view role);

/// While it lives, a file or folder is registered as not finished.
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

/// Removes all files and folders that are not finished, up to 64. A signal handler may call it: it
/// takes no lock and no memory.
void remove_unfinished_files() noexcept;

/// A file that takes the place of another once it is complete. Until then it has another name
/// beside it, and it is removed unless it is finished. If the path is a link, the file it points to
/// is replaced. The new file gets the mode and, if possible, the owner of the old one. All throw:
/// file, with the path and the reason.
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
  /// Puts the file in its place, after writing it to disk.
  void finish() const;

 private:
  std::filesystem::path target_;
  std::optional<Unfinished> file_;
};

}  // namespace strata
