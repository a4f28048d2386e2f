#pragma once

#include <span>
#include <utility>
#include <vector>

#include "frame_layout.h"

namespace strata {

/// The arguments of a frame's steps: each has the address that was last set for the storage of its
/// value's root.
class FrameArguments {
 public:
  explicit FrameArguments(const FrameValues& values);

  /// Takes over the arguments of these steps. Their inputs and results lie where they were set
  /// last, and the others where `place` is still to say.
  void connect(std::span<FrameStep> steps, const FrameLayout& layout);
  /// Gives arguments the sizes of values that have moved.
  void resize(const FrameSizes& sizes);

  void set_input(std::size_t input, const std::byte* data) { inputs_[input].set(data); }
  void set_result(std::size_t result, const std::byte* data) { results_[result].set(data); }
  /// Sets what lies in the memory of the frame.
  void place(std::byte* memory, const FrameLayout& layout);
  /// Sets constants that no run has read. What one of them throws is thrown again by the next run,
  /// unless it can be computed then.
  void read_constants() {
    if (!unread_.empty()) read_now();
  }

  const std::byte* input(std::size_t input) const { return inputs_[input].data; }
  const std::byte* result(std::size_t result) const { return results_[result].data; }

 private:
  using Address = const std::byte**;
  /// What lies at one address, and the arguments that follow it.
  struct Storage {
    const std::byte* data = nullptr;
    std::vector<Address> arguments;
    void set(const std::byte* to);
  };

  void connect(Address argument, std::uint32_t value, const FrameLayout& layout);
  void read_now();

  const FrameValues& values_;
  std::vector<Storage> inputs_, results_;
  std::vector<std::pair<Address, std::size_t>> placed_;  ///< with their blocks of the memory
  /// With their constants: those of a branch that is not taken are not computed.
  std::vector<std::pair<Address, const Tensor*>> unread_;
  std::vector<std::pair<Shape*, std::uint32_t>>
      moving_;  ///< shapes of arguments, with their values
};

}  // namespace strata
