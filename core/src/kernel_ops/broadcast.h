#pragma once

#include <algorithm>

#include "kernel_ops/kernel_op.h"
#include "kernel_ops/shared_work.h"

namespace strata {

/// How N operands are read when they are broadcast to one output: axes innermost first, neighbours
/// joined where all operands step through them evenly. Steps are in elements; those of the
/// innermost axis are 0 or 1. There is always at least one axis; where it is the only one, the
/// second one is of size 1.
template <std::size_t N>
struct Broadcast {
  std::size_t operands;
  std::size_t rank = 0;
  std::int64_t size[kMaxKernelRank];
  std::int64_t step[N][kMaxKernelRank];

  /// For the first `count` inputs, at most N, and the first output. Throws: run_time when they do
  /// not broadcast to it.
  explicit Broadcast(const KernelIo& io, std::size_t count = N) : operands(count) {
    const Shape& out = io.outputs[0].shape;
    if (all_have(io, out))
      set_plain(volume(out));
    else
      join_axes(io, out);
  }

  bool is_empty() const { return size[0] == 0; }

  /// Shares the outermost axis among threads, cut at multiples of `part_step`, and calls
  /// `run(offsets, rows, columns, y)` for each index of the axes from the third on, in the output's
  /// order: the indices of the second axis and of the first that are to be computed, and the
  /// output's offset.
  template <class Run>
  void share(const KernelIo& io, const WorkSize& work, std::int64_t part_step,
             const Run& run) const {
    share_range(io, work, size[rank - 1], part_step, [&](kernels::Range part) {
      const kernels::Range columns{0, size[0]}, rows{0, size[1]};
      if (rank == 1) return run(std::array<std::int64_t, N>{}, rows, part, 0);
      if (rank == 2) return run(std::array<std::int64_t, N>{}, part, columns, 0);
      std::int64_t y = part.begin * volume(Span(size, rank - 1));
      for_each_row(2, part, [&](const auto& offset) {
        run(offset, rows, columns, y);
        y += size[0] * size[1];
      });
    });
  }

  /// Calls `row(offsets)` for each index of the axes from `inner` on, in the output's order.
  template <class Row>
  void for_each_row(std::size_t inner, const Row& row) const {
    for_each_row(inner, {0, size[rank - 1]}, row);
  }

 private:
  /// The same for part of the outermost axis.
  template <class Row>
  void for_each_row(std::size_t inner, kernels::Range part, const Row& row) const {
    const std::size_t outermost = rank - 1;
    std::array<std::int64_t, N> offset{};
    std::int64_t index[kMaxKernelRank] = {};
    if (outermost >= inner)
      for (std::size_t k = 0; k < operands; ++k) offset[k] = part.begin * step[k][outermost];
    for (;;) {
      row(offset);
      std::size_t axis = inner;
      for (; axis < rank; ++axis) {
        const std::int64_t end = axis == outermost ? part.end - part.begin : size[axis];
        for (std::size_t k = 0; k < operands; ++k) offset[k] += step[k][axis];
        if (++index[axis] < end) break;
        for (std::size_t k = 0; k < operands; ++k) offset[k] -= step[k][axis] * end;
        index[axis] = 0;
      }
      if (axis >= rank) return;
    }
  }

  void set_plain(std::int64_t elements) {
    rank = 1;
    size[0] = elements;
    for (auto& steps : step) steps[0] = 1;
    add_second();
  }

  void add_second() {
    size[1] = 1;
    for (auto& steps : step) steps[1] = 0;
  }

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
    if (rank == 0 || empty) return set_plain(empty ? 0 : 1);
    if (rank == 1) add_second();
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
    fail(ErrorKind::run_time, "shapes ", shapes, " do not broadcast to ", Span(out));
  }
};

}  // namespace strata
