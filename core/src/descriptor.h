#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

namespace strata {

/// An open file, or none where it cannot be opened; then errno says why.
class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

}  // namespace strata
