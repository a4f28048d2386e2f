#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/opl/model.h"
#include "support/op_case.h"

/// What exporters that write NNEF for tract make of it, torch_to_nnef above all, by values worked
/// out by hand.
namespace strata::opl {
namespace {

/// `body` computes y from x, of this shape; N and M are symbols.
TypedModel net(std::string_view shape, std::string_view body) {
  return from_text(cat(
      "version 1.0;\nextension tract_registry tract_core;\nextension tract_symbol N;\nextension "
      "tract_symbol M;\ngraph network(x) -> (y) {\n  x = external(shape = ",
      shape, ");\n  ", body, "\n}\n"));
}

/// As it is, optimised, and written and read again.
void gives(std::string_view shape, std::string_view body, const Tensor& x, const Tensor& expected) {
  CAPTURE(body);
  TypedModel model = net(shape, body);
  tests::check_close(run_model(model, ValueList{x})[0], expected, 1e-5, 1e-6);
  declutter(model);
  TypedModel again = from_text(to_text(model));
  optimise(model);
  tests::check_close(run_model(model, ValueList{x})[0], expected, 1e-5, 1e-6);
  optimise(again);
  tests::check_close(run_model(again, ValueList{x})[0], expected, 1e-5, 1e-6);
}

Tensor vector(std::vector<float> values) { return Tensor::vector<float>(values); }
Tensor rows(std::vector<float> values, std::int64_t columns) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::of<float>({count / columns, columns}, std::span<const float>(values));
}

/// The size of an axis of x, as exporters ask for it.
std::string size_of(int axis) {
  return cat("squeeze(slice(tract_core_shape_of(x), axes = [0], begin = [", axis, "], end = [",
             axis + 1, "]), axes = [0])");
}

}  // namespace

TEST_CASE("operands of two types meet as tract lets them") {
  const Tensor x = vector({1, 2});
  gives("[2]", "y = add(x, tract_core_cast(0.5, to = \"f64\"));", x, vector({1.5F, 2.5F}));
  gives("[2]",
        "y = clamp(x, tract_core_cast(0.0, to = \"f64\"), tract_core_cast(1.5, to = \"f64\"));", x,
        vector({1, 1.5F}));
  gives("[2]", "y = tract_core_cast(x, to = \"f16\") * x;", x, vector({1, 4}));  // in f32
  const TypedModel narrow =
      net("[2]", "y = tract_core_cast(x, to = \"f16\") + tract_core_cast(0.5, to = \"f32\");");
  CHECK(narrow.output_fact(0).dtype == DatumType::f16);
  CHECK_THROWS_WITH_AS(net("[2]", "y = x * tract_core_cast([1, 2], to = \"i32\");"),
                       doctest::Contains("f32 and i32"), Error);
}

TEST_CASE("of assignments to one name the last one counts from there on") {
  gives("[2]", "a = neg(x); b = relu(a); a = add(x, b); y = mul(a, 2.0); y = y - 1.0;",
        vector({-1, 2}), vector({-1, 3}));  // ((-1 + 1) * 2 - 1, (2 + 0) * 2 - 1)
}

TEST_CASE("sizes may be wires") {
  const Tensor x = rows({1, 2, 3, 4, 5, 6}, 3);
  const std::string sizes = cat("n = ", size_of(0), "; m = ", size_of(1), "; ");
  gives("[N, 3]", cat(sizes, "y = reshape(x, shape = [1, n, -1]);"), x, x.reshaped({1, 2, 3}));
  gives("[N, M]", cat(sizes, "y = tile([[7.0]], repeats = [n, m]);"), x,
        rows({7, 7, 7, 7, 7, 7}, 3));
  gives("[N, M]", cat(sizes, "y = tract_core_broadcast([[7.0]], shape = [n, m]);"), x,
        rows({7, 7, 7, 7, 7, 7}, 3));
  gives("[N, M]", cat(sizes, "y = slice(x, axes = [1], begin = [m - 1], end = [m], stride = [1]);"),
        x, rows({3, 6}, 1));
  // What only the data tells: the last two columns.
  gives(
      "[N, M]",
      "k = tract_core_cast(max_reduce(x, axes = [0, 1]), to = \"i64\"); k = squeeze(k, axes = [0, "
      "1]); y = slice(x, axes = [1], begin = [k - 5], end = [0]);",
      x, rows({2, 3, 5, 6}, 2));
  CHECK_THROWS_WITH_AS(net("[N, M]", "y = reshape(x, shape = [\"n\", 1]);"),
                       doctest::Contains("a size is wanted, not a string"), Error);
}

