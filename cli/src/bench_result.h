#pragma once

#include <cstddef>
#include <optional>

namespace strata::cli {

/// What a model is made of at one stage, with all its bodies.
struct BenchCounts {
  std::size_t nodes = 0;
  std::size_t loops = 0;
  std::size_t ifs = 0;
};

/// What `strata bench` measures. Times are in seconds.
struct BenchResult {
  std::size_t threads = 1;
  std::size_t runs = 0;
  double minimum = 0;
  double median = 0;
  double mean = 0;
  double creation = 0;        ///< of a session from the model's file: the least of several
  double first_creation = 0;  ///< the same, when the process has made none before
  BenchCounts typed;
  BenchCounts decluttered;
  std::size_t arena_bytes = 0;
  std::size_t peak_bytes = 0;              ///< of the process, up to the end of the timed runs
  std::optional<std::size_t> allocations;  ///< from the heap, in one warm run
};

}  // namespace strata::cli
