#include "strata/core/ops/reduce.h"

#include <algorithm>
#include <array>

#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/arg_reduce.h"
#include "strata/core/ops/cumulate.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/squeeze.h"

namespace strata::opl {
namespace {

struct Name {
  std::string_view fragment;
  Reduction op;
};
constexpr std::array kNames = {
    Name{"max_reduce", Reduction::max}, Name{"mean_reduce", Reduction::mean},
    Name{"min_reduce", Reduction::min}, Name{"sum_reduce", Reduction::sum},
    Name{"tract_core_product_reduce", Reduction::prod}};

/// A reduction in NNEF keeps its axes, so dropping them is an assignment of its own.
Expression reduction(const NodeView& node, GraphWriter& writer, std::string_view fragment,
                     const Shape& axes, bool keeps) {
  Expression reduced = call(std::string(fragment),
                            {positional(writer.input(node, 0)), named("axes", numbers(axes))});
  if (keeps) return reduced;
  Expression kept = writer.step(node, "reduced", std::move(reduced));
  return call("squeeze", {positional(std::move(kept)), named("axes", numbers(axes))});
}

Standard write_reduce(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Reduce>();
  const auto row = std::find_if(kNames.begin(), kNames.end(),
                                [&](const Name& name) { return name.op == op.op; });
  const auto rank = input_rank(node, 0);
  if (row == kNames.end() || !rank || node.input_fact(0).dtype == DatumType::boolean)
    return std::nullopt;
  std::optional<Shape> axes = Shape{};
  if (node.inputs().size() > 1) axes = constant_integers(node, 1);
  if (!axes) return std::nullopt;
  if (axes->empty() && op.no_axes == NoAxes::means_all) axes = sequence_of(0, *rank);
  if (axes->empty()) return std::nullopt;
  return reduction(node, writer, row->fragment, *normalized_axes(*axes, rank), op.keep_dims);
}

OutletIds read_reduce(Invocation& call) {
  const auto row = std::find_if(kNames.begin(), kNames.end(),
                                [&](const Name& name) { return name.fragment == call.fragment(); });
  const bool is_mean = row->op == Reduction::sum && call.logical("normalize", false);
  return call.make(Reduce{.op = is_mean ? Reduction::mean : row->op, .no_axes = NoAxes::means_none},
                   {call.wire("input"), call.integers_constant("axes", call.integers("axes"))});
}

Standard write_arg_reduce(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<ArgReduce>();
  const auto axis = normalized_axis(op.axis, input_rank(node, 0));
  if (!axis) return std::nullopt;
  std::string fragment = op.op == Extreme::max ? "argmax_reduce" : "argmin_reduce";
  if (op.tie == Tie::last) fragment = "tract_core_" + fragment + "_last";
  return reduction(node, writer, fragment, Shape{*axis}, op.keep_dims);
}

OutletIds read_arg_reduce(Invocation& call) {
  const Shape axes = call.integers("axes");
  if (axes.empty()) call.fail("no axes are given");
  ArgReduce op{call.fragment().find("argmax") != std::string::npos ? Extreme::max : Extreme::min,
               axes[0]};
  op.tie = call.fragment().ends_with("_last") ? Tie::last : Tie::first;
  const OutletId input = call.wire("input");
  if (axes.size() == 1) return call.make(op, {input});
  // The last axes as one; the others have size 1 afterwards.
  const auto others = static_cast<std::size_t>(axes[0]);
  if (axes[0] < 0 || others + axes.size() != call.rank(input) ||
      axes != sequence_of(axes[0], axes.size()))
    call.unsupported(cat(call.fragment(), " over axes that are not the last ones"));
  Shape joined(others + 1, 0);
  joined.back() = -1;
  const OutletId flat =
      call.step("joined", Reshape{}, {input, call.integers_constant("sizes", joined)});
  const OutletId found = call.step("found", op, {flat});
  return {unsqueeze(call, "index", found, sequence_of(axes[1], axes.size() - 1))};
}

Standard write_cumulate(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Cumulate>();
  const auto given = constant_integer(node, 1);
  if (op.op != Cumulation::sum || !given) return std::nullopt;
  const auto axis = normalized_axis(*given, input_rank(node, 0));
  if (!axis) return std::nullopt;
  return call("tract_core_cumsum",
              {positional(writer.input(node, 0)), named("axis", number(*axis)),
               named("exclusive", logical(op.exclusive)), named("reverse", logical(op.reverse))});
}

OutletIds read_cumsum(Invocation& call) {
  const Cumulate op{Cumulation::sum, call.logical("exclusive", false),
                    call.logical("reverse", false)};
  return call.make(
      op, {call.wire("input"), call.constant("axis", Tensor::scalar(call.integer("axis")))});
}

}  // namespace

void register_reduce(Writers& writers) {
  writers.add("Reduce", write_reduce);
  writers.add("ArgReduce", write_arg_reduce);
  writers.add("Cumulate", write_cumulate);
}

void register_reduce(Readers& readers) {
  for (const Name& name : kNames)
    readers.add(name.fragment, name.op == Reduction::sum ? "input, axes, normalize" : "input, axes",
                read_reduce);
  for (const std::string_view name :
       {"argmax_reduce", "argmin_reduce", "tract_core_argmax_reduce_last",
        "tract_core_argmin_reduce_last"})
    readers.add(name, "input, axes", read_arg_reduce);
  readers.add("tract_core_cumsum", "input, axis, exclusive, reverse", read_cumsum);
}

}  // namespace strata::opl
