#pragma once

#include <complex>
#include <cstdint>
#include <variant>
#include <vector>

#include "strata/core/tensor.h"

namespace strata {

using Complex = std::complex<double>;

/// exp(-2 pi j k / n) for k < n, each part right to about one unit in the last place of 1.
Complex root_of_unity(std::uint64_t k, std::uint64_t n);

/// The transform of lines whose length has no prime factor above kLargestRadix: a line is split by
/// one factor after the other, and each level joins its parts by butterflies.
class MixedRadixFft {
 public:
  static constexpr std::size_t kLargestRadix = 50;

  static bool takes(std::size_t length);
  explicit MixedRadixFft(std::size_t length);
  std::int64_t length() const { return copy_.size(); }
  void transform(std::span<Complex> line);

 private:
  struct Level {
    std::size_t radix;
    std::size_t part;  ///< length of each of the `radix` parts that are joined
    Tensor twiddles;   ///< root^(q j) of the joined length: rows j < part, columns 0 < q < radix
    Tensor turns;      ///< root^q of the radix
  };
  void split(const Complex* x, std::size_t step, Complex* y, std::size_t depth) const;

  std::vector<Level> levels_;
  MutableTensor copy_;
};

/// The transform of lines of any length as a convolution with a chirp (Bluestein), with j the
/// imaginary unit:   X[k] = c[k] sum_i (x[i] c[i]) conj(c[k - i]),   c[k] = exp(-pi j k^2 / n)
class ChirpFft {
 public:
  explicit ChirpFft(std::size_t length);
  void transform(std::span<Complex> line);

 private:
  MixedRadixFft convolution_;
  Tensor chirp_;
  MutableTensor filter_;  ///< the transform of conj(c), divided by its length
  MutableTensor padded_;
};

/// The discrete Fourier transform  X[k] = sum_i x[i] exp(-2 pi j k i / n)  of lines of length n.
///
/// What depends on n alone is worked out once, for all lines. Not for two threads at a time. Its
/// memory is charged like that of tensors.
///   cost     O(n log n) for every n
///   error    |X' - X| <= 1e-15 (1 + log2 n) |X| in the Euclidean norm
class Fft {
 public:
  explicit Fft(std::size_t length);
  /// Puts the transform of a line in its place.
  void transform(std::span<Complex> line);

 private:
  std::variant<MixedRadixFft, ChirpFft> means_;
};

/// The same for lines without imaginary parts: where n is even, by a transform half as long.
class RealFft {
 public:
  explicit RealFft(std::size_t length);
  void transform(std::span<Complex> line);
  /// Computes the first n / 2 + 1 numbers of the transform, whose mirror image the others are; the
  /// rest of the line is unspecified.
  void transform_half(std::span<Complex> line);

 private:
  Tensor roots_;  ///< root^k of an even length, up to its quarter; else empty
  Fft fft_;
};

}  // namespace strata
