// Measures products and convolutions by Strata's sessions and by oneDNN, by turns, and prints JSON.
// Weights are packed, and images lie, as each likes best: Strata's kernels between blocked images
// are timed apart from the conversions at the edges of a session.
//
// Usage: OMP_NUM_THREADS=N strata_onednn_bench N
#include <cstdio>
#include <cstdlib>
#include <dnnl.hpp>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "measuring.h"
#include "strata/core/ops/activation.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/unary.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"

namespace {

using namespace strata;
using bench::shortest;
using Dims = dnnl::memory::dims;
using DataType = dnnl::memory::data_type;
using Tag = dnnl::memory::format_tag;

Tensor noise(const Shape& shape) {
  MutableTensor out(DatumType::f32, shape);
  bench::fill_with_noise(out.as<float>());
  return std::move(out).freeze();
}

/// The shortest time of each node but of what only changes the layout.
class KernelTimes final : public RunObserver {
 public:
  void begin(const TypedNode&) override { begin_ = bench::Clock::now(); }
  void end(const TypedNode& node, std::span<const TensorView>,
           std::span<const MutableTensorView>) override {
    const double seconds = bench::seconds_since(begin_);
    const std::string_view op = node.op.name();
    if (op == "BlockChannels" || op == "UnblockChannels") return;
    const auto at = best_.try_emplace(&node, seconds).first;
    at->second = std::min(at->second, seconds);
  }
  void iteration() override {}
  double sum() const {
    double out = 0;
    for (const auto& [node, seconds] : best_) out += seconds;
    return out;
  }

 private:
  bench::Clock::time_point begin_;
  std::unordered_map<const TypedNode*, double> best_;
};

struct StrataTimes {
  double session;
  double kernels;
};

StrataTimes time_strata(TypedModel model, const Value& x, std::size_t threads) {
  optimise(model);
  const auto plan = Plan::build(std::move(model));
  Session session(plan, {.threads = threads});
  const double whole = shortest([&] { (void)session.run({&x, 1}); });
  KernelTimes times;
  Session observed(plan, {.threads = threads, .observer = &times});
  (void)shortest([&] { (void)observed.run({&x, 1}); });
  return {whole, times.sum()};
}

/// A primitive with memory for all it reads and writes.
class Primitive {
 public:
  Primitive(const dnnl::engine& engine, const dnnl::primitive& primitive)
      : engine_(engine), stream_(engine), primitive_(primitive) {}
  void add(int argument, const dnnl::memory::desc& desc) {
    dnnl::memory memory(desc, engine_);
    bench::fill_with_bytes(memory.get_data_handle(), desc.get_size());
    memories_.insert({argument, memory});
  }
  double seconds() {
    return shortest([&] {
      primitive_.execute(stream_, memories_);
      stream_.wait();
    });
  }

 private:
  dnnl::engine engine_;
  dnnl::stream stream_;
  dnnl::primitive primitive_;
  std::unordered_map<int, dnnl::memory> memories_;
};

struct ProductShape {
  const char* name;
  std::int64_t m, k, n;
};

enum class Numbers { f32, bytes };

double time_onednn(const dnnl::engine& engine, const ProductShape& s, Numbers numbers) {
  const bool is_f32 = numbers == Numbers::f32;
  const dnnl::memory::desc x({s.m, s.k}, is_f32 ? DataType::f32 : DataType::u8, Tag::ab),
      w({s.k, s.n}, is_f32 ? DataType::f32 : DataType::s8, Tag::any),
      y({s.m, s.n}, is_f32 ? DataType::f32 : DataType::s32, Tag::ab);
  const dnnl::matmul::primitive_desc desc({x, w, y}, engine);
  Primitive product(engine, dnnl::matmul(desc));
  product.add(DNNL_ARG_SRC, desc.src_desc());
  product.add(DNNL_ARG_WEIGHTS, desc.weights_desc());
  product.add(DNNL_ARG_DST, desc.dst_desc());
  return product.seconds();
}

StrataTimes time_product(const ProductShape& s, Numbers numbers, std::size_t threads) {
  TypedModel model;
  if (numbers == Numbers::f32) {
    const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, Shape{s.m, s.k}));
    const OutletId w = model.constant("w", noise({s.k, s.n}));
    model.add_output("y", model.wire_one("y", MatMul{}, {x, w}));
    return time_strata(std::move(model), noise({s.m, s.k}), threads);
  }
  const OutletId bytes = model.add_source("x", Fact::tensor(DatumType::u8, Shape{s.m, s.k}));
  MutableTensor w(DatumType::i32, Shape{s.k, s.n});
  std::int32_t next = 0;
  for (std::int32_t& each : w.as<std::int32_t>()) each = (next += 89) % 251 - 125;
  const OutletId x = model.wire_one("wide", Cast{DatumType::i32}, {bytes});
  const OutletId weights = model.constant("w", std::move(w).freeze());
  model.add_output("y", model.wire_one("y", MatMul{}, {x, weights}));
  return time_strata(std::move(model), MutableTensor::zeros(DatumType::u8, {s.m, s.k}).freeze(),
                     threads);
}

struct ConvolutionShape {
  const char* name;
  std::int64_t in, out, kernel, size, stride = 1, groups = 1;
  std::int64_t pad() const { return kernel / 2; }
  std::int64_t out_size() const { return (size + 2 * pad() - kernel) / stride + 1; }
  double flops() const {
    return 2.0 * static_cast<double>(in / groups * out * kernel * kernel * out_size() * out_size());
  }
};

