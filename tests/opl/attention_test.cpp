#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/opl/model.h"
#include "support/op_case.h"

/// What fragments of tract's registry of transformers mean, by their formulas.
namespace strata::opl {
namespace {

struct Input {
  std::string name;
  Shape shape;
};

/// `y = right` for these inputs, all f32.
TypedModel net(const std::vector<Input>& inputs, std::string_view right) {
  std::string names, lines;
  for (const Input& input : inputs) {
    names += cat(names.empty() ? "" : ", ", input.name);
    lines += cat("  ", input.name, " = external(shape = [");
    for (std::size_t i = 0; i < input.shape.size(); ++i)
      lines += cat(i ? ", " : "", input.shape[i]);
    lines += "]);\n";
  }
  return from_text(cat("version 1.0;\nextension tract_registry tract_transformers;\ngraph network(",
                       names, ") -> (y) {\n", lines, "  y = ", right, ";\n}\n"));
}

/// Numbers that differ, from -1 to 1.
Tensor numbers(const Shape& shape, double seed) {
  MutableTensor out(DatumType::f32, shape);
  double at = seed;
  for (float& x : out.as<float>()) x = static_cast<float>(std::sin(at += 1.7));
  return std::move(out).freeze();
}

/// As it is and optimised.
void check(const TypedModel& model, const ValueList& inputs, const Tensor& expected) {
  tests::check_close(run_model(model, inputs)[0], expected, 1e-5, 1e-6);
  TypedModel optimised = model;
  declutter(optimised);
  optimise(optimised);
  tests::check_close(run_model(optimised, inputs)[0], expected, 1e-5, 1e-6);
}

std::vector<double> softmax(std::vector<double> x) {
  double sum = 0;
  for (double& each : x) sum += each = std::exp(each);
  for (double& each : x) each /= sum;
  return x;
}

/// Attention of q [1,heads,steps,size] to k and v [1,shared,keys,size]; `add(step, key)` is added
/// to the scores.
template <class Add>
Tensor attended(const Tensor& q, const Tensor& k, const Tensor& v, double scale, const Add& add) {
  const auto heads = q.shape()[1], steps = q.shape()[2], size = q.shape()[3], shared = k.shape()[1],
             keys = k.shape()[2];
  MutableTensor out(DatumType::f32, q.shape());
  for (std::int64_t h = 0; h < heads; ++h)
    for (std::int64_t i = 0; i < steps; ++i) {
      const std::int64_t from = h / (heads / shared);
      const auto at = [&](const Tensor& t, std::int64_t row, std::int64_t c) {
        return static_cast<double>(
            t.as<float>()[static_cast<std::size_t>((from * keys + row) * size + c)]);
      };
      const auto place = static_cast<std::size_t>((h * steps + i) * size);
      std::vector<double> scores;
      for (std::int64_t j = 0; j < keys; ++j) {
        double sum = 0;
        for (std::int64_t c = 0; c < size; ++c)
          sum +=
              static_cast<double>(q.as<float>()[place + static_cast<std::size_t>(c)]) * at(k, j, c);
        scores.push_back(sum * scale + add(i, j));
      }
      scores = softmax(scores);
      for (std::int64_t c = 0; c < size; ++c) {
        double sum = 0;
        for (std::int64_t j = 0; j < keys; ++j)
          sum += scores[static_cast<std::size_t>(j)] * at(v, j, c);
        out.as<float>()[place + static_cast<std::size_t>(c)] = static_cast<float>(sum);
      }
    }
  return std::move(out).freeze();
}

constexpr auto kNothing = [](std::int64_t, std::int64_t) { return 0.0; };

}  // namespace

TEST_CASE("tract_transformers_apply_rope turns pairs of halves") {
  const TypedModel model =
      net({{"x", {1, 4}}, {"c", {1, 4}}, {"s", {1, 4}}}, "tract_transformers_apply_rope(x, c, s)");
  const Tensor x = Tensor::of<float>({1, 4}, {1, 2, 3, 4}),
               c = Tensor::of<float>({1, 4}, {1, 0, 1, 2}),
               s = Tensor::of<float>({1, 4}, {10, 10, 10, 1});
  check(model, {x, c, s}, Tensor::of<float>({1, 4}, {1 - 30, -40, 3 + 10, 8 + 2}));
  CHECK_THROWS_WITH_AS(net({{"x", {3}}}, "tract_transformers_apply_rope(x, x, x)"),
                       doctest::Contains("it has no half"), Error);
}

TEST_CASE("tract_transformers_scaled_masked_softmax by numbers and by bools") {
  const Tensor x = Tensor::of<float>({1, 3}, {0, 1, 2});
  const double e = std::exp(1.0);
  const auto f = [](double value) { return static_cast<float>(value); };
  check(
      net({{"x", {1, 3}}},
          "tract_transformers_scaled_masked_softmax(x, [[0.0, 0.0, -1.0]], scale = 0.5)"),
      {x},
      Tensor::of<float>({1, 3}, {f(1 / (1 + std::sqrt(e) + 1)),
                                 f(std::sqrt(e) / (2 + std::sqrt(e))), f(1 / (2 + std::sqrt(e)))}));
  const Tensor half = Tensor::of<float>({1, 3}, {f(1 / (1 + e)), f(e / (1 + e)), 0});
  for (const char* again : {"false", "true"})
    check(net({{"x", {1, 3}}},
              cat("tract_transformers_scaled_masked_softmax(x, [[true, true, false]], scale = 1.0, "
                  "post_softmax_mask = ",
                  again, ")")),
          {x}, half);
  CHECK_THROWS_WITH_AS(net({{"x", {1, 3}}},
                           "tract_transformers_scaled_masked_softmax(x, [[0.0, 0.0, 0.0]], scale = "
                           "1.0, post_softmax_mask = true)"),
                       doctest::Contains("takes a mask of bools"), Error);
}

TEST_CASE("tract_transformers_sdpa, whose heads share keys") {
  const Shape many{1, 4, 2, 2}, few{1, 2, 3, 2};
  const Tensor q = numbers(many, 0), k = numbers(few, 1), v = numbers(few, 2);
  const std::vector<Input> inputs{{"q", many}, {"k", few}, {"v", few}};
  const std::string types = "datum_type = \"f32\", acc_datum_type = \"f32\"";
  const auto attention = [&](std::string_view more) {
    return cat("tract_transformers_sdpa(q, k, v, ", types, more, ")");
  };
  check(net(inputs, attention(", is_causal = false")), {q, k, v},
        attended(q, k, v, 1 / std::sqrt(2.0), kNothing));
  check(net(inputs, attention(", is_causal = false, scale = 0.25")), {q, k, v},
        attended(q, k, v, 0.25, kNothing));
  // A step sees the keys of the past, of which there is one here, and those up to itself.
  check(net(inputs, attention(", is_causal = true")), {q, k, v},
        attended(q, k, v, 1 / std::sqrt(2.0),
                 [](std::int64_t i, std::int64_t j) { return j > i + 1 ? -1e30 : 0; }));
  const std::string masked =
      cat("tract_transformers_sdpa(q, k, v, [[0.0, 1.0, 2.0], [3.0, 4.0, 6.0]], ", types,
          ", is_causal = false)");
  const auto add = [](std::int64_t i, std::int64_t j) {
    return static_cast<double>(3 * i + j + (i == 1 && j == 2));
  };
  check(net(inputs, masked), {q, k, v}, attended(q, k, v, 1 / std::sqrt(2.0), add));
}

TEST_CASE("tract_transformers_sdpa of three axes, and with a mask for each head") {
  const Shape shape{1, 2, 3};
  const Tensor q = numbers(shape, 0), k = numbers(shape, 1), v = numbers(shape, 2);
  const auto with_heads = [](const Tensor& t) { return t.reshaped({1, 1, 2, 3}); };
  const std::string types = "datum_type = \"f32\", acc_datum_type = \"f32\", is_causal = false";
  check(net({{"q", shape}, {"k", shape}, {"v", shape}},
            cat("tract_transformers_sdpa(q, k, v, ", types, ")")),
        {q, k, v},
        attended(with_heads(q), with_heads(k), with_heads(v), 1 / std::sqrt(3.0), kNothing)
            .reshaped(shape));
  // [1,heads,1,keys], of which the second head sees but the first key
  const Shape many{1, 2, 1, 2}, few{1, 1, 2, 2};
  const Tensor two = numbers(many, 0), keys = numbers(few, 1), values = numbers(few, 2);
  const TypedModel model = net({{"q", many}, {"k", few}, {"v", few}, {"m", {1, 2, 1, 2}}},
                               cat("tract_transformers_sdpa(q, k, v, m, ", types, ")"));
  const Tensor mask = Tensor::of<float>({1, 2, 1, 2}, {0, 0, 0, -1e30F});
  const Tensor all = attended(two, keys, values, 1 / std::sqrt(2.0), kNothing);
  const auto seen = all.as<float>(), first = values.as<float>();
  check(model, {two, keys, values, mask},
        Tensor::of<float>(many, {seen[0], seen[1], first[0], first[1]}));
}

TEST_CASE("what tract_transformers_sdpa does not take is refused") {
  const std::string types = "datum_type = \"f32\", acc_datum_type = \"f32\", is_causal = ";
  const std::vector<Input> uneven{{"q", {1, 3, 2, 2}}, {"k", {1, 2, 2, 2}}};
  CHECK_THROWS_WITH_AS(net(uneven, cat("tract_transformers_sdpa(q, k, k, ", types, "false)")),
                       doctest::Contains("3 heads of q do not share 2"), Error);
  const std::vector<Input> even{{"q", {1, 2, 2}}};
  CHECK_THROWS_WITH_AS(
      net(even, cat("tract_transformers_sdpa(q, q, q, [[0.0, 0.0]], ", types, "true)")),
      doctest::Contains("takes no mask"), Error);
  CHECK_THROWS_WITH_AS(
      net(even, cat("tract_transformers_sdpa(q, q, q, [[true, true]], ", types, "false)")),
      doctest::Contains("a mask of bools"), Error);
  CHECK_THROWS_WITH_AS(
      net({{"q", {2, 2}}}, cat("tract_transformers_sdpa(q, q, q, ", types, "false)")),
      doctest::Contains("3 axes each, or 4"), Error);
}

}  // namespace strata::opl
