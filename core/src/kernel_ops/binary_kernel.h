#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

constexpr std::array<std::pair<kernels::Binary, std::string_view>, 9> enumerators_of_binary{
    {{kernels::Binary::add, "add"},
     {kernels::Binary::sub, "sub"},
     {kernels::Binary::mul, "mul"},
     {kernels::Binary::div, "div"},
     {kernels::Binary::min, "min"},
     {kernels::Binary::max, "max"},
     {kernels::Binary::pow, "pow"},
     {kernels::Binary::fmod, "fmod"},
     {kernels::Binary::prelu, "prelu"}}};
namespace kernels {
constexpr auto enumerators(Binary) { return enumerators_of_binary; }
}  // namespace kernels

enum class BinaryOp : std::uint8_t;
/// The kernels' function for f32, where there is one.
std::optional<kernels::Binary> kernel_binary(BinaryOp op);

/// A scalar function of each pair of f32 elements, with numpy's broadcasting; may write over its
/// first input.
struct BinaryKernel {
  static constexpr std::string_view name = "BinaryKernel";
  kernels::Binary op = kernels::Binary::add;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() {
    return std::tuple{attr("op", &BinaryKernel::op), attr("isa", &BinaryKernel::isa)};
  }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
  std::string explain(Facts in, Facts out) const;
};
static_assert(OpDef<BinaryKernel>);

}  // namespace strata
