#include "strata/core/error.h"

#include <utility>

#include "escapes.h"

namespace strata {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::file:
      return "file";
    case ErrorKind::invalid_model:
      return "invalid_model";
    case ErrorKind::unsupported:
      return "unsupported";
    case ErrorKind::invalid_argument:
      return "invalid_argument";
    case ErrorKind::run_time:
      return "run_time";
    case ErrorKind::limit:
      return "limit";
    case ErrorKind::cancelled:
      return "cancelled";
    case ErrorKind::internal:
      return "internal";
  }
  return "unknown";
}

Error::Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {
  render();
}

Error& Error::in(std::string frame) {
  frames_.push_back(std::move(frame));
  render();
  return *this;
}

Error& Error::as(ErrorKind kind) {
  kind_ = kind;
  return *this;
}

void Error::render() {
  std::string text;
  append_escaped(text, message_);
  for (const std::string& frame : frames_) {
    text += frame.starts_with("while ") ? "\n  " : "\n  in ";
    append_escaped(text, frame);
  }
  rendered_ = std::move(text);
}

void detail::fail(ErrorKind kind, const AppendPart* append,
                  std::initializer_list<const void*> parts) {
  throw Error(kind, text_of(append, parts));
}

}  // namespace strata
