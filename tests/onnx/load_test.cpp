#include "strata/onnx/load.h"

#include "model_text.h"
#include "strata/onnx/load_plan.h"
#include "support/scratch_folder.h"

namespace strata::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConcat = "g (float[N,3] x) => (float[N,6] y) { y = Concat<axis = 1>(x, x) }";

Error error_of_bytes(std::string_view bytes) {
  return error_of([&] { onnx::load(std::as_bytes(std::span(bytes)), {}); });
}

bool is_refused_as(std::string_view bytes, std::string_view content) {
  const Error error = error_of_bytes(bytes);
  CHECK(error.kind() == ErrorKind::file);
  return error.message() == cat("not an ONNX model: the file holds ", content);
}

/// The shape that the graph's first input is declared to have.
::onnx::TensorShapeProto& shape_of_input(::onnx::ModelProto& model) {
  return *model.mutable_graph()
              ->mutable_input(0)
              ->mutable_type()
              ->mutable_tensor_type()
              ->mutable_shape();
}

}  // namespace

TEST_CASE("a model has the inputs, outputs and declared types of its graph") {
  const hir::InferenceModel model = load_graph(kConcat);
  REQUIRE(model.inputs().size() == 1);
  CHECK(model.input_name(0) == "x");
  CHECK(model.fact(model.inputs()[0]).to_string() == "f32[N,3]");
  REQUIRE(model.outputs().size() == 1);
  CHECK(model.outputs()[0].name == "y");
  CHECK(model.fact(model.outputs()[0].outlet).to_string() == "f32[N,6]");
}

TEST_CASE("a file is compiled in one step, and its errors name it") {
  const std::string bytes = model_of_graph(kConcat).SerializeAsString();
  const tests::ScratchFolder folder;
  const Value x = Tensor::of<float>({1, 3}, {1, 2, 3});
  CHECK(Session(onnx::load_plan(folder.write("model.onnx", bytes))).run({&x, 1})[0] ==
        Value(Tensor::of<float>({1, 6}, {1, 2, 3, 1, 2, 3})));
  CHECK(Session(onnx::load_plan(std::as_bytes(std::span(bytes)))).run({&x, 1})[0] ==
        Value(Tensor::of<float>({1, 6}, {1, 2, 3, 1, 2, 3})));
  const fs::path wrong = folder.write(
      "wrong.onnx",
      model_of_graph("g (float[N,3] x) => (float[N,7] y) { y = Concat<axis = 1>(x, x) }")
          .SerializeAsString());
  const Error error = error_of([&] { (void)onnx::load_plan(wrong); });
  CHECK(error.kind() == ErrorKind::invalid_model);
  CHECK(error.frames().back() == cat("while compiling ", wrong.string()));
}

TEST_CASE("an input of which the file has a value is a constant, or an input behind the others") {
  hir::InferenceModel model = load_graph(
      "g (float[2] w, float[N,2] x) => (float[N,2] y) <float[2] w = {2, 3}> { y = Mul(x, w) }");
  CHECK(model.inputs().size() == 1);
  REQUIRE(model.defaults().size() == 1);
  CHECK(model.defaults()[0].name == "w");
  CHECK_THROWS_WITH_AS(model.make_input("x"),
                       doctest::Contains("the file has no value for an input \"x\""), Error);
  hir::InferenceModel freed = model;
  freed.make_input("w");
  CHECK(freed.defaults().empty());
  const Value x = Tensor::of<float>({1, 2}, {1, 1}), w = Tensor::of<float>({2}, {5, 7});
  const auto run = [](hir::InferenceModel& loaded, const ValueList& inputs) {
    loaded.analyse();
    return run_model(loaded.to_typed(), inputs)[0];
  };
  CHECK(run(model, {x}) == Value(Tensor::of<float>({1, 2}, {2, 3})));
  CHECK(run(freed, {x, w}) == Value(Tensor::of<float>({1, 2}, {5, 7})));
}

