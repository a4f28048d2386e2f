#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Files that the command itself reads and writes. All throw: file, with the path and the reason.
namespace strata::cli {

/// Whether `path` is a folder; false if it cannot be examined.
bool is_folder(const std::filesystem::path& path);

void check_readable(const std::filesystem::path& path);
/// An early check before long work; writing may still fail.
void check_writable(const std::filesystem::path& path);

/// The bytes of a file or a pipe; only the first few where they do not begin with `magic`. Throws
/// also: limit for more than a tensor may have.
std::string read_beginning_with(std::string_view magic, const std::filesystem::path& path);

}  // namespace strata::cli
