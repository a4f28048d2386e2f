#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

/// The containers of an OPL model: a folder, a tar, or a gzip-compressed tar, which holds
/// `graph.nnef` and one `<label>.dat` for each variable. tract reads and writes the same three;
/// a label may hold `/`.
namespace strata::opl {

/// Bounds on what a container may make us spend; reaching one throws an Error of kind `limit`.
struct ArchiveLimits {
  std::size_t entries = 1'000'000;
  std::uint64_t bytes = std::uint64_t{64} << 30;  ///< of all files together, after decompression
};

/// Bytes that stay valid as long as `owner` is held.
struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// The files of a container by name, with `/` between folders and never a leading `/` or a `..`.
///
/// A folder's files, and those of an uncompressed tar, are mapped, not copied; those of a
/// compressed tar lie in memory.
using ArchiveFiles = std::map<std::string, FileBytes, std::less<>>;

/// Reads the container at `path`; its kind is told by its content, not by its name.
///
/// Throws: file if it cannot be read, or holds a link, a device, a name twice or a name that leaves
/// it; limit.
ArchiveFiles read_archive(const std::filesystem::path& path, const ArchiveLimits& limits = {});

/// The same for a tar, compressed or not, that lies in memory, as a model within a model does.
ArchiveFiles read_archive(const FileBytes& archive, std::string_view name,
                          const ArchiveLimits& limits = {});

/// The file of a container that holds the model's text.
inline constexpr std::string_view kGraphFile = "graph.nnef";

enum class ArchiveKind { folder, tar, compressed_tar };

/// What to write at `path`: `.opl`, `.tgz` and `.tar.gz` mean a compressed tar, `.tar` a tar, and
/// `.nnef`, a trailing slash or an existing folder a folder; nothing for any other name.
std::optional<ArchiveKind> archive_kind_of(const std::filesystem::path& path);

/// Makes the bytes of one file when its turn to be written comes, so that not all are in memory at
/// once.
using MakeBytes = std::function<std::string()>;
using FilesToWrite = std::map<std::string, MakeBytes, std::less<>>;

/// Writes `files` at `path`; equal content gives equal bytes, whatever the clock and the user.
///
/// All goes to a sibling of `path` first, which takes its place only when complete: on failure what
/// was there remains. A folder is replaced only if it is empty or holds a model and nothing
/// else. Throws: file if that fails; invalid_argument for a name that cannot be in a container.
void write_archive(const std::filesystem::path& path, ArchiveKind kind, const FilesToWrite& files);

}  // namespace strata::opl
