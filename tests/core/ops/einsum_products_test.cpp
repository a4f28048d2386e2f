#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "strata/core/ops/einsum.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

namespace {

Tensor floats(Shape shape, std::initializer_list<float> values) {
  return Tensor::of<float>(std::move(shape), values);
}

TypedModel decluttered(const char* equation, const std::vector<Fact>& inputs) {
  TypedModel model;
  OutletIds wires;
  for (const Fact& fact : inputs) wires.push_back(model.add_source(cat("in", wires.size()), fact));
  model.add_output("out", model.wire_one("node", Einsum{equation}, wires));
  declutter(model);
  return model;
}

/// Checks what comes of an Einsum of these tensors whose sizes are known, and of one that knows
/// none of them.
void check_all(const char* equation, const std::vector<Tensor>& inputs, const Tensor& expected) {
  CAPTURE(equation);
  std::vector<Fact> known, open;
  for (const Tensor& input : inputs) {
    known.push_back(Fact::tensor(input.dtype(), input.shape()));
    std::vector<Dim> dims;
    for (std::size_t axis = 0; axis < input.rank(); ++axis)
      dims.push_back(Dim::symbol(cat("D", open.size(), "_", axis)));
    open.push_back(Fact::tensor(input.dtype(), dims));
  }
  const ValueList values(inputs.begin(), inputs.end());
  check_close(run_model(decluttered(equation, known), values)[0], expected);
  check_close(run_model(decluttered(equation, open), values)[0], expected);
}

/// How many nodes of a decluttered Einsum of two inputs of these shapes are `Op`s.
template <class Op>
std::ptrdiff_t count_of(const char* equation, const std::vector<Dim>& x,
                        const std::vector<Dim>& y) {
  const TypedModel model =
      decluttered(equation, {Fact::tensor(DatumType::f32, x), Fact::tensor(DatumType::f32, y)});
  return std::ranges::count_if(model.nodes(),
                               [](const TypedNode& node) { return node.op.as<Op>() != nullptr; });
}

bool is_left(const char* equation, const std::vector<Dim>& x, const std::vector<Dim>& y) {
  return count_of<Einsum>(equation, x, y) > 0;
}

}  // namespace

