#include "strata/opl/model.h"

#include <doctest/doctest.h>

#include "strata/core/error.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/split.h"
#include "strata/core/session.h"
#include "support/op_case.h"
#include "support/scratch_folder.h"

namespace strata::opl {
namespace {

/// A document whose graph has these inputs, assignments and output.
std::string document(std::string_view graph, std::string_view head = "") {
  return cat("version 1.0;\n\n", head, graph);
}

/// Our own text, which must come out of reading and writing as it went in.
void check_stable(const std::string& text) {
  INFO(text);
  CHECK(to_text(from_text(text)) == text);
}

Tensor vector_of(std::initializer_list<float> values) {
  return Tensor::of<float>(Shape{static_cast<std::int64_t>(values.size())}, values);
}

Tensor run_one(std::string_view text, const ValueList& inputs) {
  return run_model(from_text(text), inputs).at(0).tensor();
}

/// What `y = right;` gives for an x of the shape said, in which N is a symbol.
Tensor run_symbolic(std::string_view shape, const Tensor& x, std::string_view right) {
  return run_one(document(cat("graph network(x) -> (y) { x = external(shape = ", shape,
                              "); y = ", right, "; }"),
                          "extension tract_symbol N;\n"),
                 {x});
}

}  // namespace

TEST_CASE("weights of one size, and names that are like each other in a file, are many") {
  constexpr int kCount = 60'000;
  TypedModel model;
  OutletId y = model.add_source("x", Fact::tensor(DatumType::f32, Shape{3}));
  for (int i = 0; i < kCount; ++i) {
    std::string name;  // each of its own, and none fit for a label
    for (int bit = 0; bit < 16; ++bit) name += (i >> bit & 1) != 0 ? '\\' : '"';
    const float value = static_cast<float>(i);
    const OutletId weight = model.constant(name, vector_of({value, value, value}));
    y = model.wire_one(cat("sum", i), Binary{BinaryOp::add}, {y, weight});
  }
  model.add_output("y", y);
  const FilesToWrite files = to_files(model);
  CHECK(files.size() == kCount + 1);
  CHECK(files.contains(std::string(16, '_') + ".dat"));
  CHECK(files.contains(cat(std::string(16, '_'), '_', kCount - 1, ".dat")));
}

TEST_CASE("a symbol that has the name of an input takes another") {
  TypedModel model;
  const OutletId n = model.add_source("N", Fact::tensor(DatumType::f32, Shape{3}));
  const OutletId x = model.add_source(
      "x", Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N"), Dim(3)}));
  const OutletId size = model.constant("size", Tensor::of<Dim>({2}, {Dim(3), Dim::symbol("N")}));
  model.add_output("y", model.wire_one("sum", Binary{BinaryOp::add}, {x, n}));
  model.add_output("M", model.wire_one("turned", Reshape{}, {x, size}));
  const std::string text = to_text(model);
  INFO(text);
  const TypedModel read = from_text(text);
  CHECK(read.input_name(0) == "N");
  CHECK(read.input_fact(1).shape.to_string() == "[N_dim,3]");
  CHECK(read.output_fact(0).shape.to_string() == "[N_dim,3]");
  CHECK(read.output_fact(1).shape.to_string() == "[3,N_dim]");
  CHECK(text.find("unsqueeze(N, axes = [0])") != text.npos);  // the input
}

TEST_CASE("a symbol that takes another name takes none that there is") {
  TypedModel model;
  const auto matrix = [](const char* rows, const char* columns) {
    return Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol(rows), Dim::symbol(columns)});
  };
  model.add_output("y", model.add_source("N", matrix("N", "N_dim")));
  CHECK(from_text(to_text(model)).input_fact(0).shape.to_string() == "[N_dim2,N_dim]");
}

