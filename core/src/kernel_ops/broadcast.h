#pragma once

#include <algorithm>

#include "kernel_ops/kernel_op.h"

namespace strata {

/// How N operands are read when they are broadcast to one output: axes innermost first, neighbours
/// joined where all operands step through them evenly. Steps are in elements; those of the
/// innermost axis are 0 or 1. There is always at least one axis.
template <std::size_t N>
struct Broadcast {
  std::size_t operands;
  std::size_t rank = 0;
  std::int64_t size[kMaxKernelRank];
  std::int64_t step[N][kMaxKernelRank];

  /// Of the first `count` inputs, N at most, to the first output. Throws: run_time when they do not
  /// broadcast to it.
  explicit Broadcast(const KernelIo& io, std::size_t count = N) : operands(count) {
    const Shape& out = io.outputs[0].shape;
    if (all_have(io, out)) {
      rank = 1;
      size[0] = volume(out);
      for (auto& steps : step) steps[0] = 1;
    } else {
      join_axes(io, out);
    }
  }

  bool is_empty() const { return size[0] == 0; }

  /// Calls `row(offsets)` for each index of the axes from `inner` on, in the output's order.
  template <class Row>
  void for_each_row(std::size_t inner, const Row& row) const {
    std::array<std::int64_t, N> offset{};
    std::int64_t index[kMaxKernelRank] = {};
    for (;;) {
      row(offset);
      std::size_t axis = inner;
      for (; axis < rank; ++axis) {
        for (std::size_t k = 0; k < operands; ++k) offset[k] += step[k][axis];
        if (++index[axis] < size[axis]) break;
        for (std::size_t k = 0; k < operands; ++k) offset[k] -= step[k][axis] * size[axis];
        index[axis] = 0;
      }
      if (axis >= rank) return;
    }
  }

 private:
  bool all_have(const KernelIo& io, const Shape& shape) const {
    const std::size_t length = shape.size();
    const std::int64_t* sizes = shape.data();
    for (std::size_t k = 0; k < operands; ++k) {
      const Shape& own = io.inputs[k].shape;
      if (own.size() != length) return false;
      for (std::size_t i = 0; i < length; ++i)
        if (own.data()[i] != sizes[i]) return false;
    }
    return true;
  }

  void join_axes(const KernelIo& io, const Shape& out) {
    std::int64_t stride[N];
    std::fill(stride, stride + N, 1);
    bool empty = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::int64_t length = out[out.size() - 1 - i];
      std::int64_t next[N];
      for (std::size_t k = 0; k < operands; ++k) {
        const Shape& in = io.inputs[k].shape;
        const std::int64_t own = i < in.size() ? in[in.size() - 1 - i] : 1;
        if (own != 1 && own != length) refuse(io, out);
        next[k] = own == 1 ? 0 : stride[k];
        stride[k] *= own;
      }
      empty |= length == 0;
      push_outer(length, next);
    }
    if (rank == 0 || empty) {
      rank = 1;
      size[0] = empty ? 0 : 1;
      for (auto& steps : step) steps[0] = 1;
    }
  }

  void push_outer(std::int64_t length, const std::int64_t (&next)[N]) {
    if (length == 1) return;
    bool joins = rank > 0;
    for (std::size_t k = 0; joins && k < operands; ++k)
      joins = next[k] == step[k][rank - 1] * size[rank - 1];
    if (joins) {
      size[rank - 1] *= length;
      return;
    }
    size[rank] = length;
    for (std::size_t k = 0; k < operands; ++k) step[k][rank] = next[k];
    ++rank;
  }

  [[noreturn]] void refuse(const KernelIo& io, const Shape& out) const {
    std::string shapes;
    for (std::size_t k = 0; k < operands; ++k)
      shapes += cat(k == 0 ? "" : ", ", Span(io.inputs[k].shape));
    fail(ErrorKind::run_time, cat("shapes ", shapes, " do not broadcast to ", Span(out)));
  }
};

}  // namespace strata
