#include "model_text.h"
#include "strata/core/ops/matmul.h"

namespace strata::testing {
namespace {

::onnx::ModelProto model_of_node(const std::string& inputs, const std::string& outputs,
                                 const std::string& node) {
  return model_of(cat("<ir_version: 9, opset_import: [\"\" : 17, \"com.microsoft\" : 1]> g (",
                      inputs, ") => (", outputs, ") { ", node, " }"));
}

}  // namespace

TEST_CASE("a model may import the domain of ONNX Runtime and not use it") {
  const auto model = load_proto(model_of_node("float[2] x", "float[2] y", "y = Tanh(x)"));
  CHECK(model.inputs().size() == 1);
}

TEST_CASE("an op of ONNX Runtime knows its domain") {
  const auto model =
      load_proto(model_of_node("float[2] x", "float[2] y", "y = com.microsoft.Gelu(x)"));
  CHECK(model.origin(model.outputs()[0].outlet.node) == "ONNX com.microsoft.Gelu, opset 1");
}

TEST_CASE("what is not read of ONNX Runtime's ops is refused by name") {
  struct Case {
    std::string node, message;
  };
  const std::string grouped = "com.microsoft.GroupQueryAttention<num_heads = 2, kv_num_heads = 1";
  const std::string rest = ">(x, x, x, , , n, n";
  for (const Case& each : {
           Case{"y = com.microsoft.Sampling(x)",
                "op \"Sampling\" of domain \"com.microsoft\" is not supported"},
           Case{"y = com.microsoft.BiasGelus(x)",
                "op \"BiasGelus\" of domain \"com.microsoft\" is not supported; did you mean "
                "\"BiasGelu\"?"},
           Case{"y = com.microsoft.MatMulNBits<K = 32, N = 2, block_size = 32>(x, n, x, , n)",
                "input 4 (g_idx) of MatMulNBits is not supported"},
           Case{"y = com.microsoft.MatMulNBits<K = 32, N = 2, block_size = 32, bits = 3>(x, n, x)",
                "weights of 3 bits are not supported, those of 2, 4 and 8 are"},
           Case{"y = com.microsoft.GatherBlockQuantized<gather_axis = 1, quantize_axis = 0>(x, n, "
                "x)",
                "GatherBlockQuantized along axis 1 of blocks along axis 0 is not supported, that "
                "along "
                "axis 0 of blocks along axis 1 is"},
           Case{"y = com.microsoft.FusedGemm<activation = \"Celu\">(x, x)",
                "activation \"Celu\" of a fused op is not supported"},
           Case{"y = com.microsoft.Attention<num_heads = 2, do_rotary = 1>(x, x)",
                "Attention with do_rotary is not supported"},
           Case{"y = com.microsoft.MultiHeadAttention<num_heads = 2>(x, x, x, , , , , , n)",
                "input 8 (past_sequence_length) of MultiHeadAttention is not supported"},
           Case{cat("y = ", grouped, ", smooth_softmax = 1", rest, ")"),
                "GroupQueryAttention with smooth_softmax is not supported"},
           Case{cat("y = ", grouped, ", k_quant_type = \"PER_TENSOR\"", rest, ")"),
                "GroupQueryAttention with a quantised cache is not supported"},
           Case{cat("y = ", grouped, rest, ", , , , , x)"),
                "input 11 (of sinks, of scales or of norms) of GroupQueryAttention is not "
                "supported"},
           Case{"y = com.microsoft.RotaryEmbedding<scale = 2.0>(x, n, x, x)",
                "RotaryEmbedding with scale 2.0 is not supported"},
           Case{"y = com.microsoft.QLinearGlobalAveragePool<channels_last = 1>(x, x, x, x, x)",
                "QLinearGlobalAveragePool with channels_last is not supported"},
           Case{"y, m = com.microsoft.SkipSimplifiedLayerNormalization(x, x, x)",
                "output 1 (mean) of SkipSimplifiedLayerNormalization is not supported"},
       }) {
    CAPTURE(each.node);
    const Error error = error_of_model(model_of_node("float x, int32 n", "float y", each.node));
    CHECK(error.kind() == ErrorKind::unsupported);
    CHECK(error.message() == each.message);
  }
}

TEST_CASE("nodes of ONNX Runtime's ops that mean nothing are refused") {
  struct Case {
    std::string node, message;
  };
  for (const Case& each : {
           Case{"y = com.microsoft.SkipLayerNormalization(x, , x)",
                "input 1 of SkipLayerNormalization is left out"},
           Case{"y = com.microsoft.QLinearAdd(x, x, , x, , , x)",
                "input 4 of QLinearAdd is left out"},
           Case{"y = com.microsoft.MultiHeadAttention<num_heads = 0>(x, x, x)",
                "num_heads is 0, it must be positive"},
           Case{"y = com.microsoft.GroupQueryAttention<num_heads = 3, kv_num_heads = 2>(x, x, x, , "
                ", n, n)",
                "num_heads is 3, no multiple of kv_num_heads, 2"},
           Case{"y = com.microsoft.GroupQueryAttention<num_heads = 2, kv_num_heads = 2, "
                "local_window_size = 0>(x, x, x, , , n, n)",
                "local_window_size is 0, neither -1 nor positive"},
           Case{"y = com.microsoft.Attention<num_heads = 2, qkv_hidden_sizes = [4, 4]>(x, x)",
                "qkv_hidden_sizes has 2 sizes, it must have 3"},
           Case{"y = com.microsoft.MatMulNBits<K = 32, N = 2, block_size = 4>(x, n, x)",
                "block_size is 4, it must be 8 to 2147483647"},
           Case{"y = com.microsoft.FusedConv<activation = \"Clip\">(x, x)",
                "the activation Clip takes 2 bounds, 0 given"},
           Case{"y = com.microsoft.RotaryEmbedding<rotary_embedding_dim = 3>(x, n, x, x)",
                "rotary_embedding_dim is 3, it must be even and not negative"},
           Case{
               "y = com.microsoft.QLinearConcat<axis = 0>(x, x, x, x, x, x)",
               "QLinearConcat takes a scale, a zero point and three inputs for each part, 6 inputs "
               "given"},
       }) {
    CAPTURE(each.node);
    const Error error = error_of_model(model_of_node("float x, int32 n", "float y", each.node));
    CHECK(error.kind() == ErrorKind::invalid_model);
    CHECK(error.message() == each.message);
  }
}

TEST_CASE("rows of MatMulNBits may be rounded where its accuracy_level says bytes") {
  for (const int level : {0, 1, 2, 3, 4}) {
    CAPTURE(level);
    hir::InferenceModel model = load_proto(model_of_node(
        "float[1,32] x, uint8[2,1,16] w, float[2] s", "float[1,2] y",
        cat("y = com.microsoft.MatMulNBits<K = 32, N = 2, block_size = 32, accuracy_level = ",
            level, ">(x, w, s)")));
    model.analyse();
    int products = 0;
    const TypedModel typed = model.to_typed();
    for (const TypedNode& node : typed.nodes())
      if (const MatMul* product = node.op.as<MatMul>()) {
        CHECK(product->may_round_a == (level == 4));
        ++products;
      }
    CHECK(products == 1);
  }
}

}  // namespace strata::testing
