#include "strata/core/ops/binary.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/unary.h"

namespace strata::opl {
namespace {

struct Name {
  std::string_view fragment;
  BinaryOp op;
};

constexpr auto kNames = [] {
  using enum BinaryOp;
  return std::to_array<Name>({
      {"add", add},
      {"and", truth_and},
      {"div", div},
      {"eq", equal},
      {"ge", greater_or_equal},
      {"gt", greater},
      {"le", less_or_equal},
      {"lt", less},
      {"max", max},
      {"min", min},
      {"mul", mul},
      {"or", truth_or},
      {"pow", pow},
      {"sub", sub},
      {"tract_core_bitand", bit_and},
      {"tract_core_bitor", bit_or},
      {"tract_core_bitxor", bit_xor},
      {"tract_core_xor", truth_xor},
      {"tract_shl", shift_left},
      {"tract_shr", shift_right},
  });
}();

/// A scalar constant that can be written as a number alone: the other operand gives it its type.
Standard scalar_literal(const NodeView& node, std::size_t i) {
  if (constant_input(node, 1 - i) != nullptr) return std::nullopt;
  const Tensor* tensor = constant_input(node, i);
  if (tensor == nullptr || tensor->rank() != 0) return std::nullopt;
  if (tensor->dtype() == DatumType::i64) return number(tensor->item<std::int64_t>());
  if (tensor->dtype() == DatumType::f32 && std::isfinite(tensor->item<float>()))
    return number(tensor->item<float>());
  return std::nullopt;
}

Standard write_binary(const NodeView& node, GraphWriter& writer) {
  const BinaryOp op = node.op().as<strata::Binary>()->op;
  const auto row =
      std::find_if(kNames.begin(), kNames.end(), [&](const Name& name) { return name.op == op; });
  const auto rank = greatest_rank(node);
  if (row == kNames.end() || !rank) return std::nullopt;
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < 2; ++i) {
    auto literal = scalar_literal(node, i);
    arguments.push_back(
        positional(literal ? *std::move(literal) : with_rank(node, writer, i, *rank)));
  }
  return call(std::string(row->fragment), std::move(arguments));
}

OutletIds operands(Invocation& call, std::string_view first, std::string_view second) {
  const Item &a = call.item(first), &b = call.item(second);
  OutletIds out;
  if (a.is_wire()) {
    out = {call.operand(a), call.operand(b, call.fact(call.operand(a)).dtype)};
  } else if (b.is_wire()) {
    const OutletId right = call.operand(b);
    out = {call.operand(a, call.fact(right).dtype), right};
  } else {
    out = {call.operand(a), call.operand(b)};
  }
  out = with_trailing_axes(call, of_one_type(call, std::move(out)));
  return without_leading_axes(call, std::move(out));
}

/// The bitwise functions are those of truth for bools.
BinaryOp for_type(BinaryOp op, DatumType type) {
  if (type != DatumType::boolean) return op;
  if (op == BinaryOp::bit_and) return BinaryOp::truth_and;
  if (op == BinaryOp::bit_or) return BinaryOp::truth_or;
  return op == BinaryOp::bit_xor ? BinaryOp::truth_xor : op;
}

OutletIds read_binary(Invocation& call) {
  const auto row = std::find_if(kNames.begin(), kNames.end(),
                                [&](const Name& name) { return name.fragment == call.fragment(); });
  const OutletIds in = operands(call, "x", "y");
  return call.make(for_type(row->op, call.fact(in[0]).dtype), in[0], in[1]);
}

OutletIds read_mod(Invocation& call) {
  const OutletIds in = operands(call, "x", "y");
  return call.make(BinaryOp::mod, in[0], in[1]);
}

}  // namespace

void register_binary(Writers& writers) { writers.add("Binary", write_binary); }

void register_binary(Readers& readers) {
  for (const Name& name : kNames) readers.add(name.fragment, "x, y", read_binary);
  readers.add("mod", "x, y", read_mod);
}

}  // namespace strata::opl
