#pragma once

#include <string>
#include <string_view>

/// Texts as they are shown to people, which no terminal shall take for orders.
namespace strata {

bool is_control(char c);
/// Appends `\n`, `\t` or the like of `\x1b` for a control byte, and any other as it is.
void append_escaped(std::string& out, char c);
void append_escaped(std::string& out, std::string_view text);

}  // namespace strata
