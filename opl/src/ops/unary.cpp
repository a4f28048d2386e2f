#include "strata/core/ops/unary.h"

#include <algorithm>
#include <array>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/binary.h"

namespace strata::opl {
namespace {

struct Name {
  std::string_view fragment;
  UnaryOp op;
};

/// Functions that mean the same on both sides. tract wants `recip` where NNEF has `rcp`.
constexpr auto kNames = [] {
  using enum UnaryOp;
  return std::to_array<Name>({
      {"abs", abs},
      {"acos", acos},
      {"acosh", acosh},
      {"asin", asin},
      {"asinh", asinh},
      {"atan", atan},
      {"atanh", atanh},
      {"ceil", ceil},
      {"cos", cos},
      {"cosh", cosh},
      {"exp", exp},
      {"floor", floor},
      {"log", log},
      {"neg", neg},
      {"not", truth_not},
      {"recip", reciprocal},
      {"relu", relu},
      {"rsqrt", rsqrt},
      {"sigmoid", sigmoid},
      {"sign", sign},
      {"sin", sin},
      {"sinh", sinh},
      {"softplus", softplus},
      {"sqrt", sqrt},
      {"square", square},
      {"tan", tan},
      {"tanh", tanh},
      {"tract_core_bitnot", bitwise_not},
      {"tract_core_erf", erf},
      {"tract_core_hard_swish", hard_swish},
      {"tract_core_is_inf", is_inf},
      {"tract_core_is_nan", is_nan},
      {"tract_core_round_even", round},
      {"tract_core_silu", silu},
  });
}();

constexpr std::array kOtherNames = {Name{"gelu", UnaryOp::gelu}, Name{"rcp", UnaryOp::reciprocal},
                                    Name{"silu", UnaryOp::silu}, Name{"sqr", UnaryOp::square},
                                    Name{"tract_transformers_silu", UnaryOp::silu}};

Standard write_unary(const NodeView& node, GraphWriter& writer) {
  const UnaryOp op = node.op().as<strata::Unary>()->op;
  if (op == UnaryOp::gelu_tanh)
    return call("tract_core_gelu_approx",
                {positional(writer.input(node, 0)), named("fast_impl", logical(false))});
  const auto row =
      std::find_if(kNames.begin(), kNames.end(), [&](const Name& name) { return name.op == op; });
  if (row == kNames.end()) return std::nullopt;
  return call(std::string(row->fragment), {positional(writer.input(node, 0))});
}

/// One function reads all names; the name called gives the operation.
OutletIds read_unary(Invocation& call) {
  const auto named = [&](const Name& name) { return name.fragment == call.fragment(); };
  const auto row = std::find_if(kNames.begin(), kNames.end(), named);
  const UnaryOp op = row != kNames.end()
                         ? row->op
                         : std::find_if(kOtherNames.begin(), kOtherNames.end(), named)->op;
  const OutletId x = call.wire("x");
  const bool rounds = op == UnaryOp::floor || op == UnaryOp::ceil || op == UnaryOp::round;
  if (rounds && is_integer(call.fact(x).dtype)) return {x};
  return call.make(op, x);
}

OutletIds read_is_inf(Invocation& call) {
  if (!call.logical("detect_positive", true) || !call.logical("detect_negative", true))
    call.unsupported("infinity of one sign alone");
  return call.make(UnaryOp::is_inf, call.wire("input"));
}

OutletIds read_gelu_approx(Invocation& call) {
  if (call.logical("fast_impl", false)) call.unsupported("the fast approximation of gelu");
  return call.make(UnaryOp::gelu_tanh, call.wire("x"));
}

}  // namespace

void register_unary(Writers& writers) { writers.add("Unary", write_unary); }

void register_unary(Readers& readers) {
  constexpr std::string_view kParameters = "x, axes";  // some exporters add axes, without effect
  for (const Name& name : kNames)
    if (name.op != UnaryOp::is_inf) readers.add(name.fragment, kParameters, read_unary);
  for (const Name& name : kOtherNames) readers.add(name.fragment, kParameters, read_unary);
  readers.add("tract_core_is_inf", "input, detect_positive, detect_negative", read_is_inf);
  readers.add("tract_core_gelu_approx", "x, fast_impl", read_gelu_approx);
  readers.add("tract_transformers_gelu_approx", "x, fast_impl", read_gelu_approx);
}

}  // namespace strata::opl
