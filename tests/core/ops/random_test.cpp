#include "strata/core/ops/random.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

#include "strata/core/session.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

TypedModel drawing(const Random& op) {
  TypedModel model;
  const OutletId shape = model.constant("shape", Tensor::of<std::int64_t>({1}, {4000}));
  model.add_output("y", model.wire_one("y", op, {shape}));
  return model;
}

Tensor drawn(const Random& op) { return run_model(drawing(op), {})[0].tensor(); }

/// The mean of the first `power` powers of the elements.
double mean_power(const Tensor& data, int power) {
  double sum = 0;
  for (const float x : data.as<float>()) sum += power == 1 ? x : static_cast<double>(x) * x;
  return sum / static_cast<double>(data.size());
}

#if defined(__unix__)
/// The first number of `op` that a fork of this process draws in the session and, where there is
/// none, in a new one.
float drawn_in_fork(const Random& op, Session* session) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const Tensor numbers = session ? session->run({})[0].tensor() : drawn(op);
    const bool is_written =
        write(ends[1], numbers.data(), sizeof(float)) == static_cast<ssize_t>(sizeof(float));
    _exit(is_written ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  float number = 0;
  CHECK(read(ends[0], &number, sizeof number) == static_cast<ssize_t>(sizeof number));
  close(ends[0]);
  close(ends[1]);
  return number;
}
#endif

}  // namespace

TEST_SUITE("random") {
  TEST_CASE("random has the shape it is told") {
    CHECK(facts_of(Random{}, {Fact::of(Tensor::of<std::int64_t>({2}, {2, 3}))})[0]
              .shape.to_string() == "[2,3]");
    CHECK(facts_of(Random{}, {Fact::tensor(DatumType::i64, Shape{2})})[0].shape.rank() == 2);
  }

  TEST_CASE("random of one seed gives the same numbers, of another different ones") {
    const Random first{RandomDistribution::uniform, 0, 1, DatumType::f32, 1.0},
        second{RandomDistribution::uniform, 0, 1, DatumType::f32, 2.0};
    CHECK((drawn(first) == drawn(first)));
    CHECK_FALSE((drawn(first) == drawn(second)));
  }

  TEST_CASE("random numbers of a seed are those of numpy's RandomState") {
    Random op{RandomDistribution::uniform, 0, 1, DatumType::f32, 7.0};
    const Tensor uniforms = drawn(op);
    const auto uniform = uniforms.as<float>();
    CHECK(uniform[0] == 0.07630829F);
    CHECK(uniform[1] == 0.77991879F);
    CHECK(uniform[2] == 0.43840923F);
    op.distribution = RandomDistribution::normal;
    const Tensor normals = drawn(op);
    const auto normal = normals.as<float>();
    CHECK(normal[0] == doctest::Approx(1.6905257));
    CHECK(normal[1] == doctest::Approx(-0.46593737));
    CHECK(normal[2] == doctest::Approx(0.03282016));
  }

  TEST_CASE(
      "seeds that are no whole numbers of 32 bits count as well, and none is always another") {
    std::vector<Tensor> draws;
    for (const double seed : {0.0, 0.5, -1.0, 4294967296.0})
      draws.push_back(drawn({RandomDistribution::uniform, 0, 1, DatumType::f32, seed}));
    draws.push_back(drawn({}));
    draws.push_back(drawn({}));
    for (std::size_t i = 0; i < draws.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) CHECK_FALSE((draws[i] == draws[j]));
  }

#if defined(__unix__)
  TEST_CASE("forks of a process draw different numbers, and the same ones of a seed") {
    for (const std::optional<double> seed : {std::optional<double>(), std::optional(7.0)}) {
      CAPTURE(seed.has_value());
      const Random op{RandomDistribution::uniform, 0, 1, DatumType::f32, seed};
      Session session(Plan::build(drawing(op)));
      (void)session.run({});
      const float first = drawn_in_fork(op, &session), first_of_new = drawn_in_fork(op, nullptr);
      CHECK((drawn_in_fork(op, &session) == first) == seed.has_value());
      CHECK((drawn_in_fork(op, nullptr) == first_of_new) == seed.has_value());
      CHECK((session.run({})[0].tensor().as<float>()[0] == first) == seed.has_value());
    }
  }
#endif

  TEST_CASE("random numbers have the moments of their distribution") {
    // Four standard errors of 4000 numbers.
    const Tensor uniform = drawn({RandomDistribution::uniform, 2, 4, DatumType::f32, 7.0});
    CHECK(mean_power(uniform, 1) == doctest::Approx(4).epsilon(0.02));
    for (const float x : uniform.as<float>()) CHECK((x >= 2 && x <= 6));
    const Tensor normal = drawn({RandomDistribution::normal, 0, 3, DatumType::f32, 7.0});
    CHECK(std::abs(mean_power(normal, 1)) < 0.19);
    CHECK(mean_power(normal, 2) == doctest::Approx(9).epsilon(0.09));
  }

  TEST_CASE("random_c1: a negative size") {
    CHECK_THROWS_WITH_AS(facts_of(Random{}, {Fact::of(Tensor::of<std::int64_t>({1}, {-1}))}),
                         doctest::Contains("(C1)"), Error);
  }

  TEST_CASE("random_c2: random integers") {
    CHECK_THROWS_WITH_AS(facts_of(Random{RandomDistribution::normal, 0, 1, DatumType::i64},
                                  {Fact::of(Tensor::of<std::int64_t>({1}, {1}))}),
                         doctest::Contains("(C2)"), Error);
  }
}
