#pragma once

#include <doctest/doctest.h>
#include <onnx/defs/parser.h>
#include <onnx/onnx_pb.h>

#include <string>

#include "strata/core/error.h"
#include "strata/onnx/load.h"

namespace strata::testing {

/// A model in ONNX's text syntax.
inline ::onnx::ModelProto model_of(const std::string& text) {
  ::onnx::ModelProto model;
  const auto status = ::onnx::OnnxParser::Parse(model, text.c_str());
  REQUIRE_MESSAGE(status.IsOK(), status.ErrorMessage());
  return model;
}

/// A model of this one graph, with opset 13.
inline ::onnx::ModelProto model_of_graph(const std::string& graph) {
  return model_of("<ir_version: 8, opset_import: [\"\" : 13]> " + graph);
}

inline hir::InferenceModel load_proto(const ::onnx::ModelProto& model, const Limits& limits = {}) {
  const std::string bytes = model.SerializeAsString();
  return onnx::load(std::as_bytes(std::span(bytes)), {}, limits);
}

inline hir::InferenceModel load_graph(const std::string& graph) {
  return load_proto(model_of_graph(graph));
}

/// The error that `work` fails with.
template <class Work>
Error error_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  FAIL("no error");
  return Error(ErrorKind::internal, {});
}

inline Error error_of_model(const ::onnx::ModelProto& model, const Limits& limits = {}) {
  return error_of([&] { load_proto(model, limits); });
}
inline Error error_of_graph(const std::string& graph) {
  return error_of_model(model_of_graph(graph));
}

/// The node whose name is `name`.
inline const hir::InferenceNode& node_called(const hir::InferenceModel& model,
                                             const std::string& name) {
  for (const auto& node : model.nodes())
    if (node.name == name) return node;
  FAIL("no node is named " << name);
  return model.nodes().front();
}

}  // namespace strata::testing
