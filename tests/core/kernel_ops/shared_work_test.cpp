#include "kernel_ops/shared_work.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstring>

#include "core/kernel_ops/on_threads.h"
#include "kernel_ops/gru_cell_kernel.h"
#include "kernel_ops/lstm_cell_kernel.h"
#include "strata/core/ops/arg_reduce.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/conv.h"
#include "strata/core/ops/cumulate.h"
#include "strata/core/ops/layer_norm.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/softmax.h"
#include "strata/core/ops/top_k.h"
#include "strata/core/ops/trilu.h"
#include "strata/core/ops/unary.h"

using namespace strata;
using namespace strata::tests;

namespace {

constexpr WorkSize kLittle{.flops = 1e5}, kSome{.flops = 2e6}, kMuch{.flops = 1e9};

std::int64_t cells_wide(std::int64_t hidden, std::int64_t gates, Isa isa) {
  return kernels::kernels(isa).packed_b_size(hidden, gates * hidden);
}

}  // namespace

TEST_SUITE("shared work") {
  TEST_CASE("little work stays on one thread, and so does what a task does") {
    Workers workers(3);
    KernelIo io{.workers = &workers};
    CHECK(parts_of(io, kLittle, 1000) == 1);
    CHECK(parts_of(io, kSome, 1000) == 3);
    CHECK(parts_of(io, kSome, 2) == 2);
    CHECK(parts_of(io, kSome, 1) == 1);
    CHECK(parts_of(io, kMuch, 1000) == 3 * kMostRounds);
    CHECK(parts_of({}, kMuch, 1000) == 1);
    workers.run(2, [&](std::size_t) { CHECK(parts_of(io, kMuch, 1000) == 1); });
  }

  TEST_CASE("parts lie end to end and begin where cuts may be") {
    for (const std::int64_t n : {0, 1, 63, 64, 65, 1000})
      for (const std::int64_t step : {1, 16, 64})
        for (const std::int64_t parts : {1, 2, 3, 7}) {
          std::int64_t end = 0;
          for (std::int64_t part = 0; part < parts; ++part) {
            const kernels::Range range = part_of(n, step, {part, parts});
            CHECK(range.begin == end);
            CHECK((range.begin % step == 0 || range.begin == n));
            end = range.end;
          }
          CHECK(end == n);
        }
  }

  TEST_CASE("each part has scratch memory of its own, aligned") {
    Workers workers(2);
    const KernelIo io{.workers = &workers};
    std::vector<std::byte*> seen(4);
    share(io, 4, 100, [&](Share share, std::byte* scratch) {
      std::memset(scratch, static_cast<int>(share.number), 100);
      seen[static_cast<std::size_t>(share.number)] = scratch;
    });
    for (std::size_t part = 0; part < 4; ++part) {
      CHECK(reinterpret_cast<std::uintptr_t>(seen[part]) % 64 == 0);
      for (int i = 0; i < 100; ++i) CHECK(seen[part][i] == static_cast<std::byte>(part));
    }
  }

  TEST_CASE(
      "each thing is in one range, and what stays on one thread uses the kernel's own memory") {
    Workers workers(3);
    std::byte own[100];
    const KernelIo io{.scratch = own, .workers = &workers};
    for (const WorkSize& work : {kLittle, kMuch})
      for (const std::int64_t n : {0, 1, 1000}) {
        std::vector<int> times(static_cast<std::size_t>(n));
        std::atomic<bool> is_own = true;
        share_range(io, work, {.n = n, .step = 16, .scratch_bytes = sizeof own},
                    [&](kernels::Range range, std::byte* scratch) {
                      if (scratch != own) is_own = false;
                      for (std::int64_t i = range.begin; i < range.end; ++i)
                        ++times[static_cast<std::size_t>(i)];
                    });
        CHECK(times == std::vector<int>(static_cast<std::size_t>(n), 1));
        CHECK(is_own == (parts_of(io, work, (n + 15) / 16) == 1));
      }
  }

  TEST_CASE("products are the same on any number of threads") {
    Reals reals;
    Noise sizes(1);
    for (int i = 0; i < 6; ++i) {
      const std::int64_t m = sizes.number(1, 150), k = sizes.number(100, 450),
                         n = sizes.number(70, 300), batch = sizes.number(1, 5);
      check_lowered_threads(MatMul{}, {{reals({m, k})}, {reals({k, n}), true}});
      check_lowered_threads(MatMul{.transpose_b = true},
                            {{reals({batch, m, k})}, {reals({batch, n, k})}});
      check_lowered_threads(MatMul{.transpose_a = true}, {{reals({batch, k, m})}, {reals({k, n})}});
    }
    // More steps than are added up at once, of operands that are packed for some products only.
    for (const std::int64_t steps : {513, 680})
      check_lowered_threads(MatMul{}, {{reals({3, 28, steps})}, {reals({steps, 48})}});
    // One right operand for several products in a row, few of whose rows fill no vector.
    for (const bool transposed : {false, true}) {
      const Tensor right = reals(transposed ? Shape{6, 1, 14, 40} : Shape{6, 1, 40, 14});
      const MatMul op{false, transposed};
      check_lowered_threads(op, {{reals({6, 9, 13, 40})}, {right}});
    }
    for (const std::int64_t n : {300, 1001}) {
      check_lowered_threads(MatMul{}, {{reals({1, 500})}, {reals({500, n}), true}});
      check_lowered_threads(MatMul{}, {{reals({1, 500})}, {reals({500, n})}});
      check_lowered_threads(MatMul{.transpose_b = true}, {{reals({1, 500})}, {reals({n, 500})}});
      check_lowered_threads(MatMul{}, {{reals({n, 500})}, {reals({500, 1})}});
    }
  }

  TEST_CASE("convolutions are the same on any number of threads") {
    Reals reals;
    Noise sizes(2);
    for (int i = 0; i < 4; ++i) {
      const std::int64_t channels = 4 * sizes.number(4, 12), high = sizes.number(5, 30),
                         wide = sizes.number(20, 40), batch = sizes.number(1, 2);
      const Tensor x = reals({batch, channels, high, wide});
      check_lowered_threads(Conv{}, {{x}, {reals({50, channels, 1, 1}), true}});
      check_lowered_threads(Conv{}, {{x}, {reals({15, channels, 3, 2}), true}});
      check_lowered_threads(Conv{.group = channels}, {{x}, {reals({channels, 1, 3, 3}), true}});
      check_lowered_threads(Conv{.group = 2}, {{x}, {reals({14, channels / 2, 3, 2}), true}});
    }
  }

  TEST_CASE("cells are the same on any number of threads") {
    Reals reals;
    for (const Isa isa : supported_isas())
      for (const auto& [rows, hidden] :
           {std::pair<std::int64_t, std::int64_t>{1, 256}, {1, 250}, {3, 192}, {20, 96}}) {
        LstmCellKernel lstm{.hidden = hidden, .state_size = hidden, .places = {0, 1, 2, 3}};
        GruCellKernel gru{.hidden = hidden};
        lstm.input = lstm.output = lstm.forget = {kernels::Unary::sigmoid};
        lstm.candidate = lstm.squash = {kernels::Unary::tanh};
        gru.update = gru.reset = {kernels::Unary::sigmoid};
        gru.candidate = {kernels::Unary::tanh};
        lstm.isa = gru.isa = isa;
        const Tensor h = reals({rows, hidden}), c = reals({rows, hidden});
        const Tensor four = reals({cells_wide(hidden, 4, isa)}),
                     three = reals({cells_wide(hidden, 3, isa)}),
                     two = reals({cells_wide(hidden, 2, isa)}),
                     one = reals({cells_wide(hidden, 1, isa)});
        check_threads(lstm, {h, four, c, reals({rows, 4 * hidden}), reals({4 * hidden})});
        check_threads(gru, {h, three, reals({rows, 3 * hidden}), reals({3 * hidden})});
        gru.reset_kind = kernels::GruReset::before_product;
        check_threads(gru, {h, two, one, reals({rows, 3 * hidden})});
        lstm.peepholes = {0, 1, 2};
        lstm.output = {kernels::Unary::hard_sigmoid, 0.2F, 0.5F};
        check_threads(lstm, {h, four, c, reals({hidden}), reals({hidden}), reals({hidden}),
                             reals({rows, 4 * hidden})});
      }
  }

  TEST_CASE("what goes row by row or element by element is the same on any number of threads") {
    Reals reals;
    Noise sizes(3);
    for (int i = 0; i < 4; ++i) {
      const std::int64_t rows = sizes.number(80, 300), columns = sizes.number(500, 700);
      const Tensor x = reals({rows, columns}), y = reals({rows, columns});
      check_lowered_threads(Unary{UnaryOp::tanh}, {{x}});
      check_lowered_threads(Binary{BinaryOp::mul}, {{x}, {y}});
      check_lowered_threads(Binary{BinaryOp::add}, {{x}, {reals({columns})}});
      check_lowered_threads(Binary{BinaryOp::sub}, {{reals({2, rows, 1})}, {x}});
      check_lowered_threads(Softmax{.axes = {-1}}, {{x}});
      check_lowered_threads(LayerNorm{}, {{x}, {reals({columns})}, {reals({columns})}});
      check_lowered_threads(Reduce{Reduction::sum},
                            {{x}, {Tensor::of<std::int64_t>({1}, {1}), true}});
      check_lowered_threads(Pool{.kind = PoolKind::max, .kernel = {3, 3}},
                            {{reals({2, 40, 31, columns / 10})}});
    }
  }

  TEST_CASE("what goes lane by lane is the same on any number of threads") {
    Reals reals;
    const auto integer = [](std::int64_t value) {
      return KernelOperand{Tensor::of<std::int64_t>({1}, {value}), true};
    };
    for (const Shape& shape : {Shape{90, 600}, Shape{8, 50, 130}}) {
      const Tensor x = reals(shape);
      for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.size()); ++axis) {
        check_lowered_threads(Softmax{.axes = {axis}}, {{x}});
        check_lowered_threads(Softmax{SoftmaxKind::log_softmax, {axis}}, {{x}});
        check_lowered_threads(Reduce{Reduction::log_sum_exp}, {{x}, integer(axis)});
        check_lowered_threads(Reduce{Reduction::l2}, {{x}, integer(axis)});
        check_lowered_threads(ArgReduce{.axis = axis}, {{x}});
        check_lowered_threads(Cumulate{}, {{x}, integer(axis)});
        check_lowered_threads(TopK{.axis = axis}, {{x}, integer(7)});
      }
      check_lowered_threads(Binary{BinaryOp::pow}, {{x}, {reals({shape.back()})}});
      check_lowered_threads(Binary{BinaryOp::less}, {{x}, {reals(shape)}});
      check_lowered_threads(Concat{0}, {{x}, {x}});
      check_lowered_threads(Concat{1}, {{x}, {reals(shape)}});
      check_lowered_threads(Cast{DatumType::f16}, {{x}});
      check_lowered_threads(Quantize{.to = DatumType::i8}, {{x}, {Tensor::scalar(0.01F), true}});
      check_lowered_threads(Quantize{.to = DatumType::u8, .axis = 0},
                            {{x}, {reals({shape[0]}), true}});
      check_lowered_threads(Trilu{}, {{x}});
      check_lowered_threads(Cast{DatumType::f32}, {{cast(x, DatumType::f16)}});
      const Tensor small = Tensor::of<std::int8_t>(
          x.shape(), std::vector<std::int8_t>(static_cast<std::size_t>(x.size()), -128));
      for (const UnaryOp op : {UnaryOp::abs, UnaryOp::bitwise_not, UnaryOp::neg})
        check_lowered_threads(Unary{op}, {{small}});
    }
  }

  TEST_CASE("a fused chain is the same on any number of threads") {
    Reals reals;
    for (const Shape& shape : {Shape{40000}, Shape{90, 700}, Shape{300, 100}}) {
      const Tensor x = reals(shape), row = reals({shape[shape.size() - 1]});
      TypedModel model;
      const OutletId a = model.add_source("a", Fact::tensor(x.dtype(), x.shape())),
                     b = model.add_source("b", Fact::tensor(row.dtype(), row.shape()));
      const OutletId sum = model.wire_one("sum", Binary{BinaryOp::add}, {a, b});
      const OutletId bent = model.wire_one("bent", Unary{UnaryOp::tanh}, {sum});
      model.add_output("y", model.wire_one("y", Unary{UnaryOp::exp}, {bent}));
      for (const Isa isa : supported_isas()) check_kernel_threads(model, {x, row}, isa);
    }
  }
}
