#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/tensor.h"

namespace strata::cli {

/// To be asked before long work. Throws: file when the module that reads and writes archives is
/// missing.
void check_npz();

/// Throws: invalid_argument when an `.npz` cannot hold an array of this name: it is not UTF-8, or
/// has a zero or a backslash in it.
void check_npz_name(const std::string& name);

/// The arrays of an `.npz` archive by name (without `.npy`), in the order of the file.
/// Throws: file when it is damaged or a name occurs twice; limit when an array is too large.
std::vector<std::pair<std::string, Tensor>> read_npz(const std::filesystem::path& path);

/// Writes `entries` as an uncompressed `.npz` archive; `path` is replaced once all is written, and
/// left alone on failure. Throws: file when it cannot be written; invalid_argument when a name
/// occurs twice, or as check_npz_name.
void write_npz(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, Tensor>>& entries);

}  // namespace strata::cli
