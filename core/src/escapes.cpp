#include "escapes.h"

namespace strata {

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

void append_escaped(std::string& out, char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  if (!is_control(c)) {
    out += c;
  } else if (c == '\n') {
    out += "\\n";
  } else if (c == '\t') {
    out += "\\t";
  } else {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) append_escaped(out, c);
}

}  // namespace strata
