#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What words of the command line say. All throw: invalid_argument, naming the option.
namespace strata::cli {

/// `text` as NAME=VALUE, split at the last `=`.
std::pair<std::string, std::string> name_and_value(const std::string& text,
                                                   std::string_view option);

/// A number that is not negative.
std::int64_t whole_number(std::string_view text, std::string_view option);

/// `512M` and the like, in bytes.
std::int64_t byte_count(std::string_view text, std::string_view option);

/// `1,576` and the like.
std::vector<std::int64_t> size_list(std::string_view text, std::string_view option);

}  // namespace strata::cli
