#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace strata::cli {

/// A zip archive cannot be read or written; says why.
struct ZipFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// An entry is larger than it may be.
struct ZipEntryTooLarge : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Zip archives. All functions throw ZipFailure, and what the functions throw that they call.
struct ZipLibrary {
  using Visit = std::function<void(std::string name, std::string bytes)>;
  using Contents = std::vector<std::pair<std::string, std::function<std::string()>>>;

  /// Visits the entries in the order of the file. Throws: ZipEntryTooLarge for one of more than
  /// `most_bytes`.
  void (*read)(const std::string& file, std::size_t most_bytes, const Visit& visit);
  /// Writes an archive without compression, each entry's bytes made when its turn comes.
  void (*write)(const std::string& file, const Contents& contents);
};

/// Zip archives by libarchive; in a module of its own, for few runs need them.
const ZipLibrary* libarchive_zip();

}  // namespace strata::cli
