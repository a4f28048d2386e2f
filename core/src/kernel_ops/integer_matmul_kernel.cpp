#include "kernel_ops/integer_matmul_kernel.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/shared_work.h"

namespace strata {
namespace {

using kernels::ByteMatrix;
using kernels::Index;
using kernels::Range;

/// The sizes of the products, one for each matrix of the output.
struct Sizes {
  Index m, n, k;
  Span batch;  ///< of the output
};

bool joins_rows(const IntegerMatMulKernel& op, std::size_t rank_b) {
  return op.packed_k != 0 || rank_b == 2;
}

Sizes sizes_of(const IntegerMatMulKernel& op, Span a, Span b, Span out) {
  Sizes sizes{out[out.size() - 2], out[out.size() - 1], a[a.size() - 1], out.first(out.size() - 2)};
  if (joins_rows(op, b.size())) {
    sizes.m = volume(a.first(a.size() - 1));
    sizes.batch = {};
  }
  return sizes;
}

/// A right operand with what corrections need of it; both vectors in whole panels.
struct RightOperand {
  const std::int32_t* packed;
  const std::int32_t* sums;
  const std::int32_t* zeros;
  bool has_one_zero;  ///< for all columns
};

/// One number, or one a row or column.
struct ZeroPoints {
  const std::int32_t* numbers = nullptr;
  Index count = 0;
  std::int32_t moved = 0;  ///< what storing adds to them
  std::int32_t at(Index i) const {
    const std::int32_t zero = count == 0 ? 0 : numbers[count == 1 ? 0 : i];
    return wrapping(static_cast<std::uint32_t>(zero) + static_cast<std::uint32_t>(moved));
  }
};

ZeroPoints zero_points(const TensorView* view, std::int32_t moved) {
  if (!view) return {nullptr, 0, moved};
  return {view->as<std::int32_t>(), volume(view->shape), moved};
}

std::int32_t product(std::int32_t a, std::int32_t b) {
  return wrapping(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

const kernels::Int8Products& products_of(const IntegerMatMulKernel& op) {
  const kernels::Int8Kernels& kernels = kernels::int8_kernels(op.isa);
  return op.quads ? *kernels.quads : kernels;
}

/// A kernel's call: what all of its products have in common.
struct Call {
  const IntegerMatMulKernel& op;
  const KernelIo& io;
  const kernels::Int8Products& kernels;
  Sizes sizes;
  kernels::SumFinish finish;
  ZeroPoints left_zeros, right_zeros;

  Call(const IntegerMatMulKernel& kernel, const KernelIo& given)
      : op(kernel),
        io(given),
        kernels(products_of(op)),
        sizes(sizes_of(op, io.inputs[0].shape, io.inputs[1].shape, io.outputs[0].shape)) {
    const Span out = io.outputs[0].shape;
    finish = finish_of(op.conversion, io.inputs.subspan(op.own_inputs()), out,
                       {out.size() - 2, out.size() - 1});
    const TensorView* next = io.inputs.data() + 2;
    const auto moved = [](const TensorView& bytes, kernels::ByteKind stored) {
      return kernels::moved_by(byte_kind(bytes.dtype), stored);
    };
    left_zeros = zero_points(op.zero_a ? next++ : nullptr, moved(io.inputs[0], kernels.left_kind));
    right_zeros = zero_points(op.zero_b ? next : nullptr, moved(io.inputs[1], kernels.right_kind));
  }

  WorkSize work() const {
    constexpr double kFaster = 4;  // than products of floats
    const auto m = static_cast<double>(sizes.m), n = static_cast<double>(sizes.n),
               k = static_cast<double>(sizes.k);
    return {2 * m * n * k / kFaster, m * k + k * n + 4 * m * n};
  }
  WorkSize packing(Index rows, Index columns) const {
    return {0, 4 * static_cast<double>(rows) * static_cast<double>(columns)};
  }

  RightOperand packed_right() const {
    const auto* packed = io.inputs[1].as<std::int32_t>();
    const Index padded = whole_panels(kernels, sizes.n);
    const std::int32_t* sums = packed + volume(io.inputs[1].shape) - 2 * padded;
    return {packed, sums, sums + padded, op.one_zero_b};
  }
  RightOperand pack_right(const std::byte* b, ScratchWords& scratch) const;
  void multiply(const std::byte* a, const RightOperand& right, std::byte* c,
                ScratchWords scratch) const;
  void compute(const kernels::Int8Product& product, std::byte* scratch) const;
};

RightOperand Call::pack_right(const std::byte* b, ScratchWords& scratch) const {
  const Index padded = whole_panels(kernels, sizes.n);
  std::int32_t* packed = scratch.take(kernels.right_size(sizes.k, sizes.n));
  std::int32_t *sums = scratch.take(padded), *zeros = scratch.take(padded);
  const ByteMatrix matrix{b, sizes.n, 1, byte_kind(io.inputs[1].dtype)};
  share_range(io, packing(sizes.k, sizes.n), sizes.n, kernels.column_step, [&](Range columns) {
    kernels.pack_right(matrix, sizes.k, sizes.n, columns, packed);
  });
  kernels.column_sums(packed, sizes.k, sizes.n, sums);
  for (Index j = 0; j < padded; ++j) zeros[j] = j < sizes.n ? right_zeros.at(j) : 0;
  return {packed, sums, zeros, right_zeros.count <= 1};
}

/// (a - za)(b - zb) summed = sum of a b - zb (sum of a - k za) - za sum of b
void Call::multiply(const std::byte* a, const RightOperand& right, std::byte* c,
                    ScratchWords scratch) const {
  const Index m = sizes.m, n = sizes.n, k = sizes.k;
  std::int32_t* left = scratch.take(kernels.left_size(m, k));
  std::int32_t *sums = scratch.take(m), *zeros = scratch.take(m);
  const ByteMatrix matrix{a, k, 1, byte_kind(io.inputs[0].dtype)};
  share_range(io, packing(m, k), m, kernels.row_step(m, k),
              [&](Range rows) { kernels.pack_left(matrix, m, k, rows, left, sums); });
  const std::uint32_t factor = right.has_one_zero ? static_cast<std::uint32_t>(right.zeros[0]) : 1;
  for (Index i = 0; i < m; ++i) {
    const auto zero = static_cast<std::uint32_t>(left_zeros.at(i));
    const auto sum = static_cast<std::uint32_t>(sums[i]);
    sums[i] = wrapping((static_cast<std::uint32_t>(k) * zero - sum) * factor);
    zeros[i] = wrapping(0 - zero);
  }
  kernels::Int8Product whole{m, n, k, left, right.packed, finish, c, n};
  if (right.has_one_zero)
    whole.finish.row_add = sums;
  else
    whole.finish.terms[0] = {sums, right.zeros};
  if (left_zeros.count > 1) {
    whole.finish.terms[1] = {zeros, right.sums};
  } else if (m > 0 && zeros[0] != 0) {
    std::int32_t* add = scratch.take(whole_panels(kernels, n));
    for (Index j = 0; j < whole_panels(kernels, n); ++j) add[j] = product(zeros[0], right.sums[j]);
    whole.finish.column_add = add;
  }
  compute(whole, scratch.rest());
}

/// Rows or columns are shared among threads, whichever have more panels.
void Call::compute(const kernels::Int8Product& p, std::byte* scratch) const {
  const bool by_rows = p.m / kernels.row_step(p.m, p.k) > p.n / kernels.column_step;
  const Index size = by_rows ? p.m : p.n;
  const Index step = by_rows ? kernels.row_step(p.m, p.k) : kernels.column_step;
  const std::size_t parts = parts_of(io, work(), (size + step - 1) / step);
  const Index most = step * ((size + step - 1) / step / static_cast<Index>(parts) + 1);
  const Index words =
      by_rows ? kernels.multiply_scratch(most, p.k, p.n) : kernels.multiply_scratch(p.m, p.k, most);
  KernelIo own = io;
  own.scratch = scratch;
  share(own, parts, static_cast<std::size_t>(words) * sizeof(std::int32_t),
        [&](Share share, std::byte* memory) {
          const Range some = part_of(size, step, share), rows{0, p.m}, columns{0, p.n};
          kernels.multiply(p, by_rows ? some : rows, by_rows ? columns : some,
                           reinterpret_cast<std::int32_t*>(memory));
        });
}

Fact as_i32(const Fact& fact) { return Fact::tensor(DatumType::i32, fact.shape); }

Fact right_fact(const IntegerMatMulKernel& op, const Fact& given) {
  if (op.packed_k == 0) return as_i32(given);
  return Fact::tensor(DatumType::i32, Shape{op.packed_k, op.packed_n});
}

Fact product_fact(const IntegerMatMulKernel& op, Facts in) {
  const Fact a = as_i32(in[0]), b = right_fact(op, in[1]);
  const Fact* operands[] = {&a, &b};
  return MatMul{}.output_facts(Facts(operands))[0];
}

}  // namespace

FactList IntegerMatMulKernel::output_facts(Facts in) const {
  check_arity(name, in, own_inputs(), own_inputs() + 3);
  return {Fact::tensor(conversion.to, product_fact(*this, in).shape)};
}

Cost IntegerMatMulKernel::cost(Facts in, Facts out) const {
  const Fact a = as_i32(in[0]), b = right_fact(*this, in[1]);
  const Fact* operands[] = {&a, &b};
  Cost cost = memory_cost(in, out);
  cost.flops = MatMul{}.cost(Facts(operands), out).flops;
  return cost;
}

std::string IntegerMatMulKernel::explain(Facts in, Facts) const {
  const auto a = in[0].shape.concrete(), b = in[1].shape.concrete();
  const kernels::Int8Products& kernels = products_of(*this);
  if (!a || !b) return explain_integer_product(std::nullopt, packed_k, kernels);
  const bool joins = joins_rows(*this, b->size());
  return explain_integer_product(
      joins ? volume(Span(*a).first(a->size() - 1)) : (*a)[a->size() - 2], a->back(), kernels);
}

std::size_t IntegerMatMulKernel::scratch_bytes(Facts in) const {
  const Shape a = *in[0].shape.concrete(), b = *right_fact(*this, in[1]).shape.concrete(),
              out = *product_fact(*this, in).shape.concrete();
  const Sizes s = sizes_of(*this, a, b, out);
  const kernels::Int8Products& kernels = products_of(*this);
  const Index padded = aligned_words(whole_panels(kernels, s.n));
  Index words = aligned_words(kernels.left_size(s.m, s.k)) + 2 * aligned_words(s.m) + padded +
                aligned_words(kernels.multiply_scratch(s.m, s.k, s.n));
  if (packed_k == 0) words += aligned_words(kernels.right_size(s.k, s.n)) + 2 * padded;
  return static_cast<std::size_t>(words) * sizeof(std::int32_t);
}

void IntegerMatMulKernel::run(const KernelIo& io) const {
  if (volume(io.outputs[0].shape) == 0) return;
  const Call call(*this, io);
  const Index m = call.sizes.m, n = call.sizes.n, k = call.sizes.k;
  const TensorView &a = io.inputs[0], &b = io.inputs[1];
  std::byte* c = io.outputs[0].data;
  if (packed_k != 0) return call.multiply(a.data, call.packed_right(), c, ScratchWords(io.scratch));
  const auto axes = [&](const TensorView& view) {
    return joins_rows(*this, b.shape.size()) ? Span()
                                             : Span(view.shape).first(view.shape.size() - 2);
  };
  const std::int64_t step = m * n * output_bytes(conversion);
  for_each_broadcast(call.sizes.batch, axes(a), axes(b), [&](std::int64_t at_a, std::int64_t at_b) {
    ScratchWords scratch(io.scratch);
    const RightOperand right = call.pack_right(b.data + at_b * k * n, scratch);
    call.multiply(a.data + at_a * m * k, right, c, scratch);
    c += step;
  });
}

}  // namespace strata
