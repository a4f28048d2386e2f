#pragma once

#include <exception>
#include <string>
#include <vector>

#include "strata/core/text.h"

namespace strata {

/// Whose fault a failure is, which decides what a caller can do about it.
enum class ErrorKind {
  file,              ///< a file cannot be read, written or parsed
  invalid_model,     ///< the model breaks a rule of its format
  unsupported,       ///< legal, but not something Strata does
  invalid_argument,  ///< the caller passed something wrong
  run_time,          ///< the data met during a run breaks a rule of an op
  limit,             ///< a value of Limits was reached
  cancelled,         ///< the caller's token or deadline stopped the work
  internal,  ///< a defect of Strata, or of the program, such as elements read as another type
};

std::string_view to_string(ErrorKind kind);

/// The exception type of the library: what went wrong, then where, innermost frame first. The only
/// other exception is std::bad_alloc, when not even a small allocation succeeds.
///
/// Frames are added at layer borders only, as `in Concat "encoder/concat_3" (ONNX Concat, opset
/// 13)`.
class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const std::vector<std::string>& frames() const { return frames_; }

  /// Adds the next outer frame.
  Error& in(std::string frame);
  /// Changes the kind: the failure is somebody else's fault.
  Error& as(ErrorKind kind);

  /// The message and each frame on a line of its own; control bytes are escaped.
  const char* what() const noexcept override { return rendered_.c_str(); }

 private:
  void render();

  ErrorKind kind_;
  std::string message_;
  std::vector<std::string> frames_;
  std::string rendered_;
};

namespace detail {
[[noreturn]] void fail(ErrorKind kind, const AppendPart* append,
                       std::initializer_list<const void*> parts);
}

/// Throws an Error of `kind`, whose message is put together from `parts`.
template <class... Parts>
[[noreturn]] void fail(ErrorKind kind, const Parts&... parts) {
  detail::fail(kind, detail::kAppendParts<detail::PartType<Parts>...>,
               {detail::address_of<Parts>(static_cast<detail::HeldPart<Parts>>(parts))...});
}

/// Throws an Error of `kind` unless `holds`; the message is put together from `parts` only then.
template <class... Parts>
void require(bool holds, ErrorKind kind, const Parts&... parts) {
  if (!holds) [[unlikely]]
    fail(kind, parts...);
}

/// Throws an `invalid_model` Error unless `holds`: how an op checks one of its constraints.
template <class... Parts>
void check(bool holds, const Parts&... parts) {
  if (!holds) [[unlikely]]
    fail(ErrorKind::invalid_model, parts...);
}

/// Throws a `run_time` Error unless `holds`: how an op's eval checks what only data can show.
template <class... Parts>
void check_data(bool holds, const Parts&... parts) {
  if (!holds) [[unlikely]]
    fail(ErrorKind::run_time, parts...);
}

}  // namespace strata
