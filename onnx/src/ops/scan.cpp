#include "strata/hir/ops/scan.h"

#include "ops/all.h"

namespace strata::onnx {
namespace {

/// The axes and directions of `count` scanned inputs or outputs; an attribute that is left out
/// means axis 0, forward.
std::vector<hir::ScanAxis> scan_axes(std::size_t count, const std::optional<Shape>& axes,
                                     const std::optional<Shape>& directions) {
  check(!axes || axes->size() == count, axes ? axes->size() : 0, " scan axes given, ", count,
        " wanted");
  check(!directions || directions->size() == count, directions ? directions->size() : 0,
        " scan directions given, ", count, " wanted");
  std::vector<hir::ScanAxis> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (axes) out[i].axis = (*axes)[i];
    if (!directions) continue;
    const std::int64_t direction = (*directions)[i];
    check(direction == 0 || direction == 1, "scan direction ", direction, " is neither 0 nor 1");
    out[i].reversed = direction == 1;
  }
  return out;
}

/// The body, and how many states the node has; `first` is the place of the first one among its
/// inputs.
Subgraph parse_body(NodeArgs& node, std::size_t first, std::size_t scanned, hir::Scan& scan) {
  Subgraph body = node.required_graph("body");
  scan.body = body.model;
  scan.states = node.input_count() - first - scanned;
  const std::size_t given = body.model->outputs().size();
  check(body.own_inputs == scan.states + scanned, "the body of Scan takes ",
        counted(body.own_inputs, "input"), ", the node gives ", scan.states + scanned);
  check(given >= scan.states, "the body of Scan has ", counted(given, "output"), ", the node ",
        counted(scan.states, "state"));
  check(given == node.output_count(), "the body of Scan has ", counted(given, "output"),
        ", the node ", node.output_count());
  return body;
}

std::size_t scanned_inputs(NodeArgs& node, std::size_t first) {
  const std::int64_t count = node.required_integer("num_scan_inputs");
  const std::size_t most = node.input_count() < first ? 0 : node.input_count() - first;
  check(count >= 1 && static_cast<std::size_t>(count) <= most, "num_scan_inputs is ", count, " of ",
        counted(most, "input"));
  return static_cast<std::size_t>(count);
}

hir::InferenceOp parse_batched_scan(NodeArgs& node) {
  const std::size_t scanned = scanned_inputs(node, 1);
  hir::BatchedScan out;
  const Subgraph body = parse_body(node, 1, scanned, out.scan);
  out.captures = body.captures;
  out.scan.inputs = scan_axes(scanned, std::nullopt, node.integers("directions"));
  out.scan.outputs.resize(body.model->outputs().size() - out.scan.states);
  return out;
}

hir::InferenceOp parse_scan(NodeArgs& node) {
  if (node.version() < 9) return parse_batched_scan(node);
  const std::size_t scanned = scanned_inputs(node, 0);
  hir::Scan out;
  const Subgraph body = parse_body(node, 0, scanned, out);
  out.inputs =
      scan_axes(scanned, node.integers("scan_input_axes"), node.integers("scan_input_directions"));
  out.outputs =
      scan_axes(body.model->outputs().size() - out.states, node.integers("scan_output_axes"),
                node.integers("scan_output_directions"));
  return out;
}

}  // namespace

void register_scan(Registry& r) { r.add("Scan", {8, 9, 11, 16, 19, 21, 23, 24, 25}, parse_scan); }

}  // namespace strata::onnx