TEST_CASE("standard forms come back byte for byte") {
  struct Row {
    const char* name;
    const char* shape;
    const char* assignments;
  };
  const Row rows[] = {
      {"unary", "[2, 3]", "    a = tanh(x);\n    y = sigmoid(a);\n"},
      {"binary with a scalar", "[2, 3]", "    a = add(x, 0.5);\n    y = pow(2.0, a);\n"},
      {"binary of other ranks", "[2, 3]",
       "    b = strata_constant(values = [1.0, 2.0, 3.0], shape = [3], type = \"f32\");\n"
       "    y_operand1 = unsqueeze(b, axes = [0]);\n    y = mul(x, y_operand1);\n"},
      {"leaky relu", "[2, 3]", "    y = leaky_relu(x, alpha = 0.1);\n"},
      {"clamping", "[2, 3]", "    a = max(x, 0.0);\n    y = min(a, 6.0);\n"},
      {"select", "[2, 3]", "    c = lt(x, 0.0);\n    a = neg(x);\n    y = select(c, a, x);\n"},
      {"cast", "[2, 3]", "    y = tract_core_cast(x, to = \"i64\");\n"},
      {"reductions", "[2, 3, 4]",
       "    a = sum_reduce(x, axes = [1]);\n    y_reduced = mean_reduce(a, axes = [0, 2]);\n"
       "    y = squeeze(y_reduced, axes = [0, 2]);\n"},
      {"argmax", "[2, 3]", "    y = argmax_reduce(x, axes = [1]);\n"},
      {"softmax", "[2, 3]",
       "    a = softmax(x, axes = [1]);\n    y = tract_core_log_softmax(a, axes = [0, 1]);\n"},
      {"matmul", "[2, 3]", "    y = matmul(x, x, transposeA = false, transposeB = true);\n"},
      {"einsum", "[2, 3]",
       "    y = tract_core_einsum([x, x], expr = \"ab,cb->ac\", acc = \"f32\", output = \"\");\n"},
      {"concat", "[2, 3]", "    y = concat([x, x], axis = 1);\n"},
      {"reshape", "[2, 3]",
       "    a = reshape(x, shape = [3, -1]);\n    y = reshape(a, shape = [6]);\n"},
      {"transpose", "[2, 3]", "    y = transpose(x, axes = [1, 0]);\n"},
      {"squeeze", "[2, 3]",
       "    a = unsqueeze(x, axes = [0, 3]);\n    y = squeeze(a, axes = [0]);\n"},
      {"slice", "[2, 3]",
       "    y = slice(x, axes = [1, 0], begin = [0, 1], end = [3, 2], stride = [2, 1]);\n"},
      {"pad", "[2, 3]",
       "    y = pad(x, padding = [(0, 1), (2, 0)], border = \"constant\", value = 0.0);\n"},
      {"tile", "[2, 3]", "    y = tile(x, repeats = [2, 1]);\n"},
      {"broadcast", "[1, 3]", "    y = tract_core_broadcast(x, shape = [4, 3]);\n"},
      {"gather", "[2, 3]",
       "    i = strata_constant(values = [1, 0], shape = [2], type = \"i64\");\n    y = "
       "tract_core_gather(x, i, axis = 0);\n"},
      {"topk", "[2, 3]", "    (v, y) = tract_core_topk(x, 2, axis = 1, largest = true);\n"},
      {"max pool", "[1, 2, 5, 5]",
       "    y = max_pool(x, size = [1, 1, 3, 3], dilation = [1, 1, 1, 1], stride = [1, 1, 2, 2], "
       "border = \"ignore\", "
       "padding = [(0, 0), (0, 0), (1, 1), (1, 1)]);\n"},
      {"average pool", "[1, 2, 5, 5]",
       "    y = box(x, size = [1, 1, 2, 2], dilation = [1, 1, 1, 1], stride = [1, 1, 1, 1], border "
       "= \"constant\", "
       "padding = [], normalize = true);\n"},
      {"lrn", "[1, 4, 2, 2]",
       "    y = tract_onnx_lrn(x, alpha = 0.25, beta = 0.75, bias = 1.0, size = 5);\n"},
      {"conv", "[1, 1, 3, 3]",
       "    w = strata_constant(values = [1.0, 2.0, 3.0, 4.0], shape = [1, 1, 2, 2], type = "
       "\"f32\");\n"
       "    y = conv(x, w, dilation = [1, 1], stride = [1, 1], border = \"constant\", groups = 1, "
       "padding = [(0, 0), (0, 0)]);\n"},
      {"the default form", "[2, 3]", "    y = strata_unary(x, op = \"gelu\");\n"},
  };
  for (const Row& row : rows) {
    const std::string name = row.name;
    CAPTURE(name);
    const std::string graph = cat("graph network(x) -> (y) {\n    x = external(shape = ", row.shape,
                                  ");\n", row.assignments, "}\n");
    const std::string text = to_text(from_text(document(graph)));
    CHECK(text.ends_with(graph));
    check_stable(text);
  }
}

