#include "utf8.h"

#include <cstddef>

namespace strata::cli {
namespace {

bool is_character(char32_t code) { return code < 0xD800 || (code > 0xDFFF && code <= 0x10FFFF); }

/// Bytes that follow `lead` in its sequence, or nothing when it begins none.
std::optional<std::size_t> followers(unsigned char lead) {
  if (lead < 0x80) return 0;
  if (lead >= 0xC2 && lead < 0xE0) return 1;
  if (lead >= 0xE0 && lead < 0xF0) return 2;
  if (lead >= 0xF0 && lead < 0xF5) return 3;
  return std::nullopt;
}

}  // namespace

bool append_utf8(std::string& out, char32_t code) {
  if (!is_character(code)) return false;
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
  return true;
}

std::optional<std::u32string> utf32(std::string_view text) {
  constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};  // shorter forms must be used below
  constexpr unsigned kLeadMask[] = {0x7F, 0x1F, 0x0F, 0x07};
  std::u32string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const auto count = followers(lead);
    if (!count || *count >= text.size() - i) return std::nullopt;
    char32_t code = lead & kLeadMask[*count];
    for (std::size_t k = 0; k < *count; ++k) {
      const auto byte = static_cast<unsigned char>(text[++i]);
      if ((byte & 0xC0) != 0x80) return std::nullopt;
      code = code << 6 | (byte & 0x3F);
    }
    if (code < kLeast[*count] || !is_character(code)) return std::nullopt;
    out += code;
  }
  return out;
}

}  // namespace strata::cli
