#include "strata/core/ops/matmul.h"

#include <algorithm>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/einsum.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::opl {
namespace {

/// The axes that a vector lacks to be a matrix are put in before, and taken out after.
Expression matrix_operand(const NodeView& node, GraphWriter& writer, std::size_t i,
                          std::size_t rank) {
  if (*input_rank(node, i) > 1) return with_rank(node, writer, i, rank);
  Shape axes = sequence_of(0, rank - 1);
  if (i == 1) axes.back() = static_cast<std::int64_t>(rank) - 1;
  return writer.step(
      node, cat("operand", i),
      call("unsqueeze", {positional(writer.input(node, i)), named("axes", numbers(axes))}));
}

Standard write_matmul(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<MatMul>();
  const auto greatest = greatest_rank(node);
  if (!greatest || op.may_round_a) return std::nullopt;
  const std::size_t rank = std::max<std::size_t>(*greatest, 2);
  const bool a_is_vector = *input_rank(node, 0) == 1, b_is_vector = *input_rank(node, 1) == 1;
  Expression a = matrix_operand(node, writer, 0, rank), b = matrix_operand(node, writer, 1, rank);
  Expression product =
      call("matmul", {positional(std::move(a)), positional(std::move(b)),
                      named("transposeA", logical(op.transpose_a && !a_is_vector)),
                      named("transposeB", logical(op.transpose_b && !b_is_vector))});
  Shape squeezed;
  if (a_is_vector) squeezed.push_back(static_cast<std::int64_t>(rank) - 2);
  if (b_is_vector) squeezed.push_back(static_cast<std::int64_t>(rank) - 1);
  if (squeezed.empty()) return product;
  Expression matrix = writer.step(node, "matrix", std::move(product));
  return call("squeeze", {positional(std::move(matrix)), named("axes", numbers(squeezed))});
}

OutletIds read_matmul(Invocation& call) {
  const MatMul op{call.logical("transposeA", false), call.logical("transposeB", false)};
  return call.make(op, without_leading_axes(call, {call.wire("A"), call.wire("B")}, 2));
}

/// input · filterᵀ + bias; weights of another float type take that of the input.
OutletIds read_linear(Invocation& call) {
  const OutletId input = call.wire("input");
  OutletId filter = call.wire("filter");
  const DatumType type = call.fact(input).dtype;
  if (is_float(type) && is_float(call.fact(filter).dtype))
    filter = as_type(call, "weights", filter, type);
  const MatMul op{false, true};
  if (!call.given("bias")) return call.make(op, {input, filter});
  const OutletId product = call.step("product", op, {input, filter});
  const OutletId bias = call.wire("bias", call.fact(product).dtype);
  return call.make(BinaryOp::add, product, bias);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Whether tract reads the equation as we do: an explicit output, no ellipsis, no label twice in a
/// term.
bool is_plain_equation(std::string_view equation) {
  if (equation.find("->") == std::string_view::npos) return false;
  std::string term;
  for (const char c : equation) {
    if (c == ',' || c == '-' || c == '>')
      term.clear();
    else if (!is_letter(c) || term.find(c) != std::string::npos)
      return false;
    else
      term += c;
  }
  return true;
}

Standard write_einsum(const NodeView& node, GraphWriter& writer) {
  std::string equation = node.op().as<Einsum>()->equation;
  std::erase(equation, ' ');
  if (!is_plain_equation(equation) || node.output_fact().dtype != DatumType::f32)
    return std::nullopt;
  std::vector<Expression> inputs;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) inputs.push_back(writer.input(node, i));
  return call("tract_core_einsum",
              {positional(array(std::move(inputs))), named("expr", string(std::move(equation))),
               named("acc", string("f32")), named("output", string(""))});
}

/// Takes the labels that no input has out of the output term, and gives their places: tract adds an
/// axis of size 1 for each.
Shape take_new_axes(std::string& equation) {
  const std::size_t arrow = equation.find("->");
  Shape axes;
  if (arrow == std::string::npos || equation.find_first_of(" .") != std::string::npos) return axes;
  const std::string output = equation.substr(arrow + 2);
  equation.erase(arrow + 2);
  for (std::size_t axis = 0; axis < output.size(); ++axis)
    if (is_letter(output[axis]) && equation.find(output[axis]) >= arrow)
      axes.push_back(static_cast<std::int64_t>(axis));
    else
      equation += output[axis];
  return axes;
}

OutletIds read_einsum(Invocation& call) {
  OutletIds inputs = call.wires("inputs");
  const DatumType type = call.datum_type("acc");
  for (OutletId& input : inputs) input = as_type(call, "operand", input, type);
  std::string equation = call.string("expr");
  const Shape added = take_new_axes(equation);
  if (added.empty()) return call.make(Einsum{equation}, inputs);
  const OutletId sums = call.step("sums", Einsum{equation}, inputs);
  return call.make(Unsqueeze{}, {sums, call.integers_constant("axes", added)});
}

/// tract's older product: `axes` places m, k, n in the operands and the result.
OutletIds read_core_matmul(Invocation& call) {
  const OutletId a = call.wire("A"), b = call.wire("B");
  const Shape axes = call.integers("axes");
  const std::size_t rank = call.rank(a);
  const bool fits = axes.size() == 6 && call.rank(b) == rank && rank <= 20 &&
                    std::all_of(axes.begin(), axes.end(), [&](std::int64_t axis) {
                      return axis >= 0 && axis < static_cast<std::int64_t>(rank);
                    });
  if (!fits) call.unsupported("a product with these axes");
  const auto term = [&](std::int64_t first, char first_label, std::int64_t second,
                        char second_label) {
    std::string labels;
    for (std::size_t i = 0, batch = 0; i < rank; ++i) {
      const auto axis = static_cast<std::int64_t>(i);
      labels += axis == first    ? first_label
                : axis == second ? second_label
                                 : static_cast<char>('a' + batch++);
    }
    return labels;
  };
  return call.make(
      Einsum{cat(term(axes[0], 'M', axes[1], 'K'), ',', term(axes[2], 'K', axes[3], 'N'), "->",
                 term(axes[4], 'M', axes[5], 'N'))},
      {a, b});
}

}  // namespace

void register_matmul(Writers& writers) {
  writers.add("MatMul", write_matmul);
  writers.add("Einsum", write_einsum);
}

void register_matmul(Readers& readers) {
  readers.add("matmul", "A, B, transposeA, transposeB", read_matmul);
  readers.add("linear", "input, filter, bias", read_linear);
  readers.add("tract_core_matmul", "A, B, axes", read_core_matmul);
  readers.add("tract_core_einsum", "inputs, expr, acc, output", read_einsum);
}

}  // namespace strata::opl