TEST_CASE("extension lines name what a document uses") {
  const std::string text = document(
      "graph network(x) -> (y) {\n"
      "    x = tract_core_external(shape = [N, ((2 * M) + 1)], datum_type = \"f32\");\n"
      "    a = tract_core_cast(x, to = \"f64\");\n"
      "    y = strata_unary(a, op = \"mish\");\n}\n",
      "extension strata_registry strata_core;\nextension tract_registry tract_core;\nextension "
      "tract_symbol M;\n"
      "extension tract_symbol N;\nextension tract_assert N >= 1;\n\n");
  check_stable(text);
  const TypedModel model = from_text(text);
  CHECK(model.input_fact(0).to_string() == "f32[N,2*M+1]");
}

TEST_CASE("sizes that are the greatest or the least of several are read as they are written") {
  const Dim n = Dim::symbol("N"), m = Dim::symbol("M");
  for (const Dim& size : {max(max(2 * n, m), Dim(3)), min(min(n, m), Dim(7))}) {
    TypedModel model;
    model.add_output("y", model.add_source("x", Fact::tensor(DatumType::f32, {{size}})));
    CHECK(from_text(to_text(model)).input_fact(0).shape[0] == size);
  }
}

TEST_CASE("symbols may have any name") {
  check_stable(document(
      "graph network(x, z, items) -> (y, rest) {\n"
      "    x = tract_core_external(shape = [i\"p2o.Dim.0\", (i\"größe\" / 2)], "
      "datum_type = \"i64\");\n"
      "    z = tract_core_external(shape = [i\"in\", ((2 * i\"a, b\") + i\"in\")], "
      "datum_type = \"i64\");\n"
      "    items = strata_external(type = \"sequence(i64[\\\"a, b\\\",3],p2o.Dim.0)\");\n"
      "    y = add(x, z);\n    rest = strata_sequence_length(items);\n}\n",
      "extension strata_registry strata_core;\nextension tract_registry tract_core;\n"
      "extension tract_symbol \"a, b\";\nextension tract_symbol größe;\n"
      "extension tract_symbol in;\nextension tract_symbol p2o.Dim.0;\n"
      "extension tract_assert \"a, b\" >= 2;\nextension tract_assert p2o.Dim.0 >= 1;\n\n"));
}

TEST_CASE("an output of another name than its node is an alias") {
  TypedModel model;
  const OutletId x = model.add_source("in/x", Fact::tensor(DatumType::f32, Shape{2}));
  model.add_output("the output", x);
  model.add_output("in/x", x);
  const std::string text = to_text(model);
  CHECK(text.find("i\"the output\" = i\"in/x\";") != std::string::npos);
  check_stable(text);
  const TypedModel read = from_text(text);
  CHECK(read.outputs()[0].name == "the output");
  CHECK(read.outputs()[1].name == "in/x");
}

