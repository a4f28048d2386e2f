#pragma once

#include <vector>

#include "kernel_ops/kernel_op.h"

namespace strata {

/// One scalar function of a fused program. An operand below `inputs` is an input of the program,
/// one above is the result of an earlier step.
struct FusedStep {
  std::optional<kernels::Binary> binary;  ///< absent: `unary` of the first operand alone
  kernels::UnaryFunction unary;
  std::size_t a = 0;
  std::size_t b = 0;
  std::size_t slot = 0;  ///< the buffer of the result; set by FusedProgram
  /// Whether it is a product that only the next step reads, in a sum; set by FusedProgram.
  bool is_added = false;
};

/// Scalar functions applied one after the other; the last one's result is the program's.
///
/// As text, a line for each step: `tanh x0`, `clip s0 0 6`, `mul x1 s1`; xi is input i, si the
/// result of step i.
class FusedProgram {
 public:
  static constexpr std::size_t kMostInputs = 8;
  static constexpr std::size_t kMostSteps = 24;
  static constexpr std::size_t kMostSlots = 6;

  FusedProgram() = default;
  /// Throws: invalid_model when an operand is not an earlier result, or the steps need too many
  /// buffers.
  FusedProgram(std::size_t inputs, std::vector<FusedStep> steps);
  /// The same; nothing where the steps need too many buffers.
  static std::optional<FusedProgram> if_it_fits(std::size_t inputs, std::vector<FusedStep> steps);

  std::size_t inputs() const { return inputs_; }
  const std::vector<FusedStep>& steps() const { return steps_; }
  /// The number of buffers in which results of steps are kept until they are read.
  std::size_t slots() const { return slots_; }

 private:
  void set(std::size_t inputs, std::vector<FusedStep> steps);
  void assign_slots();
  void find_added_products();

  std::size_t inputs_ = 0;
  std::size_t slots_ = 0;
  std::vector<FusedStep> steps_;
};

AttrValue to_attr(const FusedProgram& program);
void from_attr(const AttrValue& value, FusedProgram& program);

}  // namespace strata