TEST_CASE("a node knows where it comes from") {
  const hir::InferenceModel model = load_graph(kConcat);
  CHECK(model.origin(model.outputs()[0].outlet.node) == "ONNX Concat, opset 13");
}

TEST_CASE("an output's dim_param that no input has says nothing") {
  const hir::InferenceModel model =
      load_graph("g (float[N,3] x) => (float[M,6] y) { y = Concat<axis = 1>(x, x) }");
  CHECK(model.fact(model.outputs()[0].outlet).to_string() == "f32[?,6]");
}

TEST_CASE("dim_params become symbols that no other name has") {
  auto model = model_of_graph("g (float[a,b,c,d] x) => (float y) { y = Concat<axis = 1>(x, x) }");
  auto& dims = shape_of_input(model);
  dims.mutable_dim(0)->set_dim_param("p2o.DynamicDimension.0");
  dims.mutable_dim(1)->set_dim_param("2*n");
  dims.mutable_dim(2)->set_dim_param("2+n");
  dims.mutable_dim(3)->set_dim_param("u0");
  const hir::InferenceModel loaded = load_proto(model);
  CHECK(loaded.fact(loaded.inputs()[0]).to_string() ==
        "f32[p2o.DynamicDimension.0,dim_2_n,dim_2_n_1,dim_u0]");
}

TEST_CASE("a dim_param that can name a symbol keeps its name, wherever it comes") {
  auto model = model_of(
      "<ir_version: 8, opset_import: [\"\" : 13]>"
      "g (float[a,a_b] x, int64 n, bool c) => (float y) { y = Loop (n, c, x) <"
      "  body = b (int64 i, bool go, float[a_b_1,2] v) => (bool d, float z) {"
      "    d = Identity(go) z = Identity(v) }> }");
  shape_of_input(model).mutable_dim(0)->set_dim_param("a b");
  const hir::InferenceModel loaded = load_proto(model);
  CHECK(loaded.fact(loaded.inputs()[0]).to_string() == "f32[a_b_2,a_b]");
}

TEST_CASE("files that hold something else are named for what they hold") {
  CHECK(is_refused_as("", "nothing"));
  CHECK(is_refused_as("hello\n", "text"));
  CHECK(is_refused_as("version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
                      "a Git LFS pointer (`git lfs pull` fetches the file itself)"));
  CHECK(is_refused_as(std::string_view("PK\x03\x04\0\0", 6), "a zip archive"));
  CHECK(is_refused_as(std::string_view("\x1f\x8b\x08\0", 4), "gzip-compressed data"));
  CHECK(is_refused_as(std::string_view("\0\0\0\0", 4), "zeros"));
  CHECK(is_refused_as("\xff\x01\xfd", "other data"));
}

TEST_CASE("a model cut off anywhere is refused, and never crashes") {
  const std::string whole = model_of_graph(kConcat).SerializeAsString();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string part = whole.substr(0, size);
    // A prefix may be a model of its own where only fields after the graph are missing.
    try {
      onnx::load(std::as_bytes(std::span(part)), {});
    } catch (const Error& error) {
      CHECK((error.kind() == ErrorKind::file || error.kind() == ErrorKind::invalid_model));
    }
  }
}

TEST_CASE("a file that is missing, or a folder, is an error of the file") {
  const Error missing = error_of([] { onnx::load(fs::path("no/such/model.onnx")); });
  CHECK(missing.kind() == ErrorKind::file);
  CHECK(missing.message() == "cannot read \"no/such/model.onnx\": No such file or directory");
  CHECK(missing.frames() == std::vector<std::string>{"while loading no/such/model.onnx"});
  CHECK(error_of([] { onnx::load(fs::path("/")); }).message() == "\"/\" is a folder");
}

TEST_CASE("a file loads as its bytes do") {
  const tests::ScratchFolder folder;
  const fs::path file = folder.write("model.onnx", model_of_graph(kConcat).SerializeAsString());
  CHECK(onnx::load(file).live_nodes() == 2);
}

