/// Time of each stage for chains of n and 10 n nodes: each should grow about tenfold.
///
///   linearity [NODES]    (default 2000, and ten times that)

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/onnx/load.h"

namespace {

struct Stage {
  std::string name;
  double seconds = 0;
};

/// x -> Add(c) -> Relu -> Add(c) -> …, which no rule makes shorter.
std::string chain(int nodes) {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  auto& graph = *model.mutable_graph();
  graph.set_name("chain");
  const auto declare = [](::onnx::ValueInfoProto& info, const std::string& name) {
    info.set_name(name);
    auto& type = *info.mutable_type()->mutable_tensor_type();
    type.set_elem_type(::onnx::TensorProto::FLOAT);
    type.mutable_shape()->add_dim()->set_dim_param("N");
  };
  declare(*graph.add_input(), "x0");
  auto& one = *graph.add_initializer();
  one.set_name("one");
  one.set_data_type(::onnx::TensorProto::FLOAT);
  one.add_float_data(1);
  for (int i = 0; i < nodes; ++i) {
    auto& node = *graph.add_node();
    node.set_op_type(i % 2 ? "Relu" : "Add");
    node.set_name("node" + std::to_string(i));
    node.add_input("x" + std::to_string(i));
    if (i % 2 == 0) node.add_input("one");
    node.add_output("x" + std::to_string(i + 1));
  }
  declare(*graph.add_output(), "x" + std::to_string(nodes));
  return model.SerializeAsString();
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<Stage> measure(int nodes) {
  const std::string bytes = chain(nodes);
  std::optional<strata::hir::InferenceModel> loaded;
  std::optional<strata::TypedModel> typed;
  std::vector<Stage> stages;
  const auto stage = [&](const char* name, const std::function<void()>& work) {
    stages.push_back({name, seconds_of(work)});
  };
  stage("load", [&] { loaded = strata::onnx::load(std::as_bytes(std::span(bytes))); });
  stage("analyse", [&] { loaded->analyse(); });
  stage("to_typed", [&] { typed = loaded->to_typed(); });
  stage("declutter", [&] { strata::declutter(*typed); });
  stage("optimise", [&] { strata::optimise(*typed); });
  stage("plan", [&] { strata::Session(strata::Plan::build(std::move(*typed))); });
  return stages;
}

/// The least time of each stage over some runs, the first of which also warms the allocator.
std::vector<Stage> best_of(int runs, int nodes) {
  std::vector<Stage> best = measure(nodes);
  for (int run = 1; run < runs; ++run) {
    const std::vector<Stage> next = measure(nodes);
    for (std::size_t i = 0; i < best.size(); ++i)
      best[i].seconds = std::min(best[i].seconds, next[i].seconds);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const int nodes = argc > 1 ? std::max(10, std::atoi(argv[1])) : 2000;
  const auto small = best_of(3, nodes), large = best_of(3, 10 * nodes);
  std::printf("%-10s %10d %10d nodes\n", "stage", nodes, 10 * nodes);
  double total_small = 0, total_large = 0;
  for (std::size_t i = 0; i < small.size(); ++i) {
    std::printf("%-10s %9.1f ms %8.1f ms   x %.1f\n", small[i].name.c_str(), small[i].seconds * 1e3,
                large[i].seconds * 1e3, large[i].seconds / small[i].seconds);
    total_small += small[i].seconds;
    total_large += large[i].seconds;
  }
  std::printf("%-10s %9.1f ms %8.1f ms   x %.1f (linear within bounds: at most 15)\n", "all",
              total_small * 1e3, total_large * 1e3, total_large / total_small);
  return 0;
}
