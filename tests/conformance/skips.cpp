#include "skips.h"

#include <algorithm>

#include "strata/core/error.h"
#include "strata/core/ops/image_decoder.h"
#include "strata/core/ops/regex_full_match.h"

namespace strata::conformance {
namespace {

/// An op that needs a library which a build may lack, and its least use.
struct OptionalOp {
  std::string_view op_type;
  void (*use)();
};

constexpr OptionalOp kOptional[] = {
    {"ImageDecoder", [] { ImageDecoder{}.eval(TensorList{Tensor::of<std::uint8_t>({0}, {})}); }},
    {"RegexFullMatch", [] { RegexFullMatch{"a"}.eval(TensorList{Tensor::scalar(std::string())}); }},
};

std::string lack_shown_by(const OptionalOp& op) {
  try {
    op.use();
    return {};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return error.message();
  }
}

}  // namespace

std::string lack_of(std::string_view op_type) {
  for (const OptionalOp& op : kOptional)
    if (op.op_type == op_type) return lack_shown_by(op);
  return {};
}

std::string reason_to_skip(const Case& test) {
  static const bool is_whole = std::ranges::all_of(
      kOptional, [](const OptionalOp& op) { return lack_shown_by(op).empty(); });
  if (is_whole) return {};
  for (const std::string& op_type : op_types(test.model))
    if (std::string lack = lack_of(op_type); !lack.empty()) return lack;
  return {};
}

}  // namespace strata::conformance
