#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strata/core/attributes.h"
#include "strata/core/typed_model.h"
#include "strata/hir/inference_model.h"

/// A model at any stage in the one form that the text tree and JSON are written from.
namespace strata::cli {

/// A wire and what is known of it; unknown parts are absent.
struct ListedWire {
  std::string name;
  std::string fact;                                              ///< `f32[N,3]`
  std::optional<std::string> dtype;                              ///< of a tensor
  std::optional<std::vector<std::optional<std::string>>> shape;  ///< of a tensor of known rank
};

/// An input of a node: a wire, a constant (summarised in `constant`), or left out (no name).
struct ListedInput {
  std::string name;
  std::string constant;
};

struct ListedBody;

struct ListedNode {
  std::string name;
  std::string op;
  AttrList attributes;  ///< without bodies
  std::string why;      ///< of a kernel: how it works and why it was chosen
  std::vector<ListedInput> inputs;
  std::vector<ListedWire> outputs;
  std::vector<ListedBody> bodies;
};

struct ListedGraph {
  std::vector<ListedWire> inputs;
  std::vector<ListedNode> nodes;                            ///< in order; no constants, no inputs
  std::vector<std::pair<ListedInput, ListedWire>> outputs;  ///< what is given, and under which name
};

struct ListedBody {
  std::string label;
  ListedGraph graph;
};

/// Counts over a model with all its bodies.
struct Summary {
  std::size_t nodes = 0;  ///< neither inputs nor constants
  std::size_t constants = 0;
  double constant_bytes = 0;
  double parameters = 0;        ///< floating-point elements of constants
  std::optional<double> flops;  ///< of one run; typed models only
  bool has_uncounted = false;   ///< FLOPs of unknown sizes: there is no sum of them
  std::map<std::string, std::size_t> ops;
};

ListedGraph list(const hir::InferenceModel& model);
ListedGraph list(const TypedModel& model);
Summary summarise(const hir::InferenceModel& model);
Summary summarise(const TypedModel& model);

}  // namespace strata::cli
