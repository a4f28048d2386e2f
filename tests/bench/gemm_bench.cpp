// Prints the speed of the f32 matrix product and convolution kernels of each instruction set, on
// one thread, and the share of what its register tile reaches on operands in the nearest cache.
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "kernels/table.h"
#include "measuring.h"
#include "strata/core/cpu.h"

namespace {

using namespace strata;
using namespace strata::kernels;
using bench::shortest;

std::vector<float> noise(Index n) {
  std::vector<float> v(static_cast<std::size_t>(n));
  bench::fill_with_noise(v);
  return v;
}

struct Scratch {
  explicit Scratch(std::size_t bytes) : data(std::aligned_alloc(64, (bytes + 127) / 64 * 64)) {}
  ~Scratch() { std::free(data); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data;
};

Gemm shaped(Index m, Index k, Index n) {
  Gemm g;
  g.m = m;
  g.k = k;
  g.n = n;
  return g;
}

/// GFLOP/s of a product so small that only the register tile matters.
double peak(const KernelTable& t) {
  const Index m = t.gemm_row_step(1000000), n = t.gemm_column_step(), k = 256;
  const auto a = noise(t.packed_a_size(m, k)), b = noise(t.packed_b_size(k, n));
  std::vector<float> c(static_cast<std::size_t>(m * n));
  Gemm g = shaped(m, k, n);
  g.packed_a = a.data();
  g.packed_b = b.data();
  g.c = c.data();
  g.c_stride = n;
  const double seconds = shortest([&] {
    for (int i = 0; i < 1000; ++i) t.gemm(g, {0, m}, {0, n}, nullptr);
  });
  return 2000.0 * static_cast<double>(m * n * k) / seconds * 1e-9;
}

struct Report {
  std::string_view isa;
  double peak;
  void line(const char* what, double flops, double seconds) const {
    const double speed = flops / seconds * 1e-9;
    std::printf("%-9s %-34s %9.1f us %7.1f GF/s %5.1f %%\n", isa.data(), what, seconds * 1e6, speed,
                100 * speed / peak);
  }
};

enum class Packing { none, b };

void gemm_line(const KernelTable& t, const Report& report, Index m, Index k, Index n,
               Packing packing) {
  const auto a = noise(m * k), b = noise(k * n);
  std::vector<float> c(static_cast<std::size_t>(m * n));
  std::vector<float> packed(static_cast<std::size_t>(t.packed_b_size(k, n)));
  Gemm g = shaped(m, k, n);
  g.a = {a.data(), k, 1};
  g.b = {b.data(), n, 1};
  g.c = c.data();
  g.c_stride = n;
  t.pack_b(g.b, k, n, packed.data());
  if (packing == Packing::b) g.packed_b = packed.data();
  const Scratch scratch(t.gemm_scratch(g));
  char what[64];
  std::snprintf(what, sizeof what, "gemm %tdx%tdx%td%s", m, k, n, g.packed_b ? " packed B" : "");
  report.line(what, 2.0 * static_cast<double>(m * n * k), shortest([&] {
                t.gemm(g, {0, m}, {0, n}, scratch.data);
              }));
}

void conv_line(const KernelTable& t, const Report& report, const char* what, const ConvShape& s) {
  const auto volume = [](const Index(&v)[3]) { return v[0] * v[1] * v[2]; };
  const Index k = s.in_channels * volume(s.window.kernel);
  const auto x = noise(s.batch * s.groups * s.in_channels * volume(s.window.in));
  const auto w = noise(s.groups * s.out_channels * k), bias = noise(s.groups * s.out_channels);
  std::vector<float> y(
      static_cast<std::size_t>(s.batch * s.groups * s.out_channels * volume(s.window.out)));
  std::vector<float> packed(static_cast<std::size_t>(t.conv_weights_size(s)));
  t.pack_conv_weights(s, w.data(), packed.data());
  const Scratch scratch(t.conv_scratch(s));
  Conv c;
  c.shape = s;
  c.x = x.data();
  c.packed_weights = packed.data();
  c.bias = bias.data();
  c.activation.op = Unary::relu;
  c.y = y.data();
  report.line(what, 2.0 * static_cast<double>(y.size()) * static_cast<double>(k), shortest([&] {
                t.conv(c, {0, t.conv_tasks(s)}, scratch.data);
              }));
}

ConvShape square(Index in_channels, Index out_channels, Index groups, Index size, Index kernel,
                 Index stride) {
  ConvShape s{.batch = 1,
              .groups = groups,
              .in_channels = in_channels,
              .out_channels = out_channels,
              .window = {}};
  for (int i = 1; i < 3; ++i) {
    s.window.in[i] = size;
    s.window.kernel[i] = kernel;
    s.window.stride[i] = stride;
    s.window.pad[i] = kernel / 2;
    s.window.out[i] = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  }
  return s;
}

void unary_line(const KernelTable& t, std::string_view isa, const char* what, Unary op) {
  const auto x = noise(1 << 20);
  std::vector<float> y(x.size());
  const double s = shortest([&] { t.unary({op, 0, 0}, x.data(), y.data(), 1 << 20); });
  std::printf("%-9s %-34s %9.1f us\n", isa.data(), what, s * 1e6);
}

}  // namespace

int main() {
  for (const Isa isa : supported_isas()) {
    const KernelTable& t = kernels::kernels(isa);
    const Report report{to_string(isa), peak(t)};
    std::printf("%-9s tile peak %.1f GF/s\n", report.isa.data(), report.peak);
    for (const Index n : {64, 128, 256, 512, 1024}) {
      gemm_line(t, report, n, n, n, Packing::none);
      gemm_line(t, report, n, n, n, Packing::b);
    }
    gemm_line(t, report, 128, 768, 3072, Packing::b);
    gemm_line(t, report, 128, 3072, 768, Packing::b);
    gemm_line(t, report, 1, 1024, 1024, Packing::none);
    gemm_line(t, report, 1, 1024, 1024, Packing::b);
    conv_line(t, report, "conv 3x3 64->64 @56", square(64, 64, 1, 56, 3, 1));
    conv_line(t, report, "conv 3x3 512->512 @7", square(512, 512, 1, 7, 3, 1));
    conv_line(t, report, "conv 1x1 256->64 @56", square(256, 64, 1, 56, 1, 1));
    conv_line(t, report, "conv 1x1 64->256 @56", square(64, 256, 1, 56, 1, 1));
    conv_line(t, report, "conv 7x7/2 3->64 @224", square(3, 64, 1, 224, 7, 2));
    conv_line(t, report, "conv dw 3x3 144 @56", square(1, 1, 144, 56, 3, 1));
    conv_line(t, report, "conv dw 5x5 240 @28", square(1, 1, 240, 28, 5, 1));
    unary_line(t, report.isa, "exp 2^20", Unary::exp);
    unary_line(t, report.isa, "tanh 2^20", Unary::tanh);
    unary_line(t, report.isa, "erf 2^20", Unary::erf);
  }
}