TEST_CASE("parts of a split that nobody reads are not written") {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{6, 2}));
  model.add_output("y", model.wire("parts", Split{0, 3}, {x})[1]);
  CHECK(to_text(model) == document("graph network(x) -> (y) {\n"
                                   "    x = external(shape = [6, 2]);\n"
                                   "    y = slice(x, axes = [0], begin = [2], end = [4]);\n}\n"));
}

TEST_CASE("a split whose sizes may not fit refuses them after it was written") {
  TypedModel model;
  const Fact x = Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol("N")});
  const OutletId sizes = model.constant("sizes", Tensor::of<std::int64_t>({2}, {7, 1}));
  const OutletIds parts = model.wire("parts", Split{0, 2}, {model.add_source("x", x), sizes});
  model.add_output("a", parts[0]);
  model.add_output("b", parts[1]);
  const TypedModel read = from_text(to_text(model));
  const Value fits = Tensor::of<float>({8}, {0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(run_model(read, {&fits, 1})[1] == Value(Tensor::of<float>({1}, {7})));
  for (const std::int64_t n : {5, 9}) {
    const Value other = MutableTensor::zeros(DatumType::f32, {n}).freeze();
    CHECK_THROWS_WITH_AS(run_model(read, {&other, 1}),
                         doctest::Contains(cat("the sizes [7,1] do not sum up to ", n).c_str()),
                         Error);
  }
}

TEST_CASE("constants of every kind keep their elements") {
  const Tensor tensors[] = {
      Tensor::of<bool>(Shape{2}, {true, false}),
      Tensor::of<std::uint64_t>(Shape{1}, {UINT64_MAX}),
      Tensor::of<double>(Shape{1, 2}, {0.1, -1e300}),
      Tensor::of<std::string>(Shape{2}, {"a \"b\"", ""}),
      cast(vector_of({0.5F, -2}), DatumType::bf16),
      cast(vector_of({0.5F, -2}), DatumType::f8e4m3fn),
      packed(Tensor::of<std::int8_t>(Shape{3}, {-8, 7, 1}), DatumType::i4),
      Tensor::of<std::complex<float>>(Shape{1}, {{1, -2}}),
      Tensor::of<float>(Shape{0, 3}, {}),
  };
  for (const Tensor& tensor : tensors) {
    CAPTURE(tensor.to_string());
    TypedModel model;
    model.add_output("c", model.constant("c", tensor));
    const std::string text = to_text(model);
    const TypedModel read = from_text(text);
    REQUIRE(read.output_fact(0).constant() != nullptr);
    CHECK((*read.output_fact(0).constant() == tensor));
    check_stable(text);
  }
}

TEST_CASE("inputs of every kind of value") {
  TypedModel model;
  const Fact facts[] = {
      Fact::sequence(Fact::tensor(DatumType::f32, ShapeFact::open())),
      Fact::optional(Fact::tensor(DatumType::i64, Shape{2})),
      Fact::tensor(DatumType::string, ShapeFact::open()),
      Fact::sequence(Fact::tensor(DatumType::f32, ShapeFact({Dim::symbol("N"), 3})), Dim(4))};
  for (const Fact& fact : facts) {
    const OutletId x = model.add_source(cat("x", model.inputs().size()), fact);
    model.add_output(cat("y", model.inputs().size()), x);
  }
  const std::string text = to_text(model);
  check_stable(text);
  const TypedModel read = from_text(text);
  for (std::size_t i = 0; i < std::size(facts); ++i) CHECK((read.input_fact(i) == facts[i]));
}

TEST_CASE("a container holds the text and a file for each variable") {
  TypedModel model;
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{2}));
  const OutletId w = model.constant("/layer/w", vector_of({1, 2}));
  model.add_output("x", x);
  model.add_output("w", w);
  const FilesToWrite files = to_files(model);
  CHECK(files.size() == 2);
  CHECK(files.contains("layer/w.dat"));
  const tests::ScratchFolder folder;
  const auto path = folder / "model.nnef.tgz";
  save(model, path);
  const TypedModel read = load(path);
  CHECK((*read.output_fact(1).constant() == vector_of({1, 2})));
  const FilesToWrite again = to_files(read);
  CHECK(again.at("graph.nnef")() == files.at("graph.nnef")());
}

