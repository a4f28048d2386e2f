#include "profiler.h"

#include <doctest/doctest.h>

#include "json.h"
#include "profile_text.h"
#include "strata/core/ops/matmul.h"

using namespace strata;
using namespace strata::cli;

namespace {

constexpr double kRounding = 1e-7;  ///< seconds that a clock may be off

/// 50 operations a second, 10 bytes.
const MachinePeak kPeak{50, {{1e9, 10}}};

/// A node that stands for a loop, as far as a profiler can tell.
const TypedNode& loop_node() {
  static const TypedNode node = [] {
    TypedNode out;
    out.name = "steps";
    out.op = Const{std::make_shared<const Value>(Tensor::scalar(1.0F))};
    return out;
  }();
  return node;
}

/// A product of [2,3] and [3,4]: 48 operations, 24 + 48 + 32 bytes.
const TypedNode& product_node() {
  static const TypedNode node = [] {
    TypedNode out;
    out.name = "product";
    out.op = MatMul{};
    return out;
  }();
  return node;
}

void run_product(Profiler& profiler) {
  const TensorView in[] = {{nullptr, DatumType::f32, {2, 3}}, {nullptr, DatumType::f32, {3, 4}}};
  const MutableTensorView out[] = {{nullptr, DatumType::f32, {2, 4}}};
  profiler.begin(product_node());
  profiler.end(product_node(), in, out);
}

/// A run of a loop of `trips` products, and one product after it.
void run(Profiler& profiler, int trips) {
  profiler.begin_run();
  profiler.begin(loop_node());
  for (int i = 0; i < trips; ++i) {
    profiler.iteration();
    run_product(profiler);
  }
  profiler.end(loop_node(), {}, {});
  run_product(profiler);
  profiler.end_run();
}

}  // namespace

TEST_SUITE("profiler") {
  TEST_CASE("calls, iterations and work add up over runs, bodies apart") {
    Profiler profiler;
    run(profiler, 3);
    run(profiler, 5);
    const ProfiledNode& runs = profiler.runs();
    CHECK(runs.calls == 2);
    REQUIRE(runs.inner.size() == 2);
    const ProfiledNode &loop = *runs.inner[0], &last = *runs.inner[1];
    CHECK(loop.name == "steps");
    CHECK(loop.calls == 2);
    CHECK(loop.iterations == 8);
    CHECK(loop.flops == 0);
    REQUIRE(loop.inner.size() == 1);
    CHECK(loop.inner[0]->calls == 8);
    CHECK(loop.inner[0]->flops == 8 * 48);
    CHECK(loop.inner[0]->bytes == 8 * (24 + 48 + 32));
    CHECK(last.name == "product");
    CHECK(last.calls == 2);
    CHECK(last.flops == 2 * 48);
  }

  TEST_CASE("a node's time has that of its bodies in it") {
    Profiler profiler;
    run(profiler, 4);
    const ProfiledNode &runs = profiler.runs(), &loop = *runs.inner[0];
    CHECK(loop.own_seconds() == doctest::Approx(loop.seconds - loop.inner[0]->seconds));
    CHECK(loop.seconds + kRounding >= loop.inner[0]->seconds);
    CHECK(runs.seconds + kRounding >= loop.seconds + runs.inner[1]->seconds);
  }

  TEST_CASE("events are those of the first run: nodes, iterations, the run itself") {
    Profiler profiler;
    run(profiler, 2);
    const std::size_t of_one = profiler.events().size();
    run(profiler, 2);
    CHECK(of_one == 7);  // three products, two iterations, the loop, the run
    CHECK(profiler.events().size() == of_one);
    const ProfiledEvent &product = profiler.events()[0], &iteration = profiler.events()[1];
    CHECK(iteration.iteration == 0);
    CHECK(iteration.start <= product.start + kRounding);
    CHECK(product.start + product.seconds <= iteration.start + iteration.seconds + kRounding);
  }

  TEST_CASE("what is forgotten does not count") {
    Profiler profiler;
    run(profiler, 2);
    profiler.clear();
    CHECK(profiler.runs().calls == 0);
    CHECK(profiler.events().empty());
    run(profiler, 1);
    CHECK(profiler.runs().inner[0]->iterations == 1);
  }

  TEST_CASE("the tables tell of one run") {
    Profiler profiler;
    run(profiler, 4);
    run(profiler, 4);
    const std::string text = profile_text(profiler.runs(), 1, kPeak, Style(false));
    CHECK(text.starts_with("profile of 2 runs, "));
    CHECK(text.find("µs each, on 1 thread\n") != std::string::npos);
    CHECK(text.find(": 4 iterations, ") != std::string::npos);
    CHECK(text.find("    product  MatMul\n") != std::string::npos);  // in the body, indented
  }

  TEST_CASE("a node is held against the peak, where its operations are of that kind") {
    ProfiledNode runs;
    runs.calls = 1;
    runs.seconds = 4;
    auto& product = *runs.inner.emplace_back(std::make_unique<ProfiledNode>());
    product = {
        .name = "product", .op = "MatMul", .calls = 2, .seconds = 4, .flops = 100, .bytes = 8};
    CHECK(profile_text(runs, 1, kPeak, Style(false)).find("  50.0 %  product") !=
          std::string::npos);
    product.is_f32 = false;
    CHECK(profile_text(runs, 1, kPeak, Style(false)).find("50.0 %") == std::string::npos);
    product.flops = 0;
    CHECK(profile_text(runs, 1, kPeak, Style(false)).find("  20.0 %  product") !=
          std::string::npos);
  }
}
