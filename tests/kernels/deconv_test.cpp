#include <doctest/doctest.h>

#include "conv_reference.h"

namespace strata::kernels::testing {
namespace {

/// By definition: each input is spread over the outputs that its taps reach. Weights are laid out
/// [groups * out_channels, in_channels, kernel...].
std::vector<double> expected_of(const Deconv& d, const float* weights) {
  const ConvShape& s = d.shape;
  const Window& w = s.window;
  const Index to = volume(w.in), from = volume(w.out), taps = volume(w.kernel);
  std::vector<double> y;
  for (Index i = 0; i < s.batch * s.groups * s.in_channels; ++i)
    y.insert(y.end(), size(to),
             d.bias ? static_cast<double>(d.bias[i % (s.groups * s.in_channels)]) : 0);
  for (Index n = 0; n < s.batch * s.groups; ++n)
    for (Index i = 0; i < from; ++i)
      for (Index t = 0; t < taps; ++t) {
        const Index in[3] = {i / (w.out[1] * w.out[2]), i / w.out[2] % w.out[1], i % w.out[2]};
        const auto at = input_of(w, in, t);
        if (!at) continue;
        for (Index c = 0; c < s.out_channels; ++c) {
          const auto x = static_cast<double>(d.x[(n * s.out_channels + c) * from + i]);
          const Index channel = n % s.groups * s.out_channels + c;
          const float* own = weights + channel * s.in_channels * taps + t;
          double* out = y.data() + n * s.in_channels * to + *at;
          for (Index m = 0; m < s.in_channels; ++m)
            out[m * to] += x * static_cast<double>(own[m * taps]);
        }
      }
  for (double& value : y) value = apply(d.activation, value);
  return y;
}

/// One axis: inputs, kernel, stride, dilation, what is cut off before and after, what is added.
struct Spread {
  Index in, kernel, stride, dilation, before, after, extra;
};

Window window_of(std::initializer_list<Spread> axes) {
  Window w;
  int i = 3 - static_cast<int>(axes.size());
  for (const Spread& a : axes) {
    w.out[i] = a.in;
    w.kernel[i] = a.kernel;
    w.stride[i] = a.stride;
    w.dilation[i] = a.dilation;
    w.pad[i] = a.before;
    w.in[i] =
        (a.in - 1) * a.stride + (a.kernel - 1) * a.dilation + 1 + a.extra - a.before - a.after;
    ++i;
  }
  return w;
}

Window square(const Spread& a) {
  Spread wide = a;
  wide.in += 3;
  return window_of({a, wide});
}

double error_of(const KernelTable& t, const ConvShape& s, const UnaryFunction& activation = {},
                Index parts = 1) {
  const std::vector<float> x = noise(s.batch * s.groups * s.out_channels * volume(s.window.out)),
                           weights = noise(
                               s.groups * s.out_channels * s.in_channels * volume(s.window.kernel),
                               5),
                           bias = noise(s.groups * s.in_channels, 9);
  std::vector<float> packed(size(t.deconv_weights_size(s))),
      y(size(s.batch * s.groups * s.in_channels * volume(s.window.in)), kNan);
  t.pack_deconv_weights(s, weights.data(), packed.data());
  Scratch scratch(t.deconv_scratch(s));
  const Deconv d{s, x.data(), packed.data(), bias.data(), activation, y.data()};
  const Index tasks = t.deconv_tasks(s);
  for (Index part = 0; part < parts; ++part)
    t.deconv(d, {tasks * part / parts, tasks * (part + 1) / parts}, scratch.get());
  return largest_error(y, expected_of(d, weights.data()));
}

constexpr double kTolerance = 1e-5;

}  // namespace

TEST_CASE("deconvolutions of two axes, by all kinds of steps") {
  const Spread spreads[] = {{5, 1, 1, 1, 0, 0, 0}, {5, 3, 1, 1, 1, 1, 0}, {6, 2, 2, 1, 0, 0, 0},
                            {7, 4, 2, 1, 1, 1, 0}, {7, 3, 2, 1, 1, 1, 1}, {4, 3, 3, 1, 0, 0, 0},
                            {4, 2, 3, 1, 0, 0, 2}, {4, 5, 3, 1, 2, 0, 1}, {5, 3, 2, 2, 2, 1, 0},
                            {5, 3, 3, 2, 0, 3, 0}, {9, 2, 4, 3, 1, 1, 3}, {3, 4, 2, 1, 5, 0, 0},
                            {1, 4, 1, 1, 0, 0, 0}, {2, 2, 2, 1, 1, 0, 0}, {6, 2, 2, 1, 0, 0, 5}};
  for_each_isa([&](const KernelTable& t) {
    for (const Spread& spread : spreads)
      for (const Index channels : {1, 3, 20}) {
        CAPTURE(spread.kernel);
        CAPTURE(spread.stride);
        CAPTURE(channels);
        CHECK(error_of(t, {1, 1, 2, channels, square(spread)}) < kTolerance);
        CHECK(error_of(t, {1, 1, 33, channels, square(spread)}) < kTolerance);
      }
  });
}

TEST_CASE("deconvolutions whose steps are powers of two, cut off anywhere") {
  for_each_isa([](const KernelTable& t) {
    for (const Index stride : {4, 8, 16, 32})
      for (const Index inputs : {1, 7, 41})
        for (const Index before : {0, 1, 2, 3, 11}) {
          const Spread line{inputs, stride, stride, 1, before % stride, before % 3, 2};
          CAPTURE(stride);
          CAPTURE(inputs);
          CAPTURE(before);
          CHECK(error_of(t, {1, 1, 3, 5, window_of({line})}) < kTolerance);
          CHECK(error_of(t, {1, 1, 3, 2, window_of({{2, 3, 2, 1, 1, 0, 0}, line})}) < kTolerance);
        }
  });
}

TEST_CASE("deconvolutions of one and of three axes") {
  for_each_isa([](const KernelTable& t) {
    const Spread a{5, 3, 2, 1, 1, 0, 0}, b{4, 2, 2, 1, 0, 0, 0}, c{6, 4, 3, 1, 1, 2, 1};
    CHECK(error_of(t, {2, 1, 3, 5, window_of({a})}) < kTolerance);
    CHECK(error_of(t, {2, 1, 3, 5, window_of({b})}) < kTolerance);
    CHECK(error_of(t, {1, 1, 3, 5, window_of({a, b, c})}) < kTolerance);
    CHECK(error_of(t, {1, 1, 3, 5, window_of({c, a, b})}) < kTolerance);
    CHECK(error_of(t, {1, 2, 2, 1, window_of({b, c, a})}) < kTolerance);
  });
}

TEST_CASE("deconvolutions in groups, of several images") {
  for_each_isa([](const KernelTable& t) {
    for (const Index groups : {2, 5})
      for (const Index in : {1, 4})
        for (const Index out : {1, 6})
          CHECK(error_of(t, {2, groups, in, out, square({6, 4, 2, 1, 1, 1, 0})}) < kTolerance);
  });
}

TEST_CASE("deconvolutions larger than a strip, in any number of parts") {
  for_each_isa([](const KernelTable& t) {
    // 60 channels leave about a thousand pixels to a strip: rows of 48, or pieces of one row.
    const ConvShape plane{1, 1, 30, 60,
                          window_of({{90, 4, 2, 1, 1, 1, 0}, {48, 4, 2, 1, 1, 1, 0}})},
        pairs{1, 1, 30, 60, window_of({{90, 2, 2, 1, 0, 0, 0}, {48, 2, 2, 1, 0, 0, 0}})},
        line{1, 1, 8, 60, window_of({{4001, 9, 4, 1, 3, 2, 0}})},
        volume{1, 1, 6, 40,
               window_of({{9, 3, 2, 1, 1, 1, 0}, {20, 3, 1, 1, 1, 1, 0}, {21, 2, 2, 1, 0, 0, 0}})};
    for (const ConvShape& shape : {plane, pairs, line, volume}) {
      REQUIRE(t.deconv_tasks(shape) > 1);
      CHECK(error_of(t, shape) < kTolerance);
      CHECK(error_of(t, shape, {}, 3) < kTolerance);
    }
  });
}

TEST_CASE("activations follow the sum") {
  for_each_isa([](const KernelTable& t) {
    for (const UnaryFunction& f :
         {UnaryFunction{Unary::relu}, UnaryFunction{Unary::clip, -0.2f, 0.4f},
          UnaryFunction{Unary::sigmoid}, UnaryFunction{Unary::leaky_relu, 0.1f}}) {
      CHECK(error_of(t, {1, 1, 3, 5, square({6, 2, 2, 1, 0, 0, 0})}, f) < kTolerance);
      CHECK(error_of(t, {1, 1, 3, 5, square({6, 4, 2, 1, 1, 1, 0})}, f) < kTolerance);
    }
  });
}

TEST_CASE("a deconvolution to nothing has no tasks, one of nothing gives the bias") {
  for_each_isa([](const KernelTable& t) {
    ConvShape empty{1, 1, 3, 5, square({6, 2, 2, 1, 0, 0, 0})};
    empty.batch = 0;
    CHECK(t.deconv_tasks(empty) == 0);
    ConvShape alone{1, 1, 3, 5, square({6, 2, 2, 1, 0, 0, 0})};
    alone.window.out[1] = 0;
    CHECK(error_of(t, alone) < kTolerance);
  });
}

TEST_CASE(
    "deconvolutions whose axes are empty ask for memory, and have no tasks or give the bias") {
  const Spread wide{4, 5, 2, 1, 0, 0, 0}, nothing{0, 2, 2, 1, 0, 0, 0}, bias{0, 5, 2, 1, 0, 0, 0};
  for_each_isa([&](const KernelTable& t) {
    for (const Spread& empty : {nothing, bias})
      for (const Window& w :
           {window_of({empty}), window_of({empty, wide}), window_of({wide, empty}),
            window_of({empty, empty}), window_of({empty, wide, wide}),
            window_of({wide, empty, wide}), window_of({wide, wide, empty})})
        CHECK(error_of(t, {2, 1, 3, 5, w}) < kTolerance);
  });
}

}  // namespace strata::kernels::testing
