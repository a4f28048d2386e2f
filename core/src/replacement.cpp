#include "strata/core/replacement.h"

#include <atomic>
#include <cerrno>
#include <system_error>

#include "descriptor.h"
#include "strata/core/error.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

void check_written(const std::error_code& error, const fs::path& path) {
  require(!error, ErrorKind::file, "cannot write ", in_quotes(path.string()), ": ",
          [&] { return error.message(); });
}

std::error_code last_error() { return {errno, std::generic_category()}; }

/// The file that a path names, through links.
fs::path file_at(const fs::path& path) {
  std::error_code error;
  fs::path out = fs::absolute(path, error);
  if (!error) out = fs::weakly_canonical(out, error);
  check_written(error, path);
  return out;
}

/// The paths of files that are not finished, which a handler of signals reads.
std::atomic<const char*> unfinished[64];

/// Puts `after` in the place of `before`.
void exchange_unfinished(const char* before, const char* after) {
  for (std::atomic<const char*>& place : unfinished)
    if (const char* held = before; place.compare_exchange_strong(held, after)) return;
}

}  // namespace

void remove_unfinished_files() noexcept {
  for (const std::atomic<const char*>& place : unfinished)
    if (const char* path = place.load()) ::unlink(path);
}

fs::path hidden_beside(const fs::path& path, std::string_view role) {
  static std::atomic<unsigned> count = 0;
  return path.parent_path() / cat(".", path.filename().string(), ".",
                                  static_cast<long long>(::getpid()), "-", count++, ".", role);
}

Replacement::Replacement(const fs::path& target)
    : target_(file_at(target)), path_(hidden_beside(target_, "new").string()) {
  exchange_unfinished(nullptr, path_.c_str());
  const Descriptor file(path_, O_WRONLY | O_CREAT | O_EXCL);
  if (file.get() >= 0) return;
  const std::error_code error = last_error();
  exchange_unfinished(path_.c_str(), nullptr);
  check_written(error, target);
}

Replacement::~Replacement() {
  std::error_code ignored;
  fs::remove(path_, ignored);
  exchange_unfinished(path_.c_str(), nullptr);
}

void Replacement::write(std::string_view bytes) const {
  const Descriptor file(path_, O_WRONLY | O_TRUNC);
  if (file.get() < 0) check_written(last_error(), target_);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) check_written(last_error(), target_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Replacement::finish() const {
  const Descriptor file(path_, O_WRONLY);
  if (file.get() < 0 || (::fsync(file.get()) != 0 && errno != EINVAL))
    check_written(last_error(), target_);
  std::error_code error;
  fs::rename(path_, target_, error);
  check_written(error, target_);
}

}  // namespace strata
