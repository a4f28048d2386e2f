#include "strata/core/graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace strata;

namespace {

struct AnyFact {
  bool is_same(const AnyFact&) const { return true; }
};
struct AnyOp {};

/// A graph that is changed at random, each node after its inputs, and what it should say of itself.
class ChangedGraph : public Graph<AnyFact, AnyOp> {
 public:
  explicit ChangedGraph(std::uint32_t seed) : random_(seed) { add(); }

  void change() {
    switch (below(7)) {
      case 0:
        return add();
      case 1:
        return add_output("", any());
      case 2:
        return pick_outputs();
      case 3:
        return pick_inputs();
      case 4:
        return redirect_one();
      case 5:
        return erase_one();
      default:
        return reorder(order());
    }
  }

  bool is_listed_output(OutletId outlet) const {
    return std::ranges::count(outputs(), outlet, &GraphOutput::outlet) > 0;
  }
  bool is_listed_input(std::uint32_t id) const {
    return std::ranges::count(inputs(), id, &OutletId::node) > 0;
  }
  bool has_reader(std::uint32_t id) const {
    const auto is_it = [&](OutletId wire) { return wire.node == id; };
    return std::ranges::any_of(outputs(), is_it, &GraphOutput::outlet) ||
           std::ranges::any_of(nodes(), [&](const NodeType& node) {
             return std::ranges::any_of(node.inputs, is_it);
           });
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }
  /// An outlet of a node before `end`, or of the first.
  OutletId before(std::uint32_t end) {
    for (;;) {
      const auto id = static_cast<std::uint32_t>(below(end));
      if (!node(id).erased) return {id, static_cast<std::uint32_t>(below(node(id).outputs.size()))};
    }
  }
  OutletId any() { return before(static_cast<std::uint32_t>(nodes().size())); }

  void add() {
    OutletIds inputs;
    if (!nodes().empty())
      for (std::size_t i = below(3); i > 0; --i) inputs.push_back(any());
    add_node_like("node", AnyOp{}, inputs, std::vector<AnyFact>(1 + below(3)));
  }
  void pick_outputs() {
    std::vector<GraphOutput> picked;
    for (std::size_t i = below(6); i > 0; --i) picked.push_back({"", any()});
    set_outputs(std::move(picked));
  }
  void pick_inputs() {
    OutletIds picked;
    for (std::size_t i = below(3); i > 0; --i) picked.push_back(any());
    set_inputs(std::move(picked));
    add_input(any());
  }
  void redirect_one() {
    const OutletId from = any();
    if (from.node > 0) redirect(from, before(from.node));
  }
  /// The first node stays, so that there is always one.
  void erase_one() {
    const OutletId last = any();
    if (last.node > 0 && !has_reader(last.node) && !is_listed_input(last.node)) erase(last.node);
  }

  std::mt19937 random_;
};

}  // namespace

TEST_SUITE("graph") {
  TEST_CASE("what a graph knows of its inputs, outputs and readers is what its lists say") {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      ChangedGraph graph(seed);
      for (int step = 0; step < 300; ++step) {
        if (step % 50 == 49) graph = ChangedGraph(graph);
        graph.change();
        for (std::uint32_t id = 0; id < graph.nodes().size(); ++id) {
          REQUIRE(graph.is_input(id) == graph.is_listed_input(id));
          REQUIRE(graph.is_read(id) == graph.has_reader(id));
          for (const OutletId outlet : graph.outlets_of(id))
            REQUIRE(graph.is_output(outlet) == graph.is_listed_output(outlet));
        }
      }
    }
  }

  TEST_CASE("a wire that is not there is no output, and the outputs before it stay") {
    Graph<AnyFact, AnyOp> graph;
    const std::uint32_t id = graph.add_node("x", AnyOp{}, {}, {AnyFact{}});
    graph.add_output("y", {id, 0});
    CHECK_THROWS_WITH_AS(graph.set_outputs({{"z", {id, 1}}}),
                         "output \"z\" is of a wire that is not there", Error);
    CHECK_THROWS_WITH_AS(graph.add_output("z", {id + 1, 0}),
                         "output \"z\" is of a wire that is not there", Error);
    CHECK(graph.is_output({id, 0}));
    CHECK(graph.outputs().size() == 1);
  }
}