TEST_CASE("a model without a graph is refused") {
  ::onnx::ModelProto model;
  model.set_ir_version(8);
  CHECK(error_of_model(model).message() == "the model has no graph");
}

TEST_CASE("a model whose opset is missing, too new, zero or imported twice is refused") {
  auto model = model_of_graph(kConcat);
  model.mutable_opset_import(0)->set_version(29);
  Error error = error_of_model(model);
  CHECK(error.kind() == ErrorKind::unsupported);
  CHECK(error.message() == "opset 29 of ai.onnx is too new: up to 28 is supported");
  model.mutable_opset_import(0)->set_version(0);
  CHECK(error_of_model(model).message() == "opset 0 of ai.onnx is imported; versions begin at 1");
  model.mutable_opset_import(0)->set_version(13);
  auto& second = *model.add_opset_import();
  second.set_domain("ai.onnx");
  second.set_version(14);
  CHECK(error_of_model(model).message() ==
        "domain ai.onnx is imported as opset 13 and as opset 14");
  model.clear_opset_import();
  CHECK(error_of_model(model).message() == "the model imports no opset");
}

TEST_CASE("more nodes than the limit allows") {
  Limits limits;
  limits.nodes = 1;
  const Error error = error_of_model(
      model_of_graph(
          "g (float x) => (float z) { y = Concat<axis = 0>(x, x) z = Concat<axis = 0>(y, y) }"),
      limits);
  CHECK(error.kind() == ErrorKind::limit);
  CHECK(error.message() == "the model has more than 1 node (Limits::nodes)");
}

TEST_CASE("a file that takes more memory to read than the limit allows") {
  auto model = model_of_graph("g (float x) => (float y) { y = Neg(x) }");
  for (int i = 0; i < 5000; ++i) model.mutable_graph()->add_sparse_initializer();
  Limits limits;
  limits.total_bytes = 100'000;
  REQUIRE(model.ByteSizeLong() < 100'000);
  const Error error = error_of_model(model, limits);
  CHECK(error.kind() == ErrorKind::limit);
  CHECK(error.message() ==
        "reading the file takes more than the 100000 bytes allowed (Limits::total_bytes)");
}

TEST_CASE("sizes of -1 and without a name are not known") {
  auto model = model_of_graph("g (float[a,b,c,d] x) => (float y) { y = Concat<axis = 1>(x, x) }");
  auto& dims = shape_of_input(model);
  dims.mutable_dim(0)->set_dim_value(-1);
  dims.mutable_dim(1)->set_dim_param("?");
  dims.mutable_dim(2)->set_dim_param("?");
  const hir::InferenceModel loaded = load_proto(model);
  CHECK(loaded.fact(loaded.inputs()[0]).to_string() == "f32[?,?,?,d]");
}

TEST_CASE("sizes that are negative or overflow are refused") {
  auto model = model_of_graph(kConcat);
  auto& shape = shape_of_input(model);
  shape.mutable_dim(1)->set_dim_value(-3);
  const Error negative = error_of_model(model);
  CHECK(negative.message() == "size -3 is negative");
  CHECK(negative.frames() == std::vector<std::string>{"input \"x\""});
  shape.mutable_dim(0)->set_dim_value(INT64_MAX);
  shape.mutable_dim(1)->set_dim_value(3);
  CHECK(error_of_model(model).kind() == ErrorKind::invalid_model);
}

TEST_CASE("an output whose declared type contradicts its constant") {
  auto model = model_of_graph("g () => (float[3] w) { }");
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(::onnx::TensorProto::FLOAT);
  tensor.add_dims(2);
  tensor.add_float_data(1);
  tensor.add_float_data(2);
  const Error error = error_of_model(model);
  CHECK(error.kind() == ErrorKind::invalid_model);
  CHECK(error.frames() == std::vector<std::string>{"output \"w\""});
}

}  // namespace strata::testing