TEST_CASE("sizes may be what several symbols make") {
  const Tensor x = rows({1, 2, 3, 4, 5, 6}, 3);
  gives("[N, M]", "y = tile([1.0], repeats = [N + M]);", x, vector({1, 1, 1, 1, 1}));
  gives("[N, M]", "y = slice(x, axes = [1], begin = [0], end = [M / 2]);", x, rows({1, 4}, 1));
  gives("[N, M]", "y = tile([1.0], repeats = [max(N, M) * N - M]);", x, vector({1, 1, 1}));
  gives("[N, M]", "y = tile([1.0], repeats = [(N - M - 1) / 2 + M]);", x,
        vector({1, 1}));  // rounded down
}

TEST_CASE("sizes may come by way of floats") {
  gives(
      "[N, 6]",
      cat("m = tract_core_cast(", size_of(1),
          ", to = \"f32\"); half = "
          "tract_core_cast(floor(m / 4.0), to = \"i64\"); y = reshape(x, shape = [-1, half, 6]);"),
      rows({1, 2, 3, 4, 5, 6}, 6), Tensor::of<float>({1, 1, 6}, {1, 2, 3, 4, 5, 6}));
}

TEST_CASE("tract_core_resize to sizes that are floats") {
  gives("[1, 2]",
        "y = tract_core_resize(x, sizes = [1.0, 4.0], coord_transformer = \"asymmetric\", "
        "interpolator = \"nearest\", nearest_mode = \"floor\");",
        rows({1, 2}, 2), rows({1, 1, 2, 2}, 4));
}

TEST_CASE("tract_core_einsum computes in the type of its sums") {
  const TypedModel model =
      net("[1, 2]",
          "a = tract_core_cast(x, to = \"f16\"); y = tract_core_einsum([a, a], "
          "expr = \"mk,nk->mn\", acc = \"f32\", output = \"\");");
  CHECK(model.output_fact(0).to_string() == "f32[1,1]");
  CHECK(run_model(model, ValueList{rows({300, 1}, 2)})[0] == Value(rows({90001}, 1)));
}

TEST_CASE("what means nothing to a function is passed over") {
  gives("[2]", "y = sigmoid(x, axes = [0]);", vector({0, 0}), vector({0.5F, 0.5F}));
  gives("[2]",
        "a = tract_core_cast(x, to = \"i64\"); y = tract_core_cast(floor(round(ceil(a))), to = "
        "\"f32\");",
        vector({3, -4}), vector({3, -4}));
}

TEST_CASE("bitwise functions of bools are those of truth") {
  gives("[2]",
        "a = x > 0.0; b = x > 1.0; y = tract_core_cast(tract_core_bitand(a, b), to = \"f32\") + "
        "2.0 * "
        "tract_core_cast(tract_core_bitxor(a, b), to = \"f32\") + 4.0 * "
        "tract_core_cast(tract_core_bitor(a, b), to = \"f32\");",
        vector({2, 1}), vector({5, 6}));
}

TEST_CASE("axes that are added at one place follow each other") {
  gives("[2]", "y = unsqueeze(x, axes = [0, 0]);", vector({1, 2}),
        Tensor::of<float>({1, 1, 2}, {1, 2}));
  gives("[2]", "y = unsqueeze(x, axes = [1, 0, 1]);", vector({1, 2}),
        Tensor::of<float>({1, 1, 1, 2}, {1, 2}));
}

TEST_CASE("axes of no tensor are refused at once") {
  for (const char* axes :
       {"[9223372036854775807, 9223372036854775807]", "[0, 9223372036854775807]"}) {
    CHECK_THROWS_WITH_AS(net("[2]", cat("y = unsqueeze(x, axes = ", axes, ");")),
                         doctest::Contains("axis 9223372036854775807 is outside rank 3"), Error);
    CHECK_THROWS_WITH_AS(net("[2]", cat("y = argmax_reduce(x, axes = ", axes, ");")),
                         doctest::Contains("argmax_reduce over axes that are not the last ones"),
                         Error);
  }
}

TEST_CASE("argmax_reduce over the last axes") {
  gives("[2, 3]", "y = tract_core_cast(argmax_reduce(x, axes = [0, 1]), to = \"f32\");",
        rows({1, 2, 3, 9, 5, 6}, 3), rows({3}, 1));
  CHECK_THROWS_WITH_AS(net("[2, 3, 4]", "y = argmax_reduce(x, axes = [0, 2]);"),
                       doctest::Contains("not the last ones"), Error);
}

