#include "core/kernel_ops/integer_draft.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/pool.h"
#include "strata/core/ops/quantize.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/resize.h"
#include "strata/core/ops/slice.h"
#include "strata/core/ops/split.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/tile.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"

using namespace strata;
using namespace strata::tests;

namespace {

const Shape kShape{2, 3, 1, 40};

/// Bytes that are moved as floats.
struct MovedBytes : Draft {
  Noise noise{1};
  Tensor scale = Tensor::scalar(0.05F);

  OutletId bytes_of(DatumType type = DatumType::u8) {
    return add(bytes(noise, type, kShape), Given::input);
  }
  OutletId floats(OutletId x, int zero = 100) {
    return wire(Dequantize{}, {x, constant(scale), point(x, zero)});
  }
  OutletId quantised(OutletId x, DatumType type = DatumType::u8, int zero = 100) {
    return wire(Quantize{type}, {x, constant(scale), constant(cast(Tensor::scalar(zero), type))});
  }
  OutletId point(OutletId x, int zero) {
    return constant(cast(Tensor::scalar(zero), model.fact(x).dtype));
  }
  OutletId integers(const Shape& values) {
    return constant(Tensor::of<std::int64_t>({std::ssize(values)}, values));
  }
};

using Move = OutletId (*)(MovedBytes&, OutletId);

/// That give each element once at most.
constexpr Move kPicks[] = {
    [](MovedBytes& d, OutletId x) {
      return d.wire(Reshape{}, {x, d.integers({6, 40})});
    },
    [](MovedBytes& d, OutletId x) {
      return d.wire(Transpose{{0, 3, 2, 1}}, {x});
    },
    [](MovedBytes& d, OutletId x) {
      return d.wire(Squeeze{}, {x, d.integers({2})});
    },
    [](MovedBytes& d, OutletId x) {
      return d.wire(Unsqueeze{}, {x, d.integers({1})});
    },
    [](MovedBytes& d, OutletId x) {
      return d.wire(Slice{}, {x, d.integers({1}), d.integers({3}), d.integers({1})});
    }};
/// That may give some more often.
constexpr Move kRepeats[] = {
    [](MovedBytes& d, OutletId x) {
      return d.wire(Gather{1}, {x, d.integers({2, 0, 2})});
    },
    [](MovedBytes& d, OutletId x) {
      return d.wire(Expand{}, {x, d.integers({2, 3, 5, 40})});
    },
    [](MovedBytes& d, OutletId x) {
      return d.wire(Tile{}, {x, d.integers({1, 2, 1, 1})});
    },
    [](MovedBytes& d, OutletId x) {
      return d.wire(Resize{}, {x, d.constant(Tensor::of<float>({4}, {1, 1, 2, 2}))});
    }};

template <class Visit>
void for_each_move(const Visit& visit) {
  for (const Move move : kPicks) visit(move);
  for (const Move move : kRepeats) visit(move);
}

/// How many nodes there are after `optimise`, and how many of them make floats.
struct Left {
  std::size_t nodes, floats;
};

/// Checks that, and that no bit of the output changes.
void check_left(const MovedBytes& given, const OutletIds& outputs, const Left& left) {
  MovedBytes draft = given;
  for (const OutletId wire : outputs) draft.model.add_output(cat("y", wire.node), wire);
  const ValueList before = run_model(draft.model, draft.values);
  optimise(draft.model);
  std::size_t floats = 0;
  for (const std::uint32_t id : draft.model.order()) {
    const TypedNode& node = draft.model.node(id);
    if (!node.erased && !node.inputs.empty())
      floats += node.outputs[0].fact.dtype == DatumType::f32;
  }
  CHECK(computed_nodes(draft.model) == left.nodes);
  CHECK(floats == left.floats);
  CHECK(run_model(draft.model, draft.values) == before);
}

}  // namespace

