#include "compounds.h"

#include <algorithm>

#include "parser.h"

namespace strata::opl {
namespace {

/// Sources: the Khronos NNEF specification 1.0.5, and what tract's nodes of these names compute.
constexpr std::string_view kCompounds = R"(
fragment ne(x, y) -> (z) { z = !(x == y); }
fragment clamp(x, a, b) -> (y) { y = min(max(x, a), b); }
fragment tract_core_pow_const(input, exponent) -> (output) { output = pow(input, exponent); }
fragment floor_div(x, y) -> (z) { z = (x - mod(x, y)) / y; }
fragment ceil_div(x, y) -> (z) { z = -floor_div(-x, y); }
fragment round(x) -> (y) {
  size = abs(x);
  whole = floor(size);
  y = sign(x) * select((size - whole) * 2.0 >= 1.0, whole + 1.0, whole);
}
fragment rsqr(x) -> (y) { y = rcp(sqr(x)); }
fragment log2(x) -> (y) { y = log(x) * 1.4426950408889634; }
fragment softabs(x, epsilon = 0.0) -> (y) { y = sqrt(sqr(x) + epsilon); }
fragment prelu(x, alpha) -> (y) { y = select(x < 0.0, alpha * x, x); }
fragment tract_core_clamped_swiglu(gate, up, alpha = 0.0, limit = 0.0) -> (y) {
  g = min(tract_core_cast(gate, to = "f32"), limit);
  u = clamp(tract_core_cast(up, to = "f32"), -limit, limit);
  y = (u + 1.0) * (g * sigmoid(alpha * g));
}
fragment add_n(x) -> (y) {
  half = length_of(x) / 2;
  y = x[0] if half == 0 else add_n(x[:half]) + add_n(x[half:]);
}

fragment any_reduce(input, axes) -> (output) { output = max_reduce(input, axes = axes); }
fragment all_reduce(input, axes) -> (output) { output = min_reduce(input, axes = axes); }
fragment moments(input, axes) -> (mean, variance) {
  mean = mean_reduce(input, axes = axes);
  variance = mean_reduce(sqr(input - mean), axes = axes);
}
fragment l1_normalization(input, axes, bias = 0.0, epsilon = 0.0) -> (output) {
  output = input / max(sum_reduce(abs(input), axes = axes) + bias, epsilon);
}
fragment l2_normalization(input, axes, bias = 0.0, epsilon = 0.0) -> (output) {
  output = input / max(sqrt(sum_reduce(sqr(input), axes = axes)) + bias, epsilon);
}

fragment rms_pool(input, size, border = "constant", padding = [], stride = [], dilation = []) -> (output) {
  output = sqrt(avg_pool(sqr(input), size = size, border = border, padding = padding, stride = stride, dilation = dilation));
}
fragment local_mean_normalization(input, size) -> (output) {
  output = input - box(input, size = size, normalize = true);
}
fragment local_variance_normalization(input, size, bias = 0.0, epsilon = 0.0) -> (output) {
  output = input / max(sqrt(box(sqr(input), size = size, normalize = true)) + bias, epsilon);
}
fragment local_contrast_normalization(input, size, bias = 0.0, epsilon = 0.0) -> (output) {
  centred = local_mean_normalization(input, size = size);
  output = local_variance_normalization(centred, size = size, bias = bias, epsilon = epsilon);
}

fragment separable_conv(input, plane_filter, point_filter, bias = 0.0, border = "constant", padding = [], stride = [],
                        dilation = [], groups = 1) -> (output) {
  planes = conv(input, plane_filter, border = border, padding = padding, stride = stride, dilation = dilation, groups = 0);
  output = conv(planes, point_filter, bias, groups = groups);
}
fragment separable_deconv(input, plane_filter, point_filter, bias = 0.0, border = "constant", padding = [], stride = [],
                          dilation = [], output_shape = [], groups = 1) -> (output) {
  points = deconv(input, point_filter, groups = groups);
  output = deconv(points, plane_filter, bias, border = border, padding = padding, stride = stride, dilation = dilation,
                  output_shape = output_shape, groups = 0);
}
)";

const std::vector<Fragment>& compounds() {
  static const std::vector<Fragment> fragments = Parser(kCompounds, "compounds").fragments();
  return fragments;
}

}  // namespace

const Fragment* compound_fragment(std::string_view name) {
  const auto at = std::ranges::find(compounds(), name, &Fragment::name);
  return at == compounds().end() ? nullptr : &*at;
}

std::vector<std::string_view> compound_names() {
  std::vector<std::string_view> names;
  for (const Fragment& fragment : compounds()) names.push_back(fragment.name);
  return names;
}

}  // namespace strata::opl
