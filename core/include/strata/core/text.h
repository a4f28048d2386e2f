#pragma once

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace strata {

void append_text(std::string& out, std::string_view text);
void append_text(std::string& out, char c);
void append_text(std::string& out, long long number);
void append_text(std::string& out, unsigned long long number);
/// The shortest decimal that reads back as the same number, always with a dot or an exponent.
void append_text(std::string& out, float number);
void append_text(std::string& out, double number);

template <std::same_as<bool> B>
void append_text(std::string& out, B value) {
  append_text(out, value ? std::string_view("true") : std::string_view("false"));
}
template <std::signed_integral I>
requires(!std::same_as<I, char>) void append_text(std::string& out, I number) {
  append_text(out, static_cast<long long>(number));
}
template <std::unsigned_integral I>
requires(!std::same_as<I, bool>) void append_text(std::string& out, I number) {
  append_text(out, static_cast<unsigned long long>(number));
}
template <class T>
requires requires(const T& value) {
  { value.to_string() } -> std::convertible_to<std::string>;
}
void append_text(std::string& out, const T& value) {
  append_text(out, std::string_view(value.to_string()));
}

/// A part that is computed only when it is shown: `[&] { return display_name(); }`.
template <class Part>
requires requires(const Part& part) {
  { part() } -> std::convertible_to<std::string>;
}
void append_text(std::string& out, const Part& part) { append_text(out, std::string_view(part())); }

/// `[a,b,c]`
template <class T>
void append_text(std::string& out, std::span<const T> items) {
  out += '[';
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i) out += ',';
    append_text(out, items[i]);
  }
  out += ']';
}
template <class T>
void append_text(std::string& out, const std::vector<T>& items) {
  append_text(out, std::span<const T>(items));
}

namespace detail {
/// Appends the part of a message that lies at `part`.
using AppendPart = void (*)(std::string& out, const void* part);
template <class Part>
void append_part(std::string& out, const void* part) {
  if constexpr (std::is_array_v<Part>)
    append_text(out, std::string_view(static_cast<const char*>(part)));
  else
    append_text(out, *static_cast<const Part*>(part));
}

/// Literals are of one type, whatever their length.
template <class Part>
using PartType = std::conditional_t<std::is_array_v<Part>, char[], Part>;
template <class... Types>
inline constexpr AppendPart kAppendParts[] = {append_part<Types>...};

/// The object that a part's address points to: for a number a copy, so that code that names it in a
/// message can keep it in a register.
template <class Part>
using HeldPart = std::conditional_t<std::is_scalar_v<Part>, Part, const Part&>;
template <class Part>
const void* address_of(const Part& part) {
  return &part;
}

/// One function for all messages, which costs its callers no more than the addresses of the parts.
std::string text_of(const AppendPart* append, std::initializer_list<const void*> parts);
}  // namespace detail

/// The texts of `parts`, one after the other: how every message of the library is put together.
template <class... Parts>
std::string cat(const Parts&... parts) {
  return detail::text_of(
      detail::kAppendParts<detail::PartType<Parts>...>,
      {detail::address_of<Parts>(static_cast<detail::HeldPart<Parts>>(parts))...});
}

/// A text to be shown in double quotes, put together only when it is asked for: a view for use
/// within one expression.
struct Quoted {
  std::string_view text;
  std::size_t limit;
  std::string to_string() const;
  operator std::string() const { return to_string(); }
};
/// `text` in double quotes, with control bytes, quotes and backslashes escaped; cut after `limit`
/// bytes.
inline Quoted in_quotes(std::string_view text, std::size_t limit = 120) { return {text, limit}; }

/// A number of things: `1 node`, `2 nodes`. A view for use within one expression.
struct Counted {
  unsigned long long count;
  std::string_view thing;
  std::string to_string() const;
};
template <std::integral I>
Counted counted(I count, std::string_view thing) {
  return {static_cast<unsigned long long>(count), thing};
}

/// ASCII letters in lower case; other bytes as they are.
constexpr char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string lower_case(std::string_view text);

/// Of `candidates`, the one nearest to `name` by edit distance, or empty where none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace strata
