#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What words of the command line say. All throw: invalid_argument, naming the option.
namespace strata::cli {

/// `text` as NAME=VALUE, split at the last `=`: for values that hold none.
std::pair<std::string, std::string> name_and_value(const std::string& text,
                                                   std::string_view option);

/// What each of the inputs is given by words NAME=VALUE; nothing for those that no word names. The
/// name is the longest of an input that the word begins with: names and values may hold `=`.
std::vector<std::optional<std::string>> values_of_inputs(const std::vector<std::string>& words,
                                                         const std::vector<std::string>& inputs,
                                                         std::string_view option);

/// The option takes what `wanted` says, not `given`.
[[noreturn]] void fail_unwanted(std::string_view option, std::string_view wanted,
                                std::string_view given);
/// `name` is given a second value.
[[noreturn]] void fail_repeated(std::string_view option, std::string_view name);

/// A number that is not negative; `wanted` is what an error says that the option takes.
std::int64_t whole_number(std::string_view text, std::string_view option,
                          std::string_view wanted = "a whole number");

/// A number from 1 to `most`.
std::int64_t count_up_to(std::int64_t most, std::string_view text, std::string_view option);

/// Numbers that are finite.
double positive_number(std::string_view text, std::string_view option);
double number_from_0(std::string_view text, std::string_view option);

/// `512M` and the like, in bytes.
std::int64_t byte_count(std::string_view text, std::string_view option);

/// `1,576` and the like.
std::vector<std::int64_t> size_list(std::string_view text, std::string_view option);

}  // namespace strata::cli
