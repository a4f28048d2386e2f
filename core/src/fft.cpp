#include "fft.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace strata {
namespace {

MutableTensor buffer(std::size_t n) { return {DatumType::c128, {static_cast<std::int64_t>(n)}}; }

/// `count` numbers, `make(i)` the i-th.
template <class Make>
Tensor table(std::size_t count, Make make) {
  MutableTensor out = buffer(count);
  const std::span<Complex> to = out.as<Complex>();
  for (std::size_t i = 0; i < count; ++i) to[i] = make(i);
  return std::move(out).freeze();
}

/// Without the cases for infinities that the operator has.
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

Complex times_i(Complex a) { return {-a.imag(), a.real()}; }

/// 4, 2 and then the odd prime factors, from the smallest; 4 comes first, as it costs least.
std::vector<std::size_t> factors_of(std::size_t n) {
  std::vector<std::size_t> out;
  const auto divide_by = [&](std::size_t radix) {
    for (; n % radix == 0; n /= radix) out.push_back(radix);
  };
  divide_by(4);
  divide_by(2);
  for (std::size_t radix = 3; radix * radix <= n; radix += 2) divide_by(radix);
  if (n > 1) out.push_back(n);
  return out;
}

/// A length of at least n whose transform is quick: the least one that is 4, 5 or 6 times a power
/// of two.
std::size_t quick_length(std::size_t n) {
  for (std::size_t power = 1;; power *= 2)
    for (const std::size_t times : {4, 5, 6})
      if (times * power >= n) return times * power;
}

/// The transform of 4 numbers: the roots are 1, -i, -1 and i.
void turn_four(Complex* t) {
  const Complex sum = t[0] + t[2], difference = t[0] - t[2];
  const Complex other_sum = t[1] + t[3], turned = times_i(t[3] - t[1]);
  t[0] = sum + other_sum;
  t[1] = difference + turned;
  t[2] = sum - other_sum;
  t[3] = difference - turned;
}

/// The transform of an odd number of numbers. With w = root^(qr), whose conjugate belongs to -q:
///   t[q] w + t[-q] conj(w)  ==  (t[q] + t[-q]) re(w) + i (t[q] - t[-q]) im(w)
void turn_odd(Complex* t, std::size_t radix, const Complex* roots) {
  constexpr std::size_t kMost = MixedRadixFft::kLargestRadix / 2 + 1;
  std::array<Complex, kMost> sums, differences;
  const std::size_t half = radix / 2;
  const Complex first = t[0];
  for (std::size_t q = 1; q <= half; ++q) {
    sums[q] = t[q] + t[radix - q];
    differences[q] = t[q] - t[radix - q];
    t[0] += sums[q];
  }
  for (std::size_t r = 1; r <= half; ++r) {
    Complex even = first, odd = 0;
    for (std::size_t q = 1, place = r; q <= half; ++q, place = (place + r) % radix) {
      even += sums[q] * roots[place].real();
      odd += differences[q] * roots[place].imag();
    }
    t[r] = even + times_i(odd);
    t[radix - r] = even - times_i(odd);
  }
}

void turn(Complex* t, std::size_t radix, const Complex* roots) {
  if (radix == 4) return turn_four(t);
  if (radix != 2) return turn_odd(t, radix, roots);
  const Complex second = t[1];
  t[1] = t[0] - second;
  t[0] += second;
}

std::variant<MixedRadixFft, ChirpFft> means_for(std::size_t length) {
  if (MixedRadixFft::takes(length)) return MixedRadixFft(length);
  return ChirpFft(length);
}

}  // namespace

Complex root_of_unity(std::uint64_t k, std::uint64_t n) {
  // The angle is measured from the nearest quarter turn, so that it is at most an eighth.
  const std::uint64_t eighth = 8 * k / n, rest = 8 * k % n;
  const double angle = std::numbers::pi / 4 *
                       static_cast<double>(eighth % 2 == 0 ? rest : n - rest) /
                       static_cast<double>(n);
  double cosine = std::cos(angle), sine = std::sin(angle);
  if (eighth % 4 == 1 || eighth % 4 == 2) std::swap(cosine, sine);
  if (eighth >= 2 && eighth < 6) cosine = -cosine;
  return {cosine, eighth < 4 ? -sine : sine};
}

bool MixedRadixFft::takes(std::size_t length) {
  for (std::size_t radix = 2; radix <= kLargestRadix; ++radix)
    while (length % radix == 0) length /= radix;
  return length == 1;
}

MixedRadixFft::MixedRadixFft(std::size_t length) : copy_(buffer(length)) {
  std::size_t joined = length;
  for (const std::size_t radix : factors_of(length)) {
    const std::size_t part = joined / radix, columns = radix - 1;
    const auto twiddle = [&](std::size_t i) {
      return root_of_unity(i / columns * (i % columns + 1), joined);
    };
    const auto root = [&](std::size_t q) { return root_of_unity(q, radix); };
    levels_.push_back({radix, part, table(part * columns, twiddle), table(radix, root)});
    joined = part;
  }
}

