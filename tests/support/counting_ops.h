#pragma once

#include "strata/core/typed_op.h"

namespace strata::tests {

/// x + 1 on f32 as a kernel: writes where it is told, also over its input.
struct IncrementKernel {
  static constexpr std::string_view name = "IncrementKernel";
  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const { return {Fact::tensor(DatumType::f32, in[0].shape)}; }
  std::optional<std::size_t> in_place_input() const { return 0; }
  void run(const KernelIo& io) const noexcept {
    std::int64_t count = 1;
    for (const std::int64_t size : io.inputs[0].shape) count *= size;
    for (std::int64_t i = 0; i < count; ++i)
      io.outputs[0].as<float>()[i] = io.inputs[0].as<float>()[i] + 1;
  }
};
static_assert(OpDef<IncrementKernel>);

/// x + 1 by eval.
struct Increment {
  static constexpr std::string_view name = "Increment";
  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const { return {Fact::tensor(DatumType::f32, in[0].shape)}; }
  TensorList eval(Tensors in) const {
    MutableTensor out = MutableTensor::copy_of(in[0]);
    for (float& x : out.as<float>()) x += 1;
    return {std::move(out).freeze()};
  }
};
static_assert(OpDef<Increment>);

/// The input itself: an output that shares its memory.
struct Alias {
  static constexpr std::string_view name = "Alias";
  static constexpr auto attributes() { return std::tuple{}; }
  FactList output_facts(Facts in) const { return {in[0].without_value()}; }
  TensorList eval(Tensors in) const { return {in[0]}; }
};
static_assert(OpDef<Alias>);

}  // namespace strata::tests
