#include "kernel_ops/combined_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

#include "deferred_tensor.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Numbers handled together, so that the compiler vectorises the loops over them.
constexpr std::size_t kTogether = 16;

/// Combines numbers with those of their channels, and records whether all results are finite.
class Combining {
 public:
  explicit Combining(BinaryOp op) : op_(op) {}
  /// to[i] = from[i] op channels[i * step], step 0 or 1; `from` need not be aligned.
  void run(const std::byte* from, const float* channels, std::size_t step, float* to,
           std::size_t n) {
    std::size_t i = 0;
    for (; i + kTogether <= n; i += kTogether)
      chunk<kTogether>(from + i * sizeof(float), channels + i * step, step, to + i);
    for (; i < n; ++i) chunk<1>(from + i * sizeof(float), channels + i * step, step, to + i);
  }
  bool all_finite() const {
    return std::ranges::all_of(zeros_, [](float zero) { return zero == 0; });
  }

 private:
  template <std::size_t N>
  void chunk(const std::byte* from, const float* channels, std::size_t step, float* to) {
    float in[N], with[N], out[N];
    std::memcpy(in, from, sizeof in);
    if (step == 0)
      std::fill_n(with, N, *channels);
    else
      std::copy_n(channels, N, with);
    const auto put = [&](auto function) {
      for (std::size_t i = 0; i < N; ++i) out[i] = function(in[i], with[i]);
    };
    if (op_ == BinaryOp::add)
      put(std::plus());
    else if (op_ == BinaryOp::mul)
      put(std::multiplies());
    else
      put(std::divides());
    for (std::size_t i = 0; i < N; ++i) zeros_[i] += out[i] * 0.0F;
    std::memcpy(to, out, sizeof out);
  }

  BinaryOp op_;
  float zeros_[kTogether] = {};  ///< sums of 0 times each result
};

/// What is combined: some rows of a tensor, with the numbers of the channels along an axis.
struct Work {
  const Tensor& tensor;
  RowRange rows;
  std::size_t axis;
  std::span<const float> channels;
};

/// Returns whether all results are finite.
bool combine(const Work& work, BinaryOp op, float* to) {
  if (work.tensor.size() == 0) return true;
  const Shape& shape = work.tensor.shape();
  const auto inner = static_cast<std::size_t>(product(Span(shape).subspan(work.axis + 1)));
  const auto begin = static_cast<std::size_t>(work.rows.begin),
             rows = static_cast<std::size_t>(work.rows.end) - begin;
  const StoredBytes stored = stored_bytes(work.tensor);
  const std::byte* from =
      stored.bytes.data() + stored.bytes.size() / static_cast<std::size_t>(shape[0]) * begin;
  std::span<const float> channels = work.channels;
  std::int64_t outer = 1;
  if (work.axis == 0)
    channels = channels.subspan(begin, rows);
  else
    outer = static_cast<std::int64_t>(rows) * product(Span(shape).subspan(1, work.axis - 1));
  Combining combining(op);
  // Where each channel is one number, they are combined in one run.
  const std::size_t step = inner == 1 ? 1 : 0, run = inner == 1 ? channels.size() : inner,
                    runs = inner == 1 ? 1 : channels.size();
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::size_t c = 0; c < runs; ++c) {
      combining.run(from, channels.data() + c, step, to, run);
      from += run * sizeof(float);
      to += run;
    }
  return combining.all_finite();
}

/// The upper halves of magnitudes have the same order, and every CPU has instructions for their
/// maximum.
template <std::size_t N>
void raise_to(std::int16_t (&most)[N], const std::byte* floats) {
  std::int16_t halves[N];
  std::memcpy(halves, floats, sizeof halves);
  for (std::size_t i = 0; i < N; ++i) halves[i] &= INT16_MAX;
  for (std::size_t i = 0; i < N; ++i) most[i] = most[i] < halves[i] ? halves[i] : most[i];
}

/// A close upper bound of the magnitudes; infinite or NaN if one of the numbers is.
float magnitude_bound(std::span<const std::byte> floats) {
  static_assert(std::endian::native == std::endian::little, "upper halves come second");
  std::int16_t most[2 * kTogether] = {}, last[2] = {};
  const std::byte *from = floats.data(), *end = from + floats.size();
  for (; from + sizeof most <= end; from += sizeof most) raise_to(most, from);
  for (; from < end; from += sizeof last) raise_to(last, from);
  std::int16_t upper = last[1];
  for (std::size_t i = 1; i < std::size(most); i += 2) upper = std::max(upper, most[i]);
  return std::bit_cast<float>(static_cast<std::uint32_t>(upper) << 16 | UINT16_MAX);
}

constexpr std::string_view kKey = "combined ";

/// The same for a tensor. For one that is combined when it is read, the bound is one of its
/// sources.
float bound_of(const Tensor& tensor) {
  const auto recipe = recipe_of(tensor);
  if (recipe && recipe->key.starts_with(kKey)) return recipe->sources.back().item<float>();
  if (!recipe || !recipe->only_moves) return magnitude_bound(stored_bytes(tensor).bytes);
  float most = 0;
  for (const Tensor& source : recipe->sources) {
    if (source.dtype() != tensor.dtype()) continue;
    const float bound = bound_of(source);
    if (!std::isfinite(bound)) return bound;
    most = std::max(most, bound);
  }
  return most;
}

/// An upper bound of the magnitudes of the results; infinite or NaN if they are not known to be
/// finite.
float bound_of_results(const Tensor& tensor, BinaryOp op, const ChannelNumbers& channels) {
  const bool is_product = op == BinaryOp::mul;
  float worst = is_product ? 0.0F : INFINITY;
  for (const float channel : channels) {
    if (!std::isfinite(channel)) return INFINITY;
    worst = is_product ? std::max(worst, std::abs(channel)) : std::min(worst, std::abs(channel));
  }
  const float most = bound_of(tensor);
  return is_product ? most * worst : most / worst;
}

/// What `combined` returns, computed when it is read.
Tensor combined_later(const Tensor& tensor, std::size_t axis, BinaryOp op,
                      const ChannelNumbers& channels, float bound) {
  const auto fill = [axis, op](const std::vector<Tensor>& sources, RowRange rows, std::byte* to) {
    combine({sources[0], rows, axis, sources[1].as<float>()}, op, reinterpret_cast<float*>(to));
  };
  return deferred(DatumType::f32, tensor.shape(),
                  {.key = cat(kKey, static_cast<int>(op), ' ', axis),
                   .sources = {tensor, Tensor::vector(std::span(channels)), Tensor::scalar(bound)},
                   .fill = fill,
                   .by_rows = true});
}

}  // namespace

std::optional<Tensor> combined(const Tensor& tensor, std::size_t axis, BinaryOp op,
                               const ChannelNumbers& channels) {
  if (tensor.byte_size() >= kLaterBytes && op != BinaryOp::add &&
      recipe_count(tensor) < kMostRecipes) {
    const float bound = bound_of_results(tensor, op, channels);
    if (std::isfinite(bound)) return combined_later(tensor, axis, op, channels, bound);
  }
  MutableTensor out(DatumType::f32, tensor.shape());
  const Work all{tensor, {0, tensor.shape()[0]}, axis, channels};
  if (!combine(all, op, out.as<float>().data())) return std::nullopt;
  return std::move(out).freeze();
}

}  // namespace strata