/// Transforms the numbers of x that lie `step` apart into y.
void MixedRadixFft::split(const Complex* x, std::size_t step, Complex* y, std::size_t depth) const {
  const Level& level = levels_[depth];
  const std::size_t radix = level.radix, part = level.part;
  const Complex* turns = level.turns.as<Complex>().data();
  if (part == 1) {
    for (std::size_t q = 0; q < radix; ++q) y[q] = x[q * step];
    return turn(y, radix, turns);
  }
  for (std::size_t q = 0; q < radix; ++q)
    split(x + q * step, step * radix, y + q * part, depth + 1);
  const Complex* twiddle = level.twiddles.as<Complex>().data();
  std::array<Complex, kLargestRadix> t;
  for (std::size_t j = 0; j < part; ++j) {
    t[0] = y[j];
    for (std::size_t q = 1; q < radix; ++q) t[q] = product(y[j + q * part], *twiddle++);
    turn(t.data(), radix, turns);
    for (std::size_t q = 0; q < radix; ++q) y[j + q * part] = t[q];
  }
}

void MixedRadixFft::transform(std::span<Complex> line) {
  if (levels_.empty()) return;
  const std::span<Complex> copy = copy_.as<Complex>();
  std::copy(line.begin(), line.end(), copy.begin());
  split(copy.data(), 1, line.data(), 0);
}

ChirpFft::ChirpFft(std::size_t length)
    : convolution_(quick_length(2 * length - 1)),
      // k^2 modulo 2n, from one square to the next.
      chirp_(table(length,
                   [n = 2 * length, square = std::size_t{0}](std::size_t k) mutable {
                     const Complex root = root_of_unity(square, n);
                     square = (square + 2 * k + 1) % n;
                     return root;
                   })),
      filter_(MutableTensor::zeros(DatumType::c128, {convolution_.length()})),
      padded_(DatumType::c128, {convolution_.length()}) {
  const std::span<const Complex> chirp = chirp_.as<Complex>();
  const std::span<Complex> filter = filter_.as<Complex>();
  const auto scale = static_cast<double>(filter.size());
  for (std::size_t k = 0; k < length; ++k)
    filter[k] = filter[(filter.size() - k) % filter.size()] = std::conj(chirp[k]) / scale;
  convolution_.transform(filter);
}

void ChirpFft::transform(std::span<Complex> line) {
  const std::span<const Complex> chirp = chirp_.as<Complex>();
  const std::span<Complex> filter = filter_.as<Complex>(), padded = padded_.as<Complex>();
  for (std::size_t i = 0; i < line.size(); ++i) padded[i] = product(line[i], chirp[i]);
  std::fill(padded.begin() + static_cast<std::ptrdiff_t>(line.size()), padded.end(), 0);
  convolution_.transform(padded);
  // Back by conjugates: the inverse of Y is conj(transform(conj(Y))), its division in the filter.
  for (std::size_t i = 0; i < padded.size(); ++i)
    padded[i] = std::conj(product(padded[i], filter[i]));
  convolution_.transform(padded);
  for (std::size_t k = 0; k < line.size(); ++k) line[k] = product(std::conj(padded[k]), chirp[k]);
}

Fft::Fft(std::size_t length) : means_(means_for(length)) {}

void Fft::transform(std::span<Complex> line) {
  std::visit([&](auto& means) { means.transform(line); }, means_);
}

RealFft::RealFft(std::size_t length)
    : roots_(table(length % 2 == 0 ? length / 4 + 1 : 0,
                   [&](std::size_t k) { return root_of_unity(k, length); })),
      fft_(length % 2 == 0 ? length / 2 : length) {}

/// The numbers at even and at odd places are the real and imaginary parts of one line of half the
/// length. With its transform Z, and E and O those of the numbers at even and odd places,
///   2 E[k] == Z[k] + conj(Z[-k])     2 i O[k] == Z[k] - conj(Z[-k])
///   X[k] == E[k] + root^k O[k]       X[n/2 - k] == conj(E[k] - root^k O[k])
void RealFft::transform_half(std::span<Complex> line) {
  const std::size_t n = line.size(), half = n / 2;
  if (n % 2 != 0) return fft_.transform(line);
  for (std::size_t i = 0; i < half; ++i) line[i] = {line[2 * i].real(), line[2 * i + 1].real()};
  fft_.transform(line.first(half));
  const std::span<const Complex> roots = roots_.as<Complex>();
  for (std::size_t k = 0; k <= half / 2; ++k) {
    const Complex z = line[k], mirrored = std::conj(line[(half - k) % half]);
    const Complex even = 0.5 * (z + mirrored), odd = times_i(-0.5 * (z - mirrored));
    const Complex turned = product(roots[k], odd);
    line[k] = even + turned;
    line[half - k] = std::conj(even - turned);
  }
}

void RealFft::transform(std::span<Complex> line) {
  transform_half(line);
  const std::size_t n = line.size();
  for (std::size_t k = 1; k < (n + 1) / 2; ++k) line[n - k] = std::conj(line[k]);
}

}  // namespace strata
