#include "strata/core/machine_peak.h"

#include <algorithm>
#include <chrono>

#include "kernels/table.h"
#include "strata/core/cpu.h"
#include "strata/core/tensor.h"
#include "strata/core/workers.h"

namespace strata {
namespace {

using Clock = std::chrono::steady_clock;
using kernels::Index;

constexpr int kTries = 7;
constexpr Index kSteps = 20'000;
constexpr std::int64_t kLargest = std::int64_t{64} << 20;
/// Bytes of blocks: some fit a cache, the last one should fit none.
constexpr std::int64_t kBlocks[] = {1 << 14, 1 << 18, 1 << 20, 1 << 22, 1 << 24, kLargest};

/// The least time in which all workers do their part, in seconds.
template <class Part>
double shortest(Workers& workers, const Part& part) {
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const Clock::time_point begin = Clock::now();
    workers.run(workers.count(), part);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

double flops_per_second(Workers& workers, const kernels::KernelTable& table) {
  std::vector<double> done(workers.count());
  const double seconds = shortest(workers, [&](std::size_t i) {
    float number = 0.5F;
    done[i] = table.peak_multiply_adds(kSteps, &number);
    volatile float used = number;
    static_cast<void>(used);
  });
  double all = 0;
  for (const double part : done) all += 2 * part;
  return all / seconds;
}

/// Of reading the first `bytes` of `memory`, each worker its part of them.
double bytes_per_second(Workers& workers, const kernels::KernelTable& table,
                        std::span<const float> memory, std::int64_t bytes) {
  const auto part = bytes / 4 / static_cast<Index>(workers.count());
  const Index passes = std::max<Index>(1, (1 << 22) / bytes);
  const double seconds = shortest(workers, [&](std::size_t i) {
    volatile float used = 0;
    for (Index pass = 0; pass < passes; ++pass)
      used = table.peak_read(memory.data() + static_cast<Index>(i) * part, part);
    static_cast<void>(used);
  });
  return static_cast<double>(passes) * static_cast<double>(bytes) / seconds;
}

}  // namespace

double MachinePeak::least_seconds(double flops, double bytes) const {
  const auto fits = [&](const Memory& block) { return bytes <= block.bytes; };
  auto block = std::find_if(memory.begin(), memory.end(), fits);
  if (block == memory.end()) --block;
  return std::max(flops / flops_per_second, bytes / block->bytes_per_second);
}

MachinePeak measure_peak(std::size_t threads) {
  Workers workers(threads);
  const kernels::KernelTable& table = kernels::kernels(active_isa());
  MutableTensor block(DatumType::f32, {kLargest / 4});
  std::ranges::fill(block.as<float>(), 1.0F);
  MachinePeak peak{flops_per_second(workers, table), {}};
  for (const std::int64_t bytes : kBlocks)
    peak.memory.push_back(
        {static_cast<double>(bytes), bytes_per_second(workers, table, block.as<float>(), bytes)});
  // A disturbed measurement is too low, and a larger block cannot be read faster than a smaller
  // one.
  for (std::size_t i = peak.memory.size() - 1; i-- > 0;)
    peak.memory[i].bytes_per_second =
        std::max(peak.memory[i].bytes_per_second, peak.memory[i + 1].bytes_per_second);
  return peak;
}

}  // namespace strata
