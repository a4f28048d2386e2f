#include "npz.h"

#include <set>
#include <span>
#include <string_view>

#include "files.h"
#include "npy.h"
#include "strata/core/error.h"
#include "strata/core/limits.h"
#include "strata/core/module.h"
#include "strata/core/replacement.h"
#include "utf8.h"
#include "zip.h"

namespace strata::cli {
namespace {

constexpr std::string_view kSuffix = ".npy";

const ZipLibrary& zip_library() {
  static const void* library = call_module("strata_zip.so", "strata_zip_library");
  require(library != nullptr, ErrorKind::file,
          "this program cannot read or write .npz files: strata_zip.so cannot be loaded");
  return *static_cast<const ZipLibrary*>(library);
}

/// Runs `work` on a file; why it fails becomes an Error.
template <class Work>
void doing(std::string_view action, const std::string& file, Work work) {
  try {
    work();
  } catch (const ZipFailure& failure) {
    fail(ErrorKind::file, "cannot ", action, ' ', in_quotes(file), ": ", failure.what());
  } catch (const ZipEntryTooLarge&) {
    fail(ErrorKind::limit, "an entry of ", in_quotes(file), " exceeds the limit tensor_bytes of ",
         Limits{}.tensor_bytes);
  }
}

}  // namespace

void check_npz() { (void)zip_library(); }

void check_npz_name(const std::string& name) {
  // libarchive, and so this command, reads a backslash as a slash.
  const bool is_plain = name.find_first_of(std::string_view("\0\\", 2)) == std::string::npos;
  require(utf32(name) && is_plain, ErrorKind::invalid_argument,
          "an .npz takes names in UTF-8 without a zero or a backslash, ", in_quotes(name),
          " is none; write to a folder");
}

std::vector<std::pair<std::string, Tensor>> read_npz(const std::filesystem::path& path) {
  check_readable(path);
  const std::string file = path.string();
  std::vector<std::pair<std::string, Tensor>> out;
  std::set<std::string> seen;
  const auto add = [&](std::string name, const std::string& bytes) {
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
    require(seen.insert(name).second, ErrorKind::file, in_quotes(file), " holds ", in_quotes(name),
            " twice");
    const std::string place = cat(file, ":", name);
    out.emplace_back(name, read_npy(std::as_bytes(std::span(bytes)), place));
  };
  const auto most = static_cast<std::size_t>(Limits{}.tensor_bytes);
  doing("read", file, [&] { zip_library().read(file, most, add); });
  return out;
}

void write_npz(const std::filesystem::path& path,
               const std::vector<std::pair<std::string, Tensor>>& entries) {
  std::set<std::string> seen;
  ZipLibrary::Contents contents;
  for (const auto& [name, tensor] : entries) {
    check_npz_name(name);
    require(seen.insert(name).second, ErrorKind::invalid_argument, "two arrays are named ",
            in_quotes(name));
    contents.emplace_back(name + std::string(kSuffix),
                          [&written = tensor] { return write_npy(written); });
  }
  const Replacement file(path);
  doing("write", path.string(), [&] { zip_library().write(file.path(), contents); });
  file.finish();
}

}  // namespace strata::cli