/// Nothing where oneDNN has no such kernel.
std::optional<double> time_onednn(const dnnl::engine& engine, const ConvolutionShape& s,
                                  dnnl::algorithm algorithm) try {
  const Dims weights = s.groups == 1
                           ? Dims{s.out, s.in, s.kernel, s.kernel}
                           : Dims{s.groups, s.out / s.groups, s.in / s.groups, s.kernel, s.kernel};
  const auto any = [](const Dims& dims) {
    return dnnl::memory::desc(dims, DataType::f32, Tag::any);
  };
  dnnl::post_ops relu;
  relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);
  const Dims pads{s.pad(), s.pad()};
  const dnnl::convolution_forward::desc call(
      dnnl::prop_kind::forward_inference, algorithm, any({1, s.in, s.size, s.size}), any(weights),
      dnnl::memory::desc({s.out}, DataType::f32, Tag::a),
      any({1, s.out, s.out_size(), s.out_size()}), {s.stride, s.stride}, pads, pads);
  const dnnl::convolution_forward::primitive_desc desc(call, attributes, engine);
  Primitive convolution(engine, dnnl::convolution_forward(desc));
  convolution.add(DNNL_ARG_SRC, desc.src_desc());
  convolution.add(DNNL_ARG_WEIGHTS, desc.weights_desc());
  convolution.add(DNNL_ARG_BIAS, desc.bias_desc());
  convolution.add(DNNL_ARG_DST, desc.dst_desc());
  return convolution.seconds();
} catch (const dnnl::error&) {
  return std::nullopt;
}

StrataTimes time_convolution(const ConvolutionShape& s, std::size_t threads) {
  TypedModel model;
  const Shape image{1, s.in, s.size, s.size};
  const OutletId x = model.add_source("x", Fact::tensor(DatumType::f32, image));
  const OutletId w = model.constant("w", noise({s.out, s.in / s.groups, s.kernel, s.kernel}));
  const OutletId bias = model.constant("bias", noise({s.out}));
  const Conv conv{.strides = {s.stride, s.stride},
                  .padding = {Padding::Kind::fixed, Shape(4, s.pad())},
                  .group = s.groups};
  const OutletId y = model.wire_one("conv", conv, {x, w, bias});
  model.add_output("y", model.wire_one("y", Unary{UnaryOp::relu}, {y}));
  return time_strata(std::move(model), noise(image), threads);
}

constexpr ProductShape kProducts[] = {
    {"mm_1024", 1024, 1024, 1024},   {"mm_256", 256, 256, 256},       {"mm_128", 128, 128, 128},
    {"mm_bert_ff1", 128, 768, 3072}, {"mm_bert_ff2", 128, 3072, 768}, {"mm_rn_c2", 3136, 576, 64},
    {"mm_rn_c5", 49, 4608, 512},     {"mm_gemv1k", 1, 1024, 1024}};
constexpr ProductShape kByteProducts[] = {{"mmi_1024", 1024, 1024, 1024},
                                          {"mmi_bert_ff1", 128, 768, 3072},
                                          {"mmi_gemv1k", 1, 1024, 1024}};
constexpr ConvolutionShape kConvolutions[] = {{"conv_3x3_64_56", 64, 64, 3, 56},
                                              {"conv_3x3_64_224", 64, 64, 3, 224},
                                              {"conv_3x3_512_7", 512, 512, 3, 7},
                                              {"conv_1x1_256_64_56", 256, 64, 1, 56},
                                              {"conv_1x1_64_256_56", 64, 256, 1, 56},
                                              {"conv_7x7_stem", 3, 64, 7, 224, 2},
                                              {"conv_dw3x3_144_56", 144, 144, 3, 56, 1, 144},
                                              {"conv_dw5x5_240_28", 240, 240, 5, 28, 1, 240}};

/// One row of the table, as JSON.
void print(const char* name, const char* kind, double flops, const StrataTimes& ours,
           std::optional<double> onednn, std::optional<double> winograd) {
  static const char* separator = "";
  const auto text = [](std::optional<double> seconds) {
    return seconds ? std::to_string(*seconds * 1e6) : "null";
  };
  std::printf(
      "%s\n{\"name\": \"%s\", \"kind\": \"%s\", \"flops\": %.6g, \"session\": %.3f, "
      "\"kernels\": %.3f, \"onednn\": %s, \"winograd\": %s}",
      separator, name, kind, flops, ours.session * 1e6, ours.kernels * 1e6, text(onednn).c_str(),
      text(winograd).c_str());
  std::fflush(stdout);
  separator = ",";
}

void print_product(const dnnl::engine& engine, const ProductShape& s, Numbers numbers,
                   std::size_t threads) {
  const double flops = 2.0 * static_cast<double>(s.m * s.k * s.n);
  print(s.name, numbers == Numbers::f32 ? "f32" : "int8", flops, time_product(s, numbers, threads),
        time_onednn(engine, s, numbers), std::nullopt);
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc == 2 ? std::atoi(argv[1]) : 0;
  if (threads < 1) {
    std::fputs("usage: OMP_NUM_THREADS=N strata_onednn_bench N\n", stderr);
    return 2;
  }
  const auto count = static_cast<std::size_t>(threads);
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const dnnl_version_t& version = *dnnl_version();
  std::printf("{\"onednn\": \"%d.%d.%d\", \"rows\": [", version.major, version.minor,
              version.patch);
  for (const ProductShape& s : kProducts) print_product(engine, s, Numbers::f32, count);
  for (const ProductShape& s : kByteProducts) print_product(engine, s, Numbers::bytes, count);
  for (const ConvolutionShape& s : kConvolutions)
    print(s.name, "f32", s.flops(), time_convolution(s, count),
          time_onednn(engine, s, dnnl::algorithm::convolution_direct),
          time_onednn(engine, s, dnnl::algorithm::convolution_winograd));
  std::puts("\n]}");
}
