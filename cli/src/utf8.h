#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace strata::cli {

/// Appends the character `code`; says no, and appends nothing, when there is no such character.
bool append_utf8(std::string& out, char32_t code);

/// The characters of `text`, or nothing when it is not UTF-8.
std::optional<std::u32string> utf32(std::string_view text);

}  // namespace strata::cli
