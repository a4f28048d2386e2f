#include "fft.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "strata/core/limits.h"

using namespace strata;

namespace {

using Line = std::vector<Complex>;
using LongComplex = std::complex<long double>;

enum class Numbers { complex, real };

Line random_line(std::size_t n, Numbers numbers) {
  std::mt19937 generator(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> distribution(-1, 1);
  Line line(n);
  for (Complex& x : line)
    x = {distribution(generator), numbers == Numbers::complex ? distribution(generator) : 0};
  return line;
}

/// X[k] = sum_i x[i] root^(k i), in long double.
LongComplex defined(const Line& x, const std::vector<LongComplex>& roots, std::size_t k) {
  LongComplex sum = 0;
  for (std::size_t i = 0, place = 0; i < x.size(); ++i, place = (place + k) % x.size()) {
    const LongComplex root = roots[place];
    const long double re = x[i].real(), im = x[i].imag();
    sum += LongComplex(re * root.real() - im * root.imag(), re * root.imag() + im * root.real());
  }
  return sum;
}

double norm(const Line& x) {
  double sum = 0;
  for (const Complex& value : x) sum += std::norm(value);
  return std::sqrt(sum);
}

/// A fifth of what is promised: random numbers do not add up their errors as badly as others may.
double bound(std::size_t n) { return 2e-16 * (1 + std::log2(static_cast<double>(n))); }

/// |y - X| / |X| for the transform X of x, over every `stride`-th number.
double relative_error(const Line& x, const Line& y, std::size_t stride) {
  const auto n = static_cast<long double>(x.size());
  std::vector<LongComplex> roots;
  for (std::size_t k = 0; k < x.size(); ++k)
    roots.push_back(std::polar(1.0L, -2 * std::numbers::pi_v<long double> * k / n));
  long double error = 0, size = 0;
  for (std::size_t k = 0; k < x.size(); k += stride) {
    const LongComplex expected = defined(x, roots, k);
    error += std::norm(LongComplex(y[k]) - expected);
    size += std::norm(expected);
  }
  return static_cast<double>(std::sqrt(error / size));
}

void check_definition(std::size_t n, std::size_t stride) {
  INFO("length ", n);
  Line x = random_line(n, Numbers::complex), y = x;
  Fft(n).transform(y);
  CHECK(relative_error(x, y, stride) <= bound(n));

  x = y = random_line(n, Numbers::real);
  RealFft(n).transform(y);
  CHECK(relative_error(x, y, stride) <= bound(n));
}

void check_round_trip(std::size_t n) {
  INFO("length ", n);
  const Line x = random_line(n, Numbers::complex);
  Line y = x;
  Fft fft(n);
  fft.transform(y);
  for (Complex& value : y) value = std::conj(value) / static_cast<double>(n);
  fft.transform(y);
  for (std::size_t i = 0; i < n; ++i) y[i] = std::conj(y[i]) - x[i];
  CHECK(norm(y) <= 2 * bound(n) * norm(x));  // of both ways
}

}  // namespace

TEST_SUITE("fft") {
  TEST_CASE("fft gives what the definition does, for each small length") {
    for (std::size_t n = 1; n <= 64; ++n) check_definition(n, 1);
  }

  TEST_CASE("fft gives what the definition does for primes, their multiples and powers") {
    for (const std::size_t n : {94, 97, 101, 106, 400, 1009, 2209}) check_definition(n, 1);
    for (const std::size_t n : {4096, 2 * 4093, 3 * 5 * 7 * 11 * 13, 10007})
      check_definition(n, n / 50);
  }

  TEST_CASE("fft comes back by conjugates, up to a million and from its largest prime") {
    for (const std::size_t n : {1, 2, 47, 53, 1000, 1048576, 1048573}) check_round_trip(n);
  }

  TEST_CASE("fft of one wave has one number, and each line starts anew") {
    constexpr std::size_t n = 106;  // 2 times a prime that is a convolution
    Fft fft(n);
    for (const std::size_t frequency : {0, 1, 53, 105}) {
      Line wave(n);
      for (std::size_t i = 0; i < n; ++i) wave[i] = std::conj(root_of_unity(frequency * i % n, n));
      fft.transform(wave);
      for (std::size_t k = 0; k < n; ++k)
        CHECK(std::abs(wave[k] - (k == frequency ? 106.0 : 0.0)) <= 106 * bound(n));
    }
  }

  TEST_CASE("roots of unity are exact at quarter turns, and symmetric") {
    CHECK(root_of_unity(0, 12) == Complex(1, 0));
    CHECK(root_of_unity(3, 12) == Complex(0, -1));
    CHECK(root_of_unity(6, 12) == Complex(-1, 0));
    CHECK(root_of_unity(9, 12) == Complex(0, 1));
    CHECK(root_of_unity(1, 12).imag() == doctest::Approx(-0.5).epsilon(1e-15));
    for (std::uint64_t k = 1; k < 999; ++k)
      CHECK(root_of_unity(k, 999) == std::conj(root_of_unity(999 - k, 999)));
  }

  TEST_CASE("fft takes its memory from the limits") {
    Limits limits;
    limits.tensor_bytes = 1 << 20;
    const MemoryScope scope(limits);
    CHECK_NOTHROW(Fft(1 << 10));
    CHECK_THROWS_WITH_AS(Fft(1 << 17), doctest::Contains("the limit tensor_bytes"), Error);
    CHECK_THROWS_WITH_AS(Fft(65537), doctest::Contains("the limit tensor_bytes"), Error);
  }
}