TEST_SUITE("dequantised bytes that are moved") {
  TEST_CASE("are moved as bytes where they are quantised again") {
    for_each_move([](Move move) {
      for (const DatumType type : kBytes) {
        MovedBytes d;
        const OutletId moved = move(d, d.floats(d.bytes_of(type)));
        check_left(d, {d.quantised(moved, type)}, {1, 0});
        check_left(d, {d.quantised(moved, type, 90)}, {2, 0});  // and a table
      }
    });
  }

  TEST_CASE("are moved as bytes by several moves, whatever the rank of their scale") {
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{1, 1}}) {
      MovedBytes d;
      d.scale = d.scale.reshaped(shape);
      OutletId moved = d.floats(d.bytes_of());
      for (const Move move : {kPicks[4], kPicks[1], kPicks[3]}) moved = move(d, moved);
      d.scale = d.scale.reshaped({});
      check_left(d, {d.quantised(moved)}, {3, 0});
    }
  }

  TEST_CASE("are moved as floats where only a run tells their zero point") {
    for (const ShapeFact& shape : {ShapeFact(Shape{1}), ShapeFact::open()}) {
      MovedBytes d;
      d.scale = d.scale.reshaped({1});
      const OutletId x = d.bytes_of(),
                     zero = d.add(bytes(d.noise, DatumType::u8, {1}), Given::input);
      d.model.set_fact(zero, Fact::tensor(DatumType::u8, shape));
      const OutletId floats = d.wire(Dequantize{}, {x, d.constant(d.scale), zero});
      d.scale = d.scale.reshaped({});
      check_left(d, {d.quantised(kPicks[1](d, floats))}, {3, 2});
    }
  }

  TEST_CASE("are moved as bytes where they are split and joined") {
    MovedBytes d;
    const OutletId x = d.floats(d.bytes_of()), y = d.floats(d.bytes_of());
    const OutletIds parts = d.model.wire("parts", Split{3, 2}, {x});
    check_left(d, {d.quantised(parts[0]), d.quantised(parts[1], DatumType::u8, 90)}, {2, 0});
    check_left(d, {d.quantised(d.wire(Concat{3}, {x, y}))}, {1, 0});
    const OutletId other = d.floats(d.bytes_of(DatumType::i8), -20);
    check_left(d, {d.quantised(d.wire(Concat{1}, {x, other, y}))}, {2, 0});
    const OutletId bent = d.unary(UnaryOp::tanh, y);
    check_left(d, {d.quantised(d.wire(Concat{1}, {x, bent}))}, {2, 0});
  }

  TEST_CASE("are pooled as bytes where floats are in their order and no window lies outside") {
    Pool pool{.kind = PoolKind::max, .kernel = {1, 3}, .strides = {1, 2}};
    pool.padding.amounts = {0, 1, 0, 2};
    const auto check_pool = [](const Pool& op, DatumType type, float scale, const Left& left) {
      MovedBytes d;
      d.scale = Tensor::scalar(scale);
      const OutletId greatest = d.wire(op, {d.floats(d.bytes_of(type))});
      d.scale = Tensor::scalar(0.05F);
      check_left(d, {d.quantised(greatest, type)}, left);
    };
    for (const DatumType type : kBytes) check_pool(pool, type, 0.05F, {1, 0});
    check_pool(pool, DatumType::u8, 0.04F, {2, 0});  // and a table
    const Left by_floats{3, 2};
    check_pool(pool, DatumType::u8, -0.05F, by_floats);
    Pool other = pool;
    other.padding.amounts = {0, 3, 0, 2};
    check_pool(other, DatumType::i8, 0.05F, by_floats);
    other = pool;
    other.dilations = {1, 2};
    check_pool(other, DatumType::i8, 0.05F, by_floats);
    other = pool;
    other.kind = PoolKind::average;
    check_pool(other, DatumType::i8, 0.05F, by_floats);
  }

  TEST_CASE("are moved as bytes to a product, which then takes bytes") {
    MovedBytes d;
    d.scale = Tensor::scalar(0.25F);  // so that floats hold every product and sum
    const OutletId rows = d.wire(Reshape{}, {d.floats(d.bytes_of()), d.integers({6, 40})});
    const Tensor weights = bytes(d.noise, DatumType::i8, {40, 30});
    const OutletId product = d.wire(MatMul{}, {rows, d.floats(d.constant(weights), 0)});
    check_left(d, {product}, {2, 1});
  }

  TEST_CASE(
      "are moved as floats if other nodes read the floats, or they are repeated or scaled by "
      "channels") {
    MovedBytes d;
    const OutletId x = d.floats(d.bytes_of());
    const OutletId turned = kPicks[1](d, x);
    check_left(d, {turned}, {2, 1});  // dequantised afterwards
    check_left(d, {d.unary(UnaryOp::neg, turned), d.unary(UnaryOp::abs, x)}, {4, 4});
    for (const Move move : kRepeats) check_left(d, {move(d, x)}, {2, 2});
    const OutletId scales = d.constant(Tensor::of<float>({3}, {1, 2, 3}));
    const OutletId channels = d.wire(Dequantize{}, {d.bytes_of(), scales});
    check_left(d, {kPicks[1](d, channels)}, {2, 2});
    const OutletId other = d.floats(d.bytes_of(), 90);
    check_left(d, {d.wire(Concat{1}, {x, other})}, {3, 3});
    const OutletId joined = d.wire(Concat{1}, {x, d.unary(UnaryOp::neg, channels)});
    check_left(d, {d.quantised(joined)}, {5, 4});
  }
}
