#pragma once

#include <span>
#include <utility>
#include <vector>

#include "frame_layout.h"

namespace strata {

/// Keeps the arguments of a frame's steps pointing at their values: each follows the address that
/// was last set for the storage of its value.
class FrameArguments {
 public:
  explicit FrameArguments(const FrameValues& values);

  /// From now on, sets the arguments of these steps. Those that are inputs and results of the frame
  /// get the addresses set last, the others when `place` is called.
  void connect(std::span<FrameStep> steps, const FrameLayout& layout);
  /// Updates the shapes of arguments to changed sizes.
  void resize(const FrameSizes& sizes);

  void set_input(std::size_t input, const std::byte* data) { inputs_[input].set(data); }
  void set_result(std::size_t result, const std::byte* data) { results_[result].set(data); }
  /// Sets the addresses of all that lies in the memory of the frame.
  void place(std::byte* memory, const FrameLayout& layout);
  /// Sets the addresses of constants that no run has read yet, which computes the deferred ones. If
  /// one throws, the next run tries again.
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
  /// With their constants. Not read before a run, so that those of a branch that is never taken are
  /// never computed.
  std::vector<std::pair<Address, const Tensor*>> unread_;
  /// Shapes of arguments that depend on the inputs, with their values.
  std::vector<std::pair<Shape*, std::uint32_t>> dynamic_;
};

}  // namespace strata
