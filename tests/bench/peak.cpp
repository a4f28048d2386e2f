// Prints, as JSON, what this machine can do at most on some threads: f32 multiply-adds and, where
// it has an instruction for them, int8 ones per second; and the bytes per second that are read from
// memory blocks of several sizes, or copied from one half of them to the other if that is faster. A
// share of these is what a kernel reaches. Compiled for the machine it is built on.
//
// Usage: strata_bench_peak THREADS

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#ifdef __AVX512VNNI__
#include <immintrin.h>
#endif

namespace {

using Clock = std::chrono::steady_clock;

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif
typedef float Vector __attribute__((vector_size(kVectorBytes)));
constexpr int kLanes = kVectorBytes / 4;
constexpr int kChains = 12;  ///< more than the latency of a multiply-add hides
constexpr long kSteps = 100'000;
constexpr int kTries = 20;

/// Keeps a value from being optimised away.
template <class T>
void keep(T& value) {
  asm volatile("" : "+x"(value));
}

void keep_memory(const void* data) { asm volatile("" : : "r"(data) : "memory"); }

/// The least of the times in which all threads do `work` side by side, in seconds.
double shortest(int threads, const std::function<void(int)>& work) {
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) {
    std::atomic<int> ready = 0;
    std::vector<Clock::time_point> begins(static_cast<std::size_t>(threads)), ends(begins);
    const auto task = [&](int id) {
      const auto at = static_cast<std::size_t>(id);
      ++ready;
      while (ready < threads) {
      }
      begins[at] = Clock::now();
      work(id);
      ends[at] = Clock::now();
    };
    std::vector<std::thread> others;
    for (int id = 1; id < threads; ++id) others.emplace_back(task, id);
    task(0);
    for (std::thread& other : others) other.join();
    const auto time = *std::max_element(ends.begin(), ends.end()) -
                      *std::min_element(begins.begin(), begins.end());
    best = std::min(best, std::chrono::duration<double>(time).count());
  }
  return best;
}

void multiply_add(int) {
  Vector sums[kChains] = {};
  Vector factor = Vector{} + 0.999f, shift = Vector{} + 0.001f;
  keep(factor);
  keep(shift);
  for (long step = 0; step < kSteps; ++step)
    for (Vector& sum : sums) {
      sum = sum * factor + shift;
      keep(sum);
    }
}

double f32_flops(int threads) {
  return 2.0 * kLanes * kChains * kSteps * threads / shortest(threads, multiply_add);
}

#ifdef __AVX512VNNI__
void dot_bytes(int) {
  __m512i sums[kChains] = {};
  __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(5);
  keep(a);
  keep(b);
  for (long step = 0; step < kSteps; ++step)
    for (__m512i& sum : sums) {
      sum = _mm512_dpbusd_epi32(sum, a, b);
      keep(sum);
    }
}

double int8_flops(int threads) {
  return 2.0 * 64 * kChains * kSteps * threads / shortest(threads, dot_bytes);
}
#else
double int8_flops(int) { return 0; }
#endif

void read(const char* begin, std::size_t bytes) {
  Vector sums[4] = {};
  for (std::size_t at = 0; at + sizeof sums <= bytes; at += sizeof sums)
    for (std::size_t i = 0; i < 4; ++i)
      sums[i] += *reinterpret_cast<const Vector*>(begin + at + i * sizeof(Vector));
  for (Vector& sum : sums) keep(sum);
}

void copy(char* begin, std::size_t bytes) { std::memcpy(begin + bytes / 2, begin, bytes / 2); }

/// Bytes per second when each thread goes over its part of a block of `bytes`, again and again.
template <class Pass>
double speed(int threads, char* block, std::size_t bytes, Pass go_over) {
  const std::size_t part = bytes / static_cast<std::size_t>(threads);
  const std::size_t passes = std::max<std::size_t>(1, (std::size_t{16} << 20) / bytes);
  const double seconds = shortest(threads, [&](int id) {
    char* begin = block + static_cast<std::size_t>(id) * part;
    for (std::size_t pass = 0; pass < passes; ++pass) {
      go_over(begin, part);
      keep_memory(begin);
    }
  });
  return static_cast<double>(passes) * static_cast<double>(bytes) / seconds;
}

double bandwidth(int threads, std::size_t bytes) {
  const std::unique_ptr<char, decltype(&std::free)> block(
      static_cast<char*>(std::aligned_alloc(4096, bytes)), std::free);
  std::memset(block.get(), 1, bytes);
  return std::max(speed(threads, block.get(), bytes, read),
                  speed(threads, block.get(), bytes, copy));
}

}  // namespace

int main(int argc, char** argv) {
  const int threads = argc == 2 ? std::atoi(argv[1]) : 0;
  if (threads < 1) {
    std::fputs("usage: strata_bench_peak THREADS\n", stderr);
    return 2;
  }
  std::printf("{\"threads\": %d, \"f32\": %.4g, ", threads, f32_flops(threads));
  if (const double int8 = int8_flops(threads); int8 > 0) std::printf("\"int8\": %.4g, ", int8);
  std::printf("\"bandwidth\": [");
  for (std::size_t bytes = 32 << 10; bytes <= 256 << 20; bytes *= 2)
    std::printf("%s[%zu, %.4g]", bytes == 32 << 10 ? "" : ", ", bytes, bandwidth(threads, bytes));
  std::printf("]}\n");
}
