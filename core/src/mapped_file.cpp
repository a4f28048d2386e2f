#include "strata/core/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "descriptor.h"
#include "strata/core/error.h"

namespace strata {
namespace {

/// Smaller parts are not worth a system call.
constexpr std::size_t kLeastReleased = 1 << 16;
/// Smaller files are read: that is as fast, and mappings are limited in number and take whole
/// pages.
constexpr std::size_t kLeastMapped = 1 << 16;

[[noreturn]] void fail_on(const std::filesystem::path& path) {
  const std::string reason = std::generic_category().message(errno);
  fail(ErrorKind::file, "cannot read ", in_quotes(path.string()), ": ", reason);
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) {
  // Not blocking, so that a pipe is refused below instead of waited for.
  const Descriptor file(path, O_RDONLY | O_NONBLOCK);
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail_on(path);
  require(!S_ISDIR(status.st_mode), ErrorKind::file, in_quotes(path.string()), " is a folder");
  require(S_ISREG(status.st_mode), ErrorKind::file, in_quotes(path.string()),
          " is not a regular file");
  if (status.st_size == 0) return;
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size < kLeastMapped) {
    read_ = std::make_unique<std::byte[]>(size);
    data_ = read_.get();
    while (size_ < size) {
      const ssize_t more = ::read(file.get(), read_.get() + size_, size - size_);
      if (more < 0) fail_on(path);
      if (more == 0) break;
      size_ += static_cast<std::size_t>(more);
    }
    return;
  }
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data == MAP_FAILED) fail_on(path);
  data_ = static_cast<const std::byte*>(data);
  size_ = size;
}

void MappedFile::release(std::span<const std::byte> part) const {
  if (part.size() < kLeastReleased) return;
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto first = static_cast<std::size_t>(part.data() - data_), last = first + part.size();
  const std::size_t begin = (first + page - 1) / page * page, end = last / page * page;
  if (begin < end) ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  if (data_ && !read_) ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace strata
