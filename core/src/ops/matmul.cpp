#include "strata/core/ops/matmul.h"

#include "ops/blocked_product.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// An operand's shape taken apart: leading axes, then rows and columns as the product sees them.
template <class D>
struct Operand {
  std::vector<D> batch;
  D rows = 1;
  D columns = 1;
};

template <class D, class Dims>
Operand<D> left_operand(const Dims& dims, bool transposed) {
  const std::size_t rank = dims.size();
  if (rank == 1) return {{}, 1, dims[0]};
  Operand<D> out{{dims.begin(), dims.end() - 2}, dims[rank - 2], dims[rank - 1]};
  if (transposed) std::swap(out.rows, out.columns);
  return out;
}

template <class D, class Dims>
Operand<D> right_operand(const Dims& dims, bool transposed) {
  if (dims.size() == 1) return {{}, dims[0], 1};
  return left_operand<D>(dims, transposed);
}

Shape output_shape(const MatMulGeometry& g, std::size_t rank_a, std::size_t rank_b) {
  Shape out = g.batch;
  if (rank_a > 1) out.push_back(g.m);
  if (rank_b > 1) out.push_back(g.n);
  return out;
}

template <class T>
MatrixRef<T> matrix(const T* data, std::int64_t rows, std::int64_t columns, bool transposed) {
  return transposed ? MatrixRef<T>{data, rows, columns, 1, rows}
                    : MatrixRef<T>{data, rows, columns, columns, 1};
}

Tensor multiplied(const MatMul& op, const Tensor& a, const Tensor& b) {
  const MatMulGeometry g = matmul_geometry(op, a.shape(), b.shape());
  const auto lead = [](const Shape& s) { return Span(s).first(s.size() < 2 ? 0 : s.size() - 2); };
  MutableTensor out(a.dtype(), output_shape(g, a.rank(), b.rank()));
  visit_product_type(a.dtype(), [&]<class T>(TypeTag<T>) {
    const T* left = a.storage_as<T>().data();
    const T* right = b.storage_as<T>().data();
    T* to = out.storage_as<T>().data();
    for_each_broadcast(
        g.batch, lead(a.shape()), lead(b.shape()), [&](std::int64_t at_a, std::int64_t at_b) {
          const LeftPanels<T> panels(
              matrix(left + at_a * g.m * g.k, g.m, g.k, op.transpose_a && a.rank() > 1));
          multiply(panels,
                   matrix(right + at_b * g.k * g.n, g.k, g.n, op.transpose_b && b.rank() > 1), to,
                   g.n);
          to += g.m * g.n;
        });
  });
  return std::move(out).freeze();
}

}  // namespace

MatMulGeometry matmul_geometry(const MatMul& op, const Shape& a, const Shape& b) {
  check_data(!a.empty() && !b.empty(), "(C3) a scalar is no matrix");
  const auto left = left_operand<std::int64_t>(a, op.transpose_a);
  const auto right = right_operand<std::int64_t>(b, op.transpose_b);
  check_data(left.columns == right.rows, "(C4) ", Span(a), " does not multiply ", Span(b),
             ": inner sizes ", left.columns, " and ", right.rows, " differ");
  const Shape batch = broadcast(Shape(left.batch.begin(), left.batch.end()),
                                Shape(right.batch.begin(), right.batch.end()));
  return {batch, left.rows, right.columns, left.columns};
}

FactList MatMul::output_facts(Facts in) const {
  check_arity("(C1) MatMul", in, 2, 2);
  check(in[0].dtype == in[1].dtype && has_product(in[0].dtype), "(C2) ", in[0].dtype,
        " does not multiply ", in[1].dtype);
  for (std::size_t i = 0; i < 2; ++i)
    check(in[i].shape.is_open() || in[i].shape.rank() > 0, "(C3) a scalar is no matrix");
  if (in[0].shape.is_open() || in[1].shape.is_open())
    return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  const auto left = left_operand<Dim>(in[0].shape.dims(), transpose_a);
  const auto right = right_operand<Dim>(in[1].shape.dims(), transpose_b);
  check(may_be_equal(left.columns, right.rows), "(C4) ", in[0].shape, " does not multiply ",
        in[1].shape, ": inner sizes ", left.columns, " and ", right.rows, " differ");
  std::vector<Dim> out = broadcast(ShapeFact(left.batch), ShapeFact(right.batch)).dims();
  if (in[0].shape.rank() > 1) out.push_back(left.rows);
  if (in[1].shape.rank() > 1) out.push_back(right.columns);
  return {Fact::tensor(in[0].dtype, std::move(out))};
}

TensorList MatMul::eval(Tensors in) const {
  return {in_product_type(in, [&](Tensors ab) { return multiplied(*this, ab[0], ab[1]); })};
}

Cost MatMul::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  const auto a = in[0].shape.concrete(), b = in[1].shape.concrete();
  if (!a || !b) return cost;
  const MatMulGeometry g = matmul_geometry(*this, *a, *b);
  cost.flops = 2.0 * static_cast<double>(product(g.batch)) * static_cast<double>(g.m) *
               static_cast<double>(g.n) * static_cast<double>(g.k);
  return cost;
}

}  // namespace strata
