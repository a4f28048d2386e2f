#include "json.h"

#include <nlohmann/json.hpp>

#include "strata/onnx/op_catalogue.h"

namespace strata::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const AttrValue& value) {
  return std::visit(
      [&](const auto& v) -> Json {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, std::monostate>)
          return nullptr;
        else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string> ||
                           std::is_same_v<T, std::vector<std::string>> ||
                           std::is_same_v<T, std::vector<std::int64_t>> ||
                           std::is_same_v<T, std::vector<double>>)
          return Json(v);
        else
          return attr_text(value);
      },
      value);
}

/// A size: a number, or the text of a symbolic one.
Json to_json(const std::optional<std::string>& dim) {
  if (!dim) return nullptr;
  const bool is_number = !dim->empty() && dim->find_first_not_of("0123456789") == std::string::npos;
  return is_number ? Json(std::stoll(*dim)) : Json(*dim);
}

Json to_json(const ListedWire& wire) {
  Json out{{"name", wire.name}, {"fact", wire.fact}, {"dtype", nullptr}, {"shape", nullptr}};
  if (wire.dtype) out["dtype"] = *wire.dtype;
  if (wire.shape) {
    out["shape"] = Json::array();
    for (const auto& dim : *wire.shape) out["shape"].push_back(to_json(dim));
  }
  return out;
}

Json to_json(const ListedInput& input) {
  if (input.name.empty()) return nullptr;
  if (input.constant.empty()) return Json{{"wire", input.name}};
  return Json{{"constant", input.name}, {"value", input.constant}};
}

Json to_json(const ListedGraph& graph);

Json to_json(const ListedNode& node) {
  Json out{{"name", node.name},
           {"op", node.op},
           {"attributes", Json::object()},
           {"inputs", Json::array()},
           {"outputs", Json::array()}};
  for (const NamedAttr& attribute : node.attributes)
    out["attributes"][std::string(attribute.name)] = to_json(attribute.value);
  for (const ListedInput& input : node.inputs) out["inputs"].push_back(to_json(input));
  for (const ListedWire& wire : node.outputs) out["outputs"].push_back(to_json(wire));
  if (!node.why.empty()) out["why"] = node.why;
  for (const auto& [label, body] : node.bodies) out["bodies"][label] = to_json(body);
  return out;
}

Json to_json(const ListedGraph& graph) {
  Json out{{"inputs", Json::array()}, {"nodes", Json::array()}, {"outputs", Json::array()}};
  for (const ListedWire& wire : graph.inputs) out["inputs"].push_back(to_json(wire));
  for (const ListedNode& node : graph.nodes) out["nodes"].push_back(to_json(node));
  for (const auto& [given, wire] : graph.outputs) {
    Json output = to_json(wire);
    output["from"] = to_json(given);
    out["outputs"].push_back(std::move(output));
  }
  return out;
}

Json to_json(const Summary& summary) {
  Json out{{"nodes", summary.nodes},
           {"constants", summary.constants},
           {"constant_bytes", summary.constant_bytes},
           {"parameters", summary.parameters},
           {"flops", nullptr},
           {"ops", Json::object()}};
  if (summary.flops) out["flops"] = *summary.flops;
  for (const auto& [op, count] : summary.ops) out["ops"][op] = count;
  return out;
}

Json to_json(const BenchCounts& counts) {
  return {{"nodes", counts.nodes}, {"loops", counts.loops}, {"ifs", counts.ifs}};
}

Json to_json(const ProfiledEvent& event) {
  const ProfiledNode& node = *event.node;
  const bool is_node = event.iteration < 0;
  Json out{{"name", is_node ? node.name : cat("iteration ", event.iteration)},
           {"cat", node.op.empty() ? "run" : node.op},
           {"ph", "X"},
           {"ts", event.start * 1e6},
           {"dur", event.seconds * 1e6},
           {"pid", 1},
           {"tid", 1},
           {"args", Json::object()}};
  if (!node.op.empty()) out["args"]["op"] = node.op;
  if (is_node && node.iterations == 0 && node.calls > 0) {
    out["args"]["flops"] = node.flops / static_cast<double>(node.calls);
    out["args"]["bytes"] = node.bytes / static_cast<double>(node.calls);
  }
  return out;
}

/// Bytes that are no UTF-8 become U+FFFD.
std::string text_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

std::string dump_json(const ListedGraph& graph, const Summary& summary, const std::string& file,
                      const std::string& stage) {
  return text_of(Json{{"schema", "strata.dump/1"},
                      {"file", file},
                      {"stage", stage},
                      {"summary", to_json(summary)},
                      {"graph", to_json(graph)}});
}

std::string bench_json(const BenchResult& result, const std::string& file) {
  Json out{{"schema", "strata.bench/1"},
           {"file", file},
           {"threads", result.threads},
           {"runs", result.runs},
           {"minimum", result.minimum},
           {"median", result.median},
           {"mean", result.mean},
           {"creation", result.creation},
           {"first_creation", result.first_creation},
           {"typed", to_json(result.typed)},
           {"decluttered", to_json(result.decluttered)},
           {"arena_bytes", result.arena_bytes},
           {"peak_bytes", result.peak_bytes},
           {"allocations", nullptr}};
  if (result.allocations) out["allocations"] = *result.allocations;
  return text_of(out);
}

std::string trace_json(const std::vector<ProfiledEvent>& events) {
  Json out{{"displayTimeUnit", "ns"}, {"traceEvents", Json::array()}};
  for (const ProfiledEvent& event : events) out["traceEvents"].push_back(to_json(event));
  return text_of(out);
}

std::string ops_json(const std::vector<onnx::CatalogueEntry>& catalogue) {
  Json ops = Json::array();
  for (const onnx::CatalogueEntry& entry : catalogue) {
    Json versions = Json::object();
    for (const auto& [version, support] : entry.versions)
      versions[std::to_string(version)] = onnx::to_string(support);
    ops.push_back(Json{{"op", entry.name},
                       {"domain", entry.domain},
                       {"versions", std::move(versions)},
                       {"becomes", entry.becomes},
                       {"may_add", entry.may_add}});
  }
  return text_of(Json{{"schema", "strata.ops/2"}, {"ops", std::move(ops)}});
}

}  // namespace strata::cli
