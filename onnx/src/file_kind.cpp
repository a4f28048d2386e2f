#include "file_kind.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "strata/onnx/load.h"

namespace strata::onnx {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::size_t offset;
  std::string_view bytes;
  std::string_view content;
};

constexpr std::array kMagics = {
    Magic{0, "version https://git-lfs"sv,
          "a Git LFS pointer (`git lfs pull` fetches the file itself)"sv},
    Magic{0, "PK\x03\x04"sv, "a zip archive"sv},
    Magic{0, "\x1f\x8b"sv, "gzip-compressed data"sv},
    Magic{0, "\x28\xb5\x2f\xfd"sv, "zstd-compressed data"sv},
    Magic{0,
          "\xfd"
          "7zXZ\0"sv,
          "xz-compressed data"sv},
    Magic{0, "BZh"sv, "bzip2-compressed data"sv},
    Magic{0, "7z\xbc\xaf"sv, "a 7z archive"sv},
    Magic{257, "ustar"sv, "a tar archive"sv},
    Magic{0, "\x89HDF"sv, "an HDF5 file"sv},
    Magic{0, "\x93NUMPY"sv, "a numpy array"sv},
    Magic{4, "TFL3"sv, "a TensorFlow Lite model"sv},
    Magic{4, "ORTM"sv, "a model in ONNX Runtime's own format"sv},
    Magic{0, "GGUF"sv, "a GGUF model"sv},
    Magic{0, "\x80\x02"sv, "a Python pickle"sv},
    Magic{0,
          "\x7f"
          "ELF"sv,
          "a program"sv},
};

std::string_view view_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool is_text_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte >= 0x20 && byte != 0x7f) || c == '\n' || c == '\r' || c == '\t' || c == '\f';
}

bool is_text(std::string_view start) {
  return std::all_of(start.begin(), start.end(), is_text_byte);
}

/// The length of a JSON header in 8 bytes, then the header.
bool is_safetensors(std::string_view start) {
  return start.size() > 9 && start.substr(5, 3) == "\0\0\0"sv && start.substr(8, 2) == "{\""sv;
}

/// Whether a field of ModelProto begins with this byte.
bool begins_a_model(unsigned char tag) {
  constexpr std::array<unsigned char, 12> kTags = {0x08, 0x12, 0x1a, 0x22, 0x28, 0x32,
                                                   0x3a, 0x42, 0x72, 0xa2, 0xca, 0xd2};
  return std::find(kTags.begin(), kTags.end(), tag) != kTags.end();
}

}  // namespace

std::string foreign_content(std::span<const std::byte> bytes) {
  const std::string_view start = view_of(bytes).substr(0, 512);
  if (start.empty()) return "nothing";
  for (const Magic& magic : kMagics)
    if (start.size() >= magic.offset && start.substr(magic.offset).starts_with(magic.bytes))
      return std::string(magic.content);
  if (is_safetensors(start)) return "a safetensors file";
  if (std::all_of(start.begin(), start.end(), [](char c) { return c == '\0'; })) return "zeros";
  if (is_text(start)) return "text";
  if (!begins_a_model(static_cast<unsigned char>(start[0]))) return "other data";
  return {};
}

}  // namespace strata::onnx
