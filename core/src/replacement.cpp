#include "strata/core/replacement.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>

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

/// The file that a path names, through links, also where the last one leads to none as yet.
fs::path file_at(const fs::path& path) {
  constexpr int kMostLinks = 40;  // as the system follows
  std::error_code error, none;
  fs::path out = fs::absolute(path, error);
  for (int links = 0; !error && links < kMostLinks && fs::is_symlink(out, none); ++links)
    out = out.parent_path() / fs::read_symlink(out, error);
  if (!error) out = fs::weakly_canonical(out, error);
  check_written(error, path);
  return out;
}

/// What is neither a file nor a folder would be replaced by a file.
void check_kind(const fs::path& target) {
  std::error_code none;
  const fs::file_type kind = fs::status(target, none).type();
  require(kind != fs::file_type::fifo && kind != fs::file_type::socket &&
              kind != fs::file_type::character && kind != fs::file_type::block,
          ErrorKind::file, "cannot write ", in_quotes(target.string()), ": it is no regular file");
}

/// Gives a new file the mode and the owner of the one it is to replace, where there is one.
void take_rights(int file, const fs::path& target) {
  struct stat before {};
  if (::stat(target.c_str(), &before) != 0 || !S_ISREG(before.st_mode)) return;
  [[maybe_unused]] const int owned = ::fchown(file, before.st_uid, before.st_gid);
  [[maybe_unused]] const int moded = ::fchmod(file, before.st_mode & 0777);
}

/// The paths of what is not finished, which a handler of signals reads.
std::atomic<const char*> unfinished[64];

/// Puts `after` in the place of `before`.
void exchange_unfinished(const char* before, const char* after) {
  for (std::atomic<const char*>& place : unfinished)
    if (const char* held = before; place.compare_exchange_strong(held, after)) return;
}

void remove_tree(int folder, const char* name) noexcept;

/// Removes what a folder holds now. Returns whether there was anything.
bool empty_once(int folder) noexcept {
  struct Entry {
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t length;
    std::uint8_t kind;
    char name[1];
  };
  alignas(Entry) char buffer[4096];
  bool found = false;
  ::lseek(folder, 0, SEEK_SET);
  for (;;) {
    const long read = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer);
    if (read <= 0) return found;
    for (const char* at = buffer; at < buffer + read;) {
      const auto* entry = reinterpret_cast<const Entry*>(at);
      const std::string_view name = entry->name;
      if (name != "." && name != "..") remove_tree(folder, entry->name), found = true;
      at += entry->length;
    }
  }
}

/// By calls of the system alone.
void remove_tree(int folder, const char* name) noexcept {
  if (::unlinkat(folder, name, 0) == 0) return;
  const int inner = ::openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0) return;
  for (int tries = 0; tries < 4 && empty_once(inner);) ++tries;  // what goes may hide others
  ::close(inner);
  ::unlinkat(folder, name, AT_REMOVEDIR);
}

}  // namespace

Unfinished::Unfinished(std::string path) : path_(std::move(path)) {
  exchange_unfinished(nullptr, path_.c_str());
}
Unfinished::~Unfinished() { exchange_unfinished(path_.c_str(), nullptr); }

void remove_unfinished_files() noexcept {
  for (const std::atomic<const char*>& place : unfinished)
    if (const char* path = place.load()) remove_tree(AT_FDCWD, path);
}

fs::path hidden_beside(const fs::path& path, std::string_view role) {
  constexpr std::size_t kMost = 200;  // bytes of a name, so that what is added has room
  const std::string name = path.filename().string();
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) != 0)
    number =
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  return path.parent_path() / cat(".", name.substr(0, kMost), ".", number, ".", role);
}

Replacement::Replacement(const fs::path& target) : target_(file_at(target)) {
  check_kind(target_);
  constexpr int kTries = 8;
  for (int tries = 1;; ++tries) {
    file_.emplace(hidden_beside(target_, "new").string());
    const Descriptor file(path(), O_WRONLY | O_CREAT | O_EXCL);
    if (file.get() >= 0) {
      take_rights(file.get(), target_);
      return;
    }
    const std::error_code error = last_error();
    if (error == std::errc::file_exists && tries < kTries) continue;
    file_.reset();
    check_written(error, target);
  }
}

Replacement::~Replacement() {
  std::error_code ignored;
  fs::remove(path(), ignored);
}

void Replacement::write(std::string_view bytes) const {
  const Descriptor file(path(), O_WRONLY | O_TRUNC);
  if (file.get() < 0) check_written(last_error(), target_);
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) check_written(last_error(), target_);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Replacement::finish() const {
  const Descriptor file(path(), O_WRONLY);
  if (file.get() < 0 || (::fsync(file.get()) != 0 && errno != EINVAL))
    check_written(last_error(), target_);
  std::error_code error;
  fs::rename(path(), target_, error);
  check_written(error, target_);
}

}  // namespace strata
