#pragma once

#include <algorithm>

#include "alignment.h"
#include "kernel_ops/kernel_op.h"
#include "strata/core/workers.h"

/// How kernels share their work among the threads of a session. What a part computes does not
/// depend on where the others begin, so the result is the same, bit by bit, on any number of
/// threads.
namespace strata {

/// How much work there is, which decides whether it pays to share it.
struct WorkSize {
  double flops = 0;
  double bytes = 0;  ///< that are read or written, each counted once
  /// The least time it takes on one thread: no CPU does more than this.
  double nanoseconds() const {
    constexpr double kFlops = 200, kBytes = 64;  // in a nanosecond
    return std::max(flops / kFlops, bytes / kBytes);
  }
};

/// Work that takes less than this stays on one thread: sharing it costs up to a microsecond.
inline constexpr double kLeastShared = 4000;
/// Work is cut into parts of about this size when there are more of them than threads, so that a
/// thread that begins late does less.
inline constexpr double kEvenPart = 20000;
inline constexpr std::size_t kMostRounds = 4;  ///< parts for each thread

/// Whether there are threads to share this work with, and enough of it.
inline bool may_share(const KernelIo& io, const WorkSize& work) {
  return io.workers && work.nanoseconds() >= kLeastShared && io.workers->usable(io.gain) > 1;
}

/// Into how many parts to cut work, at most `most`.
inline std::size_t parts_of(const KernelIo& io, const WorkSize& work, std::int64_t most) {
  if (most < 2 || !may_share(io, work)) return 1;
  const std::size_t threads = io.workers->usable(io.gain);
  const double time = work.nanoseconds();
  const auto useful = static_cast<std::size_t>(time / (kLeastShared / 2));
  if (useful <= threads) return std::min(useful, static_cast<std::size_t>(most));
  const auto rounds = static_cast<std::size_t>(time / kEvenPart) / threads;
  const std::size_t parts = threads * std::clamp<std::size_t>(rounds, 1, kMostRounds);
  return std::min(parts, static_cast<std::size_t>(most));
}

/// One of the parts that work is cut into.
struct Share {
  std::int64_t number;
  std::int64_t of;
};

/// A share of n things, cut at multiples of `step`.
inline kernels::Range part_of(std::int64_t n, std::int64_t step, Share share) {
  const std::int64_t steps = (n + step - 1) / step;
  const auto cut = [&](std::int64_t at) { return std::min(n, steps * at / share.of * step); };
  return {cut(share.number), cut(share.number + 1)};
}

/// Calls `run(share)` for each part, on all threads.
template <class Run>
void run_shares(const KernelIo& io, std::size_t parts, const Run& run) {
  const auto count = static_cast<std::int64_t>(parts);
  io.workers->run(
      parts,
      [&](std::size_t part) {
        run(Share{static_cast<std::int64_t>(part), count});
      },
      io.gain);
}

/// Calls `run(share, scratch)` for each part, with this much scratch memory for each; a single part
/// uses the kernel's own.
template <class Run>
void share(const KernelIo& io, std::size_t parts, std::size_t scratch_bytes, const Run& run) {
  if (parts == 1) return run(Share{0, 1}, io.scratch);
  const auto step = static_cast<std::int64_t>(aligned(scratch_bytes));
  std::byte* scratch = step == 0 ? nullptr : io.workers->scratch(parts * aligned(scratch_bytes));
  run_shares(io, parts, [&](Share share) { run(share, scratch + share.number * step); });
}

/// How work on n things may be cut: at multiples of `step`, with scratch memory for each part.
struct Cuts {
  std::int64_t n = 0;
  std::int64_t step = 1;
  std::size_t scratch_bytes = 0;
};

/// Calls `run(range, scratch)` for parts of n things.
template <class Run>
void share_range(const KernelIo& io, const WorkSize& work, const Cuts& cuts, const Run& run) {
  const std::size_t parts = parts_of(io, work, (cuts.n + cuts.step - 1) / cuts.step);
  share(io, parts, cuts.scratch_bytes,
        [&](Share share, std::byte* scratch) { run(part_of(cuts.n, cuts.step, share), scratch); });
}

/// Calls `run(range)` for parts of n things, cut at multiples of `step`.
template <class Run>
void share_range(const KernelIo& io, const WorkSize& work, std::int64_t n, std::int64_t step,
                 const Run& run) {
  const std::size_t parts = parts_of(io, work, (n + step - 1) / step);
  if (parts == 1) return run(kernels::Range{0, n});
  run_shares(io, parts, [&](Share share) { run(part_of(n, step, share)); });
}

/// Elements of one operand are cut at multiples of this, which are whole vectors and cache lines.
inline constexpr std::int64_t kElementStep = 64;

/// Calls `run(row, columns)` for all rows of n elements. Threads share rows, or the columns of a
/// single one.
template <class Run>
void share_rows(const KernelIo& io, const WorkSize& work, std::int64_t rows, std::int64_t n,
                const Run& run) {
  if (rows == 1)
    return share_range(io, work, n, kElementStep,
                       [&](kernels::Range columns) { run(std::int64_t{0}, columns); });
  share_range(io, work, rows, 1, [&](kernels::Range part) {
    for (std::int64_t row = part.begin; row < part.end; ++row) run(row, kernels::Range{0, n});
  });
}

/// The size of work that does `flops` operations for each of n floats it reads or writes.
inline WorkSize work_on(std::int64_t n, double flops) {
  return {flops * static_cast<double>(n), sizeof(float) * static_cast<double>(n)};
}
}  // namespace strata
