#include "tree.h"

#include <algorithm>

#include "strata/core/text.h"

namespace strata::cli {
namespace {

std::string wire_list(const std::vector<ListedInput>& inputs, const Style& style) {
  std::string out = "(";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (i) out += ", ";
    if (inputs[i].name.empty())
      out += style.faint("none");
    else if (inputs[i].constant.empty())
      out += style.name(inputs[i].name);
    else
      out += cat(style.name(inputs[i].name), ": ", style.faint(inputs[i].constant));
  }
  return out + ")";
}

std::string fact_list(const std::vector<ListedWire>& wires) {
  std::string out;
  for (std::size_t i = 0; i < wires.size(); ++i) out += cat(i ? ", " : "", wires[i].fact);
  return out.empty() ? "nothing" : out;
}

class Tree {
 public:
  explicit Tree(const Style& style) : style_(style) {}

  std::string finish() && { return std::move(out_); }

  void add_graph(const ListedGraph& graph, const std::string& indent) {
    for (const ListedWire& input : graph.inputs)
      out_ +=
          cat(indent, style_.title("input"), "  ", style_.name(input.name), "  ", input.fact, '\n');
    for (const ListedNode& node : graph.nodes) add_node(node, indent);
    for (const auto& [given, wire] : graph.outputs) add_output(given, wire, indent);
  }

 private:
  void add_node(const ListedNode& node, const std::string& indent) {
    out_ += cat(indent, style_.name(node.name), "  ", style_.op(node.op));
    for (const NamedAttr& attribute : node.attributes)
      out_ += cat(' ', attribute.name, '=', attr_text(attribute.value));
    out_ += cat(' ', wire_list(node.inputs, style_), " -> ", fact_list(node.outputs), '\n');
    if (!node.why.empty()) out_ += cat(indent, "    ", style_.faint(node.why), '\n');
    for (const auto& [label, body] : node.bodies) {
      out_ += cat(indent, "  ", style_.title(label), '\n');
      add_graph(body, indent + "    ");
    }
  }

  void add_output(const ListedInput& given, const ListedWire& wire, const std::string& indent) {
    out_ += cat(indent, style_.title("output"), "  ", style_.name(wire.name));
    if (given.name != wire.name) out_ += cat(" = ", printable(given.name));
    if (!given.constant.empty())
      out_ += cat(": ", style_.faint(given.constant));
    else
      out_ += cat("  ", wire.fact);
    out_ += '\n';
  }

  const Style& style_;
  std::string out_;
};

}  // namespace

std::string tree_text(const ListedGraph& graph, const Style& style) {
  Tree tree(style);
  tree.add_graph(graph, "");
  return std::move(tree).finish();
}

std::string flops_text(const Summary& summary) {
  return summary.flops ? cat(short_number(*summary.flops), " FLOPs")
                       : "FLOPs unknown (sizes are symbolic)";
}

std::string summary_text(const Summary& summary, const Style& style) {
  std::string out =
      cat(counted(summary.nodes, "node"), ", ", counted(summary.constants, "constant"), " (",
          short_number(summary.constant_bytes), "B), ", short_number(summary.parameters),
          " parameters");
  if (summary.flops || summary.has_uncounted) out += cat(", ", flops_text(summary));
  std::vector<std::pair<std::string, std::size_t>> ops(summary.ops.begin(), summary.ops.end());
  std::stable_sort(ops.begin(), ops.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  out += "\nops:";
  for (const auto& [op, count] : ops)
    out += cat(' ', style.op(op), ' ', count, ops.back().first == op ? "" : ",");
  return out + "\n";
}

}  // namespace strata::cli
