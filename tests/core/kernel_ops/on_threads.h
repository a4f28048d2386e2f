#pragma once

#include <doctest/doctest.h>

#include <random>

#include "kernel_ops/shared_work.h"
#include "strata/core/transform.h"
#include "strata/core/typed_model.h"
#include "support/lowered.h"

/// Kernels run on several threads: what they write is the same, bit by bit.
namespace strata::tests {

/// Numbers whose sums depend on the order they are added in.
class Reals {
 public:
  Tensor operator()(const Shape& shape) {
    MutableTensor out(DatumType::f32, shape);
    for (float& x : out.as<float>()) x = uniform_(random_);
    return std::move(out).freeze();
  }

 private:
  std::mt19937 random_{7};
  std::uniform_real_distribution<float> uniform_{-1, 1};
};

/// The bytes that a kernel writes, run on these threads.
inline std::vector<std::vector<std::byte>> run_on(Workers* workers, const TypedOp& op,
                                                  const std::vector<Tensor>& inputs) {
  SymbolScope scope;  // as where frames are laid out
  const FreshSymbols fresh(scope);
  std::vector<Fact> facts;
  std::vector<TensorView> views;
  for (const Tensor& in : inputs) {
    const bool is_operand = in.dtype() == DatumType::i64;  // shapes may depend on it
    facts.push_back(is_operand ? Fact::of(in) : Fact::tensor(in.dtype(), in.shape()));
    views.push_back({in.data(), in.dtype(), in.shape()});
  }
  const GatheredFacts gathered(facts);
  MutableTensor scratch(DatumType::u8, {static_cast<std::int64_t>(op.scratch_bytes(gathered))});
  std::vector<std::vector<std::byte>> written;
  std::vector<MutableTensorView> outputs;
  for (const Fact& fact : op.output_facts(gathered)) {
    const Shape shape = *fact.shape.concrete();
    written.emplace_back(static_cast<std::size_t>(volume(shape)) * bit_width(fact.dtype) / 8,
                         std::byte{0xFF});
    outputs.push_back({nullptr, fact.dtype, shape});
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].data = written[i].data();
  op.run({views, outputs, scratch.data(), workers});
  return written;
}

inline void check_threads(const TypedOp& op, const std::vector<Tensor>& inputs) {
  const auto alone = run_on(nullptr, op, inputs);
  for (const std::size_t threads : {1, 2, 3}) {
    Workers workers(threads);
    CAPTURE(op.name());
    CAPTURE(threads);
    for (int turn = 0; turn < 2; ++turn) CHECK(run_on(&workers, op, inputs) == alone);
  }
}

/// The same of the one kernel that the model is lowered to, with `given` for its sources.
inline void check_kernel_threads(TypedModel model, const std::vector<Tensor>& given, Isa isa) {
  optimise(model, Target{isa});
  const TypedNode& node = model.node(model.outputs()[0].outlet.node);
  REQUIRE(node.op.has_kernel());
  std::vector<Tensor> inputs;
  auto next = given.begin();
  for (const OutletId input : node.inputs) {
    const Tensor* constant = model.fact(input).constant();
    inputs.push_back(constant ? *constant : *next++);
  }
  REQUIRE(next == given.end());
  check_threads(node.op, inputs);
}

/// The same of the kernel that `op` is lowered to, on each instruction set.
inline void check_lowered_threads(const TypedOp& op, const std::vector<KernelOperand>& operands) {
  TypedModel model;
  OutletIds wires;
  std::vector<Tensor> given;
  for (const KernelOperand& operand : operands) {
    const std::string name = cat("x", wires.size());
    if (operand.constant) {
      wires.push_back(model.constant(name, operand.value));
    } else {
      const Fact fact = Fact::tensor(operand.value.dtype(), operand.value.shape());
      wires.push_back(model.add_source(name, fact));
      given.push_back(operand.value);
    }
  }
  model.add_output("y", model.wire("y", op, wires)[0]);
  for (const Isa isa : supported_isas()) check_kernel_threads(model, given, isa);
}

}  // namespace strata::tests
