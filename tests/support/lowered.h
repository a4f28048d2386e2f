#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "strata/core/typed_op.h"

namespace strata::tests {

/// An input of an op that is lowered: a constant of the model, or a value the run gives.
struct KernelOperand {
  Tensor value;
  bool constant = false;
};

/// How the result of a kernel may differ from that of `eval`.
struct KernelTolerance {
  double relative = 0;
  double absolute = 0;
};

inline constexpr std::string_view kAnyKernel;

/// Checks that `op` on these operands is lowered to `kernel`, and that the kernel gives what `eval`
/// does, or throws where it throws: with fixed shapes, with symbolic ones, and without a session.
void check_lowered(const TypedOp& op, const std::vector<KernelOperand>& operands,
                   std::string_view kernel, KernelTolerance tolerance = {});

/// The same with fixed shapes alone, for ops that are not lowered otherwise.
void check_lowered_when_fixed(const TypedOp& op, const std::vector<KernelOperand>& operands,
                              std::string_view kernel, KernelTolerance tolerance = {});

/// Repeatable random numbers for tests.
class Noise {
 public:
  explicit Noise(std::uint32_t seed) : random_(seed) {}
  /// A number in [least, greatest].
  std::int64_t number(std::int64_t least, std::int64_t greatest) {
    return std::uniform_int_distribution<std::int64_t>(least, greatest)(random_);
  }
  /// A shape of this rank with dims in [least, greatest].
  Shape shape(std::size_t rank, std::int64_t least, std::int64_t greatest);
  /// Small integers in any type of numbers; half integers and a few wide ones in floats.
  Tensor tensor(DatumType type, const Shape& shape);
  Tensor integers(DatumType type, const std::vector<std::int64_t>& values);

 private:
  std::mt19937 random_;
};

}  // namespace strata::tests