TEST_CASE("max_pool_with_index counts within the plane of a channel") {
  MutableTensor x = MutableTensor::zeros(DatumType::f32, {1, 2, 2, 2});
  x.as<float>()[1] = x.as<float>()[6] = 1;
  gives("[1, 2, 2, 2]",
        "(z, i) = max_pool_with_index(x, size = [1, 1, 2, 2], border = \"ignore\", padding = [(0, "
        "0), (0, 0), "
        "(0, 0), (0, 0)], stride = [1, 1, 2, 2], dilation = [1, 1, 1, 1]); y = tract_core_cast(i, "
        "to = \"f32\");",
        std::move(x).freeze(), Tensor::of<float>({1, 2, 1, 1}, {1, 2}));
}

TEST_CASE(
    "axes that were put in front of an operand for NNEF's sake are gone again, and its weights are "
    "packed") {
  const std::string text = R"(version 1.0;

graph network(x) -> (y) {
    x = external(shape = [2, 1, 2]);
    w = constant(shape = [2, 2], value = [1.0, 2.0, 3.0, 4.0]);
    b = constant(shape = [2], value = [10.0, 20.0]);
    p_operand1 = unsqueeze(w, axes = [0]);
    p = matmul(x, p_operand1, transposeA = false, transposeB = false);
    y_operand1 = unsqueeze(b, axes = [0, 1]);
    y = add(p, y_operand1);
}
)";
  TypedModel model = from_text(text);
  for (const TypedNode& node : model.nodes()) CHECK(node.op.name() != "Unsqueeze");
  const std::string written = to_text(model);
  CHECK(to_text(from_text(written)) == written);
  optimise(model);
  bool is_packed = false;
  for (const TypedNode& node : model.nodes())
    for (const NamedAttr& attribute : node.op.attributes())
      is_packed |= attribute.name == "packed_n" && std::get<std::int64_t>(attribute.value) == 2;
  CHECK(is_packed);
  const Tensor x = Tensor::of<float>({2, 1, 2}, {1, 1, 0, 2});
  tests::check_close(run_model(model, ValueList{x})[0],
                     Tensor::of<float>({2, 1, 2}, {14, 26, 16, 28}), 1e-6, 0);
}

TEST_CASE(
    "weights that are written with axes of size 1 in front are packed where the other operand has "
    "as many") {
  const auto packed = [](const char* shape) {
    TypedModel model =
        net(shape,
            "w = reshape(constant(shape = [4], value = [1.0, 2.0, 3.0, 4.0]), shape = [1, 2, "
            "2]); y = matmul(x, w, transposeA = false, transposeB = true);");
    declutter(model);
    optimise(model);
    for (const TypedNode& node : model.nodes())
      for (const NamedAttr& attribute : node.op.attributes())
        if (attribute.name == "packed_n") return std::get<std::int64_t>(attribute.value);
    return std::int64_t{-1};
  };
  CHECK(packed("[3, 1, 2]") == 2);
  CHECK(packed("[3, 2]") == 0);  // the result has three axes
}

TEST_CASE("a branch knows the sizes that a value from outside holds") {
  const TypedModel model = from_text(R"(version 1.0;
extension strata_registry strata_core;
extension tract_registry tract_core;
extension tract_symbol N;

fragment taken(x: tensor<scalar>, shape: tensor<scalar>) -> (y: tensor<scalar>) {
    x = tract_core_external(shape = [N, 6], datum_type = "f32");
    shape = tract_core_external(shape = [2], datum_type = "i64");
    y = reshape(relu(x), shape = shape);
}
fragment otherwise(x: tensor<scalar>, shape: tensor<scalar>) -> (y: tensor<scalar>) {
    x = tract_core_external(shape = [N, 6], datum_type = "f32");
    shape = tract_core_external(shape = [2], datum_type = "i64");
    y = reshape(neg(x), shape = shape);
}

graph network(x, c) -> (y) {
    x = tract_core_external(shape = [N, 6], datum_type = "f32");
    c = tract_core_external(shape = [], datum_type = "bool");
    n = slice(tract_core_shape_of(x), axes = [0], begin = [0], end = [1]);
    y = strata_if(c, x, concat([n, [6]], axis = 0), then_body = "taken", else_body = "otherwise");
}
)");
  CHECK(model.output_fact(0).to_string() == "f32[N,6]");
}

}  // namespace strata::opl
