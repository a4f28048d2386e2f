#include "files.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "strata/core/error.h"
#include "strata/core/limits.h"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

std::error_code last_error() { return {errno, std::generic_category()}; }

[[noreturn]] void fail_to(std::string_view action, const fs::path& path, std::string_view reason) {
  fail(ErrorKind::file, "cannot ", action, ' ', in_quotes(path.string()), ": ", reason);
}

void check(const std::error_code& error, std::string_view action, const fs::path& path) {
  if (error) fail_to(action, path, error.message());
}

/// The file that a path names, through links.
fs::path file_at(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::absolute(path, error);
  if (!error) out = fs::weakly_canonical(out, error);
  check(error, "write", path);
  return out;
}

void check_is_stream(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  check(error, "read", path);
  if (fs::is_directory(status)) fail_to("read", path, "it is a folder");
  if (!fs::is_regular_file(status) && !fs::is_fifo(status))
    fail_to("read", path, "it is neither a regular file nor a pipe");
}

}  // namespace

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

void check_readable(const fs::path& path) {
  if (::access(path.c_str(), R_OK) != 0) check(last_error(), "read", path);
}

void check_writable(const fs::path& path) {
  const fs::path folder = file_at(path).parent_path() / "";
  if (::access(folder.c_str(), W_OK | X_OK) != 0) check(last_error(), "write", path);
  if (is_folder(path)) fail_to("write", path, "it is a folder");
}

std::string read_beginning_with(std::string_view magic, const fs::path& path) {
  check_is_stream(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) check(last_error(), "read", path);
  std::string out(magic.size(), '\0');
  file.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(file.gcount()));
  if (out != magic) return out;
  const auto most = static_cast<std::size_t>(Limits{}.tensor_bytes);
  std::array<char, 65536> block;
  while (file.read(block.data(), block.size()), file.gcount() > 0) {
    out.append(block.data(), static_cast<std::size_t>(file.gcount()));
    require(out.size() <= most, ErrorKind::limit, in_quotes(path.string()),
            " exceeds the limit tensor_bytes of ", most);
  }
  if (file.bad()) fail_to("read", path, "it cannot be read to its end");
  return out;
}

}  // namespace strata::cli