TEST_CASE("no file of a container lies where another has a folder") {
  TypedModel model;
  model.add_output("a", model.constant("w", vector_of({1, 2})));
  model.add_output("b", model.constant("w.dat/b", vector_of({3, 4})));
  const tests::ScratchFolder folder;
  for (const char* const name : {"model.opl", "model/"}) {
    save(model, folder / name);
    const TypedModel read = load(folder / name);
    CHECK((*read.output_fact(0).constant() == vector_of({1, 2})));
    CHECK((*read.output_fact(1).constant() == vector_of({3, 4})));
  }
}

TEST_CASE(
    "weights that several constants share are one file, also when it is read and written again") {
  TypedModel model;
  const Tensor shared = vector_of({1, 2}), equal = vector_of({1, 2});
  model.add_output("a", model.constant("a", shared));
  model.add_output("b", model.constant("b", shared));
  model.add_output("c", model.constant("c", shared.reshaped({2, 1})));
  model.add_output("d", model.constant("d", equal));
  const Tensor whole = vector_of({3, 4, 5, 6});
  const TensorList halves = Split{0, 2}.eval({&whole, 1});  // in the memory of the whole
  model.add_output("e", model.constant("e", halves[0]));
  model.add_output("f", model.constant("f", halves[1]));
  const FilesToWrite files = to_files(model);
  CHECK(files.size() == 6);  // the text; a and b; c; d; e; f
  const tests::ScratchFolder folder;
  const auto path = folder / "model.nnef.tgz";
  save(model, path);
  const TypedModel read = load(path);
  CHECK((*read.output_fact(1).constant() == shared));
  CHECK((*read.output_fact(5).constant() == vector_of({5, 6})));
  const FilesToWrite again = to_files(read);
  CHECK(again.size() == files.size());
  CHECK(again.at("graph.nnef")() == files.at("graph.nnef")());
}

TEST_CASE("fragments of the document are expanded") {
  const Tensor y = run_one(
      document("graph network(x) -> (y) { x = external(shape = [2]); y = twice(x, by = 3.0); }",
               "fragment twice(a: tensor<scalar>, by: scalar = 2.0) -> (b: tensor<scalar>)\n"
               "{ half = a * 0.5; b = half * by * 2.0; }\n"),
      {vector_of({1, 2})});
  CHECK((y == vector_of({3, 6})));
}

TEST_CASE("what tract writes at the head of a document and of names that are taken is understood") {
  const Tensor y = run_one(document("graph network(x) -> (y, a_1) { x = external(shape = [2]);\n"
                                    "(a, a_1) = split(x, axis = 0, ratios = [1, 1]);\n"
                                    "y = neg(a_1); b = neg(y); y = b; a_1 = neg(x); }",
                                    "extension KHR_enable_fragment_definitions;\n"
                                    "extension KHR_enable_operator_expressions;\n"
                                    "extension tract_registry tract_onnx;\n"
                                    "extension tract_pulse_streaming_symbol;\n"
                                    "extension tract_symbol T;\n"
                                    "extension tract_assert prefill: T > 1;\n"),
                           {vector_of({1, 2})});
  CHECK((y == vector_of({2})));
}

TEST_CASE("expressions over literals are worked out") {
  const Tensor y =
      run_one(document("graph network(x) -> (y) { x = external(shape = [2 * 2, 6 / 3]);\n"
                       "s = [4, 1 + 1]; y = reshape(x, shape = [s[1], s[0]]); }"),
              {Tensor::of<float>(Shape{4, 2}, {0, 1, 2, 3, 4, 5, 6, 7})});
  CHECK((y.shape() == Shape{2, 4}));
}

