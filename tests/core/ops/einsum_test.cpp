#include "strata/core/ops/einsum.h"

#include <doctest/doctest.h>

#include "support/f32_fact.h"
#include "support/op_case.h"

using namespace strata;
using namespace strata::tests;

TEST_SUITE("einsum") {
  const Tensor a = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor b = Tensor::of<float>({2, 3}, {1, 0, 2, 0, 1, 3});
  const Tensor v = Tensor::of<float>({2}, {10, 1});

  TEST_CASE("einsum of one operand transposes, sums, and walks diagonals") {
    check_op(Einsum{"ij->ji"}, {a}, {Tensor::of<float>({2, 2}, {1, 3, 2, 4})});
    check_op(Einsum{"ij->i"}, {a}, {Tensor::of<float>({2}, {3, 7})});
    check_op(Einsum{"ij->"}, {a}, {Tensor::scalar<float>(10)});
    check_op(Einsum{"ii->i"}, {a}, {Tensor::of<float>({2}, {1, 4})});
    check_op(Einsum{"ii"}, {a}, {Tensor::scalar<float>(5)});
  }

  TEST_CASE("einsum of two operands multiplies matrices") {
    const Tensor product = Tensor::of<float>({2, 3}, {1, 2, 8, 3, 4, 18});
    check_op(Einsum{"ij,jk->ik"}, {a, b}, {product});
    check_op(Einsum{"ij,jk"}, {a, b}, {product});
    check_op(Einsum{" i j , j k -> k i "}, {a, b},
             {Tensor::of<float>({3, 2}, {1, 3, 2, 4, 8, 18})});
  }

  TEST_CASE("einsum keeps shared labels that the output names") {
    check_op(Einsum{"ij,ij->ij"}, {a, a}, {Tensor::of<float>({2, 2}, {1, 4, 9, 16})});
    check_op(Einsum{"ij,i->ij"}, {a, v}, {Tensor::of<float>({2, 2}, {10, 20, 3, 4})});
    check_op(Einsum{"i,j->ij"}, {v, v}, {Tensor::of<float>({2, 2}, {100, 10, 10, 1})});
  }

  TEST_CASE("einsum sums a label that only one operand has") {
    check_op(Einsum{"ij,k->i"}, {a, v}, {Tensor::of<float>({2}, {33, 77})});
  }

  TEST_CASE("einsum takes any number of operands") {
    // v^T a v = 100 * 1 + 10 * 2 + 10 * 3 + 4
    check_op(Einsum{"i,ij,j->"}, {v, a, v}, {Tensor::scalar<float>(154)});
  }

  TEST_CASE("einsum broadcasts the axes of an ellipsis") {
    const Tensor batch = Tensor::of<float>({2, 1, 2}, {1, 2, 3, 4});
    check_op(Einsum{"...ij,jk->...ik"}, {batch, b},
             {Tensor::of<float>({2, 1, 3}, {1, 2, 8, 3, 4, 18})});
    check_op(Einsum{"...,..."}, {batch, v}, {Tensor::of<float>({2, 1, 2}, {10, 2, 30, 4})});
    check_op(Einsum{"i...->..."}, {a}, {Tensor::of<float>({2}, {4, 6})});
  }

  TEST_CASE("einsum wraps integers") {
    const Tensor x = Tensor::of<std::uint16_t>({2}, {65535, 1});
    check_op(Einsum{"i,i->"}, {x, x}, {Tensor::scalar<std::uint16_t>(2)});
  }

  TEST_CASE("einsum keeps symbolic sizes and knows ranks without shapes") {
    const Fact x = Fact::tensor(DatumType::f32, {{Dim::symbol("N"), 4}});
    CHECK(facts_of(Einsum{"nk,km->nm"}, {x, f32({4, 5})})[0].shape.to_string() == "[N,5]");
    const Fact open = Fact::tensor(DatumType::f32, ShapeFact::open());
    CHECK(facts_of(Einsum{"nk,km->nm"}, {open, f32({4, 5})})[0].shape.rank() == 2);
    CHECK(facts_of(Einsum{"...k->..."}, {open})[0].shape.is_open());
  }

  TEST_CASE("of two sizes that are not known either may be the one that is stretched") {
    const auto vector_of = [](const char* size) {
      return Fact::tensor(DatumType::f32, std::vector<Dim>{Dim::symbol(size)});
    };
    const auto size = [&](const Fact& x, const Fact& y) {
      return facts_of(Einsum{"i,i->i"}, {x, y})[0].shape[0];
    };
    CHECK(size(vector_of("N"), vector_of("N")) == Dim::symbol("N"));
    CHECK(size(vector_of("N"), f32({3})) == Dim(3));
    const Dim open = size(vector_of("N"), vector_of("M"));
    CHECK(!open.is_constant());
    CHECK(open != Dim::symbol("N"));
    CHECK(open != Dim::symbol("M"));
  }

  TEST_CASE("einsum_c1: as many terms as inputs") {
    check_refused(Einsum{"ij,jk->ik"}, {f32({2, 2})}, "(C1)");
  }
  TEST_CASE("einsum_c2: two element types") {
    check_refused(Einsum{"i,i->"}, {f32({2}), Fact::tensor(DatumType::i32, Shape{2})}, "(C2)");
  }
  TEST_CASE("einsum_c3: a label that is no letter, and two ellipses") {
    check_refused(Einsum{"i1->i"}, {f32({2, 2})}, "(C3)");
    check_refused(Einsum{"......->"}, {f32({2, 2})}, "(C3)");
  }
  TEST_CASE("einsum_c4: more labels than axes") {
    check_refused(Einsum{"ijk->i"}, {f32({2, 2})}, "(C4)");
  }
  TEST_CASE("einsum_c5: a label of two sizes") {
    check_refused(Einsum{"ij,jk->ik"}, {f32({2, 2}), f32({3, 2})}, "(C5)");
  }
  TEST_CASE("einsum_c6: an output label twice or from nowhere") {
    check_refused(Einsum{"ij->ii"}, {f32({2, 2})}, "(C6)");
    check_refused(Einsum{"ij->k"}, {f32({2, 2})}, "(C6)");
  }
}
