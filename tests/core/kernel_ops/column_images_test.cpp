#include "core/kernel_ops/image_net.h"
#include "kernel_ops/blocked_conv_kernel.h"

using namespace strata;
using namespace strata::tests;

namespace {

struct ColumnConv {
  Shape image, weights;
  Conv op;
};

/// How many blocked convolutions the net of two such convolutions becomes, which give what they
/// gave.
std::size_t blocked_in(const ColumnConv& each) {
  Net net;
  OutletId x = net.open_input(each.image);
  for (int i = 0; i < 2; ++i)
    x = net.wire(each.op, {x, net.constant(net.small(each.weights)),
                           net.constant(net.small({each.weights[0]}))});
  return net.count_after<BlockedConvKernel>({x});
}

}  // namespace

TEST_SUITE("column images") {
  TEST_CASE("images of one column are convolved as those of one row") {
    for (const ColumnConv& each :
         {ColumnConv{{2, 32, 50, 1}, {32, 32, 5, 1}, {}},
          {{1, 32, 50, 1}, {32, 32, 5, 1}, {.strides = {2, 3}}},
          {{1, 32, 50, 1}, {32, 32, 3, 1}, {.padding = {Padding::Kind::fixed, {2, 0, 1, 0}}}},
          {{1, 32, 50, 1}, {32, 32, 1, 1}, {}},
          {{1, 32, 50, 1}, {32, 1, 7, 1}, {.group = 32}},
          {{1, 32, 50, 1}, {32, 16, 7, 1}, {.group = 2}},
          {{1, 32, 50, 1}, {32, 32, 5, 1}, {.dilations = {3, 1}}},
          // a window that goes beyond the column, or along it
          {{1, 32, 50, 1}, {32, 32, 3, 3}, {.padding = {Padding::Kind::fixed, {1, 1, 1, 1}}}},
          {{1, 32, 50, 3}, {32, 32, 5, 1}, {}}}) {
      CAPTURE(each.weights.size());
      CHECK(blocked_in(each) == 2);
    }
  }

  TEST_CASE("images of one column and few channels are convolved as those of one row") {
    for (const ColumnConv& each : {ColumnConv{{2, 3, 50, 1}, {3, 3, 5, 1}, {}},
                                   {{1, 2, 50, 1}, {2, 1, 3, 1}, {.strides = {2, 1}, .group = 2}},
                                   {{1, 3, 30, 5, 1}, {3, 3, 3, 2, 1}, {}},
                                   {{1, 3, 30, 1, 1}, {3, 3, 5, 1, 1}, {.dilations = {2, 1, 1}}}}) {
      CAPTURE(each.weights.size());
      blocked_in(each);
    }
  }

  TEST_CASE(
      "kernels of one column or row, and of taps far apart, are packed alike for all images") {
    const auto around = [](std::int64_t rows, std::int64_t columns) {
      return Padding{Padding::Kind::fixed, {rows, columns, rows, columns}};
    };
    for (const ColumnConv& each :
         {ColumnConv{{1, 32, 17, 17}, {32, 32, 7, 1}, {.padding = around(3, 0)}},
          {{1, 32, 17, 17}, {32, 32, 1, 7}, {.padding = around(0, 3)}},
          {{1, 32, 17, 17}, {32, 32, 3, 1}, {.dilations = {1, 8}, .padding = around(1, 0)}},
          {{1, 32, 9, 1}, {32, 32, 3, 1}, {.dilations = {8, 1}, .padding = around(8, 0)}},
          {{1, 32, 9, 9}, {32, 32, 3, 3}, {.dilations = {8, 8}, .padding = around(8, 8)}},
          {{1, 32, 30, 9}, {32, 32, 3, 3}, {.dilations = {4, 1}, .padding = around(4, 1)}}}) {
      CAPTURE(each.image.size());
      CHECK(blocked_in(each) == 2);
    }
  }

  TEST_CASE("the same weights serve convolutions of other dilations") {
    Net net;
    const OutletId x = net.open_input({1, 32, 11, 11});
    const OutletId weights = net.constant(net.small({32, 32, 3, 3}));
    const auto conv = [&](OutletId from, std::int64_t dilation) {
      const Shape around(4, dilation);
      return net.wire(
          Conv{.dilations = {dilation, dilation}, .padding = {Padding::Kind::fixed, around}},
          {from, weights});
    };
    CHECK(net.count_after<BlockedConvKernel>({conv(conv(conv(x, 2), 9), 2)}) == 3);
  }
}