TEST_CASE("NNEF adds missing axes at the end") {
  const Tensor y = run_one(document("graph network(x, b) -> (y) { x = external(shape = [2, 3]);\n"
                                    "b = external(shape = [2]); y = add(x, b); }"),
                           {Tensor::of<float>(Shape{2, 3}, {0, 0, 0, 0, 0, 0}), vector_of({1, 2})});
  CHECK((y == Tensor::of<float>(Shape{2, 3}, {1, 1, 1, 2, 2, 2})));
}

TEST_CASE("forms that only others write are understood") {
  const auto batch = Tensor::of<float>(Shape{1, 2, 1, 1}, {3, 5});
  const Tensor y =
      run_one(document("graph network(x) -> (y) { x = external(shape = [1, 2, 1, 1]);\n"
                       "y = batch_normalization(x, [[1.0, 1.0]], [[4.0, 16.0]], [[0.5, 0.0]], "
                       "[[1.0, 2.0]], epsilon = 0.0); }"),
              {batch});
  CHECK((y == Tensor::of<float>(Shape{1, 2, 1, 1}, {1.5, 2})));
  const Tensor l = run_one(document("graph network(x) -> (y) { x = external(shape = [1, 2]);\n"
                                    "y = linear(x, [[1.0, 2.0], [3.0, 4.0]], [[10.0, 20.0]]); }"),
                           {Tensor::of<float>(Shape{1, 2}, {1, 1})});
  CHECK((l == Tensor::of<float>(Shape{1, 2}, {13, 27})));
  const Tensor p =
      run_one(document("graph network(x) -> (y) { x = external(shape = [2, 3]);\n"
                       "y = tract_core_downsample(x, axis = 1, stride = 2, modulo = 0); }"),
              {Tensor::of<float>(Shape{2, 3}, {0, 1, 2, 3, 4, 5})});
  CHECK((p == Tensor::of<float>(Shape{2, 2}, {0, 2, 3, 5})));
  const auto backwards = [](std::int64_t stride, std::int64_t modulo) {
    return run_one(document(cat("graph network(x) -> (y) { x = external(shape = [5]);\n"
                                "y = tract_core_downsample(x, axis = 0, stride = ",
                                stride, ", modulo = ", modulo, "); }")),
                   {vector_of({0, 1, 2, 3, 4})});
  };
  CHECK((backwards(-1, 0) == vector_of({4, 3, 2, 1, 0})));
  CHECK((backwards(-2, 1) == vector_of({4, 2})));
  const Tensor n =
      run_one(document("graph network(x) -> (y) { x = external(shape = [3]); y = round(x); }"),
              {vector_of({0.5F, -1.5F, 2.4F})});
  CHECK((n == vector_of({1, -2, 2})));
}

TEST_CASE(
    "weights of tract's deconvolutions begin with the outputs, those of NNEF with the inputs") {
  const auto gives = [](std::string_view head, std::string_view filter) {
    return run_one(document(cat("graph network(x) -> (y) { x = external(shape = [1, 1, 2]);\n"
                                "y = deconv(x, ",
                                filter, ", padding = [(0, 0)]); }"),
                            head),
                   {Tensor::of<float>({1, 1, 2}, {1, 2})});
  };
  const Tensor expected = Tensor::of<float>({1, 2, 2}, {10, 20, 30, 60});
  CHECK((gives("", "[[[10.0], [30.0]]]") == expected));
  CHECK((gives("fragment tract_core_properties() -> (properties: (string, tensor<scalar>)[]) {\n"
               "properties = []; }\n",
               "[[[10.0]], [[30.0]]]") == expected));
}