TEST_SUITE("einsum as products") {
  const Tensor a = floats({2, 2}, {1, 2, 3, 4}), b = floats({2, 3}, {1, 0, 2, 0, 1, 3}),
               v = floats({2}, {10, 1});
  const auto check = [](const char* equation, const Tensor& x, const Tensor& y, const Tensor& z) {
    check_all(equation, {x, y}, z);
  };

  TEST_CASE("matrices are multiplied, and the output laid out as it is wanted") {
    check("ij,jk->ik", a, b, floats({2, 3}, {1, 2, 8, 3, 4, 18}));
    check("ij,jk->ki", a, b, floats({3, 2}, {1, 3, 2, 4, 8, 18}));
    check("j,jk->k", v, b, floats({3}, {10, 1, 23}));
    check("ij,j->i", a, v, floats({2}, {12, 34}));
    check("ij,ij->", a, a, Tensor::scalar<float>(30));
    check(",ij->ji", Tensor::scalar<float>(2), a, floats({2, 2}, {2, 6, 4, 8}));
    check(",ii->i", Tensor::scalar<float>(2), a, floats({2}, {2, 8}));
  }

  TEST_CASE("axes that are summed up, or that one operand has, are joined") {
    // 1 * 5 + 2 * 7 + 3 * 6 + 4 * 8
    check("ijk,jil->kl", a.reshaped({2, 2, 1}), floats({2, 2, 1}, {5, 6, 7, 8}),
          floats({1, 1}, {69}));
    check("ij,jkl->ikl", a, b.reshaped({2, 1, 3}), floats({2, 1, 3}, {1, 2, 8, 3, 4, 18}));
  }

  TEST_CASE("an axis of 1 that is summed is stretched to the other's size") {
    // 10 (1 + 5), 10 (2 + 6), 10 (3 + 7), 10 (4 + 8), the axes of b in the order l, k, j
    check("k,lkj->lj", floats({1}, {10}), floats({2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8}),
          floats({2, 2}, {60, 80, 100, 120}));
    check("lkj,k->lj", floats({2, 2, 2}, {1, 2, 5, 6, 3, 4, 7, 8}), floats({1}, {10}),
          floats({2, 2}, {60, 80, 100, 120}));
  }

  TEST_CASE("a batch may have several axes of the left operand behind it") {
    const Tensor rows = floats({2, 1, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor weights = floats({2, 2, 1}, {10, 1, 1, 10});
    check("zabk,zkr->rzab", rows, weights, floats({1, 2, 1, 2}, {12, 34, 65, 87}));
    check("zabk,zk->zab", rows, weights.reshaped({2, 2}), floats({2, 1, 2}, {12, 34, 65, 87}));
  }

  TEST_CASE("an axis of one stretches, whether it is kept or summed up") {
    const Tensor column = floats({2, 1}, {10, 1});
    check("ij,ij->i", column, b, floats({2}, {30, 4}));
    check("ij,ij->i", b, column, floats({2}, {30, 4}));
    check("ij,jk->ik", column, b, floats({2, 3}, {10, 10, 50, 1, 1, 5}));
    check("zij,zjk->zik", a.reshaped({1, 2, 2}), floats({2, 2, 1}, {1, 0, 0, 1}),
          floats({2, 2, 1}, {1, 3, 2, 4}));
    // two axes are summed up, which would be joined: (1 + 2 + 3) * 4 + (1 + 2 + 3) * 5
    check("ij,ij->", floats({1, 3}, {1, 2, 3}), floats({2, 1}, {4, 5}), Tensor::scalar<float>(54));
    check("ij,ij->", a, floats({1, 2}, {1, 10}), Tensor::scalar<float>(64));  // 1 + 20 + 3 + 40
    const Tensor none = MutableTensor(DatumType::f32, {2, 0}).freeze();
    check("ij,ij->i", column, none, floats({2}, {0, 0}));
  }

  TEST_CASE("elements are multiplied where nothing is summed up") {
    check("ij,ji->ij", a, a, floats({2, 2}, {1, 6, 6, 16}));
    check("ij,i->ji", a, v, floats({2, 2}, {10, 3, 20, 4}));
    check("i,j->ij", v, v, floats({2, 2}, {100, 10, 10, 1}));
  }

  TEST_CASE("labels that one operand has are summed up in it") {
    check("ij,kl->i", a, b, floats({2}, {21, 49}));  // 3 * 7 and 7 * 7
    check("ij,jk->", a, b, Tensor::scalar<float>(36));
    check("ij,k->j", a, v, floats({2}, {44, 66}));
  }

  TEST_CASE("an ellipsis stands for axes, which are aligned at the last") {
    check("...ij,...jk->...ik", a.reshaped({1, 2, 2}), b.reshaped({1, 2, 3}),
          floats({1, 2, 3}, {1, 2, 8, 3, 4, 18}));
    check("...j,j->...", a, v, floats({2}, {12, 34}));
    check("...i,...i->i...", a.reshaped({1, 2, 2}), a, floats({2, 1, 2}, {1, 9, 4, 16}));
    check("...A,A...->...", a, a, floats({2}, {1 + 2 * 3, 3 * 2 + 16}));
  }

  TEST_CASE("one operand is summed up and laid out; a diagonal is left") {
    check_all("ij->ji", {b}, floats({3, 2}, {1, 0, 0, 1, 2, 3}));
    check_all("ij->j", {b}, floats({3}, {1, 1, 5}));
    check_all("i...->...", {b}, floats({3}, {1, 1, 5}));
    check_all("ij->", {b}, Tensor::scalar<float>(7));
    check_all("ii->i", {a}, floats({2}, {1, 4}));
    check_all("ii->", {a}, Tensor::scalar<float>(5));
  }

  TEST_CASE("several operands are multiplied one after another") {
    // a a = ((7, 10), (15, 22))
    check_all("ij,jk,kl->il", {a, a, b}, floats({2, 3}, {7, 10, 44, 15, 22, 96}));
    check_all("ij,jk,kl->li", {a, a, b}, floats({3, 2}, {7, 15, 10, 22, 44, 96}));
    check_all("ij,ij,ij->ij", {a, a, a}, floats({2, 2}, {1, 8, 27, 64}));
    check_all("i,j,k->kij", {v, v, v}, floats({2, 2, 2}, {1000, 100, 100, 10, 100, 10, 10, 1}));
    check_all("bi,ij,bj->b", {a, a, a}, floats({2}, {7 + 20, 15 * 3 + 22 * 4}));
    check_all("...i,ii,j->...", {a, a, v}, floats({2}, {11 * (1 + 8), 11 * (3 + 16)}));
    // Sums of halves are exact in f16, and no product in between is rounded.
    const auto half = [](const Tensor& x) { return cast(x, DatumType::f16); };
    check_all("ij,jk,kl->il", {half(a), half(a), half(b)},
              half(floats({2, 3}, {7, 10, 44, 15, 22, 96})));
  }

  TEST_CASE("a sum of nothing is 0") {
    const auto none = [](Shape shape) {
      return MutableTensor(DatumType::f32, std::move(shape)).freeze();
    };
    check("ijk,ijl->kl", none({0, 3, 1}), none({0, 3, 1}), floats({1, 1}, {0}));
    check("ij,jkl->ikl", none({2, 0}), none({0, 1, 1}), floats({2, 1, 1}, {0, 0}));
  }

  TEST_CASE("what is no product, or joins axes of open sizes, is left") {
    const Dim n = Dim::symbol("N"), k = Dim::symbol("K"), l = Dim::symbol("L");
    CHECK_FALSE(is_left("nk,nk->n", {n, k}, {n, k}));
    CHECK_FALSE(is_left("nk,km->mn", {n, k}, {k, 5}));
    CHECK_FALSE(is_left("nk,nk->kn", {n, k}, {n, k}));
    CHECK_FALSE(is_left("nk,nk->n", {n, k}, {n, l}));  // one of which may be 1
    CHECK(is_left("nk,nk->", {n, k}, {n, k}));         // would join axes of open sizes
    CHECK(is_left("nn,nk->k", {n, n}, {n, k}));        // a diagonal
    CHECK_FALSE(is_left("nk,ml->n", {n, k}, {n, k}));
    CHECK_FALSE(is_left("...k,kn->...n", {n, k}, {k, 5}));
    CHECK_FALSE(is_left("...k,...k->...", {n, k}, {1, k}));  // stretches an axis
  }

  TEST_CASE("a product whose operands lie as a MatMul wants them is one node, which has its name") {
    const auto is_matmul_alone = [](const char* equation, const Shape& x, const Shape& y) {
      const auto f32 = [](const Shape& shape) { return Fact::tensor(DatumType::f32, shape); };
      const TypedModel model = decluttered(equation, {f32(x), f32(y)});
      const TypedNode& node = model.node(model.outputs()[0].outlet.node);
      const auto is_op = [](const TypedNode& each) {
        return !each.erased && !each.op.as<Source>() && !each.op.as<Const>();
      };
      return node.op.as<MatMul>() && node.name == "node" &&
             std::ranges::count_if(model.nodes(), is_op) == 1;
    };
    CHECK(is_matmul_alone("mk,kn->mn", {2, 3}, {3, 4}));
    CHECK(is_matmul_alone("bmk,bnk->bmn", {2, 3, 4}, {2, 5, 4}));
    CHECK(is_matmul_alone("xykm,xykn->xymn", {2, 1, 3, 4}, {2, 1, 3, 5}));
    CHECK_FALSE(is_matmul_alone("mk,kn->nm", {2, 3}, {3, 4}));  // but with the product transposed
    CHECK(is_matmul_alone("km,nk->nm", {3, 2}, {4, 3}));
    CHECK(is_matmul_alone("bmk,bkn->bmn", {1, 2, 3}, {2, 3, 4}));
    CHECK(is_matmul_alone("bmk,kn->bmn", {2, 2, 3}, {3, 4}));
  }

  TEST_CASE(
      "labels that differ by case, more than letters can name, and products that would be rounded "
      "twice stay") {
    CHECK_FALSE(is_left("aA,Ab->ab", {2, 3}, {3, 4}));
    // 27 axes in all
    const std::vector<Dim> ones(13, Dim(1)), more(14, Dim(1));
    CHECK(is_left("...,...->...", ones, more));
    CHECK_FALSE(is_left("...,...->...", ones, ones));
  }
}