TEST_CASE("bounds of a slice may be said by the size of the axis") {
  const auto gives = [](std::string_view begin, std::string_view end) {
    return run_symbolic("[N]", vector_of({0, 1, 2, 3, 4}),
                        cat("slice(x, axes = [0], begin = [", begin, "], end = [", end, "])"));
  };
  CHECK((gives("1", "N") == vector_of({1, 2, 3, 4})));
  CHECK((gives("N - 2", "N") == vector_of({3, 4})));
  CHECK((gives("0", "N - 1") == vector_of({0, 1, 2, 3})));
  CHECK((gives("2", "0") == vector_of({2, 3, 4})));
  check_stable(
      "version 1.0;\n\nextension tract_registry tract_core;\nextension tract_symbol N;\n\n"
      "graph network(x) -> (y) {\n"
      "    x = tract_core_external(shape = [N], datum_type = \"f32\");\n"
      "    y = slice(x, axes = [0], begin = [(N - 1)], end = [N]);\n}\n");
}

TEST_CASE("slices of a size that no input tells come back byte for byte") {
  check_stable(
      "version 1.0;\n\nextension strata_registry strata_core;\nextension tract_registry "
      "tract_core;\nextension tract_symbol N;\n\n"
      "graph network(x) -> (y) {\n"
      "    x = tract_core_external(shape = [(N / 2)], datum_type = \"f32\");\n"
      "    a = strata_non_zero(x);\n"
      "    y = slice(a, axes = [1], begin = [-2], end = [0]);\n}\n");
}

TEST_CASE("padding of integers comes back byte for byte") {
  check_stable(
      "version 1.0;\n\nextension tract_registry tract_core;\n\ngraph network(x) -> (y) {\n"
      "    x = tract_core_external(shape = [3], datum_type = \"i64\");\n"
      "    y = pad(x, padding = [(1, 2)], border = \"constant\", value = 0.0);\n}\n");
}

TEST_CASE("sizes and numbers that an op is given may be those of the run") {
  const auto gives = [](std::string_view right) {
    return run_symbolic("[2, N]", Tensor::of<float>({2, 3}, {3, 6, 9, 1, 2, 3}), right);
  };
  CHECK((gives("tract_core_broadcast([[5.0]], shape = [2, N])") ==
         Tensor::of<float>({2, 3}, {5, 5, 5, 5, 5, 5})));
  CHECK((gives("tile([[5.0]], repeats = [1, N + 1])") == Tensor::of<float>({1, 4}, {5, 5, 5, 5})));
  CHECK((gives("slice(x, axes = [0], begin = [N - 2], end = [0])") ==
         Tensor::of<float>({1, 3}, {1, 2, 3})));
  CHECK((gives("div(x, N)") == Tensor::of<float>({2, 3}, {1, 2, 3, 1.0F / 3, 2.0F / 3, 1})));
  CHECK((gives("add(x, N - 1)") == Tensor::of<float>({2, 3}, {5, 8, 11, 3, 4, 5})));
}

TEST_CASE("a loop or an If without its bodies is refused") {
  for (const char* right : {"strata_loop(x)", "strata_if(x)"})
    CHECK_THROWS_WITH_AS(from_text(document(cat("graph network(x) -> (y) {\n"
                                                "x = tract_core_external(shape = [], datum_type = "
                                                "\"bool\");\ny = ",
                                                right, "; }"))),
                         doctest::Contains("body"), Error);
}

TEST_CASE("the start of a file tells whether it may be OPL") {
  const auto looks = [](std::string_view text) {
    return looks_like_opl(std::as_bytes(std::span(text.data(), text.size())));
  };
  CHECK(looks("\x1f\x8b\x08"));
  CHECK(looks("version 1.0;"));
  CHECK(looks("version\t1.0;"));
  CHECK(looks("\n\t version 1.0;"));
  CHECK(looks("version\n1.0;"));
  CHECK(looks("# exported by hand\nversion 1.0;"));
  CHECK(looks(std::string(257, 'x') + "ustar"));
  CHECK_FALSE(looks("\x08\x03\x12\x00"));
  CHECK_FALSE(looks("versions of this text"));
  CHECK_FALSE(looks(" \n"));
  CHECK_FALSE(looks(""));
}

}  // namespace strata::opl
