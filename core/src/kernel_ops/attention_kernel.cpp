#include "kernel_ops/attention_kernel.h"

#include <algorithm>

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/matrix_operand.h"
#include "kernel_ops/shared_work.h"
#include "kernel_ops/transposition.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/matmul.h"

namespace strata {
namespace {

using kernels::Attention;
using kernels::Index;

enum Input : std::size_t { kQuery, kKey, kValue, kMask };

/// The fact of an op's output for two f32 operands.
Fact fact_by(const TypedOp& op, const Fact& a, const Fact& b) {
  const Fact* in[] = {&a, &b};
  return op.output_facts(Facts(in))[0].without_value();
}

/// The fact of keys or values repeated for each head of queries.
Fact for_each_query(const AttentionKernel& op, Fact keys) {
  if (op.heads_per_key == 1 || keys.shape.is_open()) return keys;
  check(keys.shape.rank() >= 3, "keys of shape ", keys.shape, " have no heads");
  std::vector<Dim> dims = keys.shape.dims();
  dims[dims.size() - 3] = dims[dims.size() - 3] * op.heads_per_key;
  keys.shape = std::move(dims);
  return keys;
}

Fact scores_fact(const AttentionKernel& op, Facts in) {
  const Fact products = fact_by(MatMul{.transpose_b = true}, permuted(in[kQuery], op.perm_q),
                                for_each_query(op, permuted(in[kKey], op.perm_k)));
  return in.size() > kMask ? fact_by(Binary{BinaryOp::add}, products, in[kMask]) : products;
}

/// A mask of any rank as matrices; missing axes have size 1.
MatrixOperand mask_operand(Span shape) noexcept {
  MatrixOperand out = operand_of(shape, {});
  for (; out.rank < 2; ++out.rank) {
    out.size[1] = out.rank == 1 ? out.size[0] : 1;
    out.step[1] = 1;
    out.size[0] = 1;
    out.step[0] = 0;
  }
  return out;
}

/// Splits the axis of heads, if there is one, in two: groups of heads that share keys, and
/// `of_group` heads in each, or one that stretches to them.
MatrixOperand in_groups(MatrixOperand operand, Index of_group) noexcept {
  if (operand.rank < 3) return operand;
  const std::size_t heads = operand.rank - 3;
  for (std::size_t i = operand.rank++; i > heads; --i) {
    operand.size[i] = operand.size[i - 1];
    operand.step[i] = operand.step[i - 1];
  }
  operand.size[heads] /= of_group;
  operand.step[heads] *= of_group;
  operand.size[heads + 1] = of_group;
  return operand;
}

/// The operands of the product of each head: as they lie, or with their heads in groups.
struct Operands {
  MatrixOperand q, k, v, mask;

  Operands(const AttentionKernel& op, Span query, Span key, Span value, Span hidden) noexcept
      : q(operand_of(query, op.perm_q)),
        k(operand_of(key, op.perm_k)),
        v(operand_of(value, op.perm_v)),
        mask(mask_operand(hidden)) {
    if (op.heads_per_key == 1) return;
    for (MatrixOperand* each : {&q, &mask}) *each = in_groups(*each, heads_or_one(*each, op));
    for (MatrixOperand* each : {&k, &v}) *each = in_groups(*each, 1);
  }

 private:
  static Index heads_or_one(const MatrixOperand& operand, const AttentionKernel& op) noexcept {
    const bool has_one = operand.rank < 3 || operand.size[operand.rank - 3] == 1;
    return has_one ? 1 : op.heads_per_key;
  }
};

/// Steps of one matrix, 0 along axes of size 1: the matrix may stretch.
kernels::MatrixView stretching_view(const MatrixOperand& operand) noexcept {
  kernels::MatrixView view = operand.view();
  if (operand.rows() == 1) view.row_stride = 0;
  if (operand.columns() == 1) view.column_stride = 0;
  return view;
}

/// Elements from one head to the next; 0 where all share one matrix.
Index head_step(const MatrixOperand& operand) noexcept {
  const std::size_t heads = operand.rank - 3;
  return operand.rank > 2 && operand.size[heads] != 1 ? operand.step[heads] : 0;
}

/// The attention of all heads.
struct Heads {
  const KernelIo& io;
  MatrixOperand q, k, v, mask, y;
  Attention call;

  /// Axes before the matrices.
  Span batch() const { return {y.size, y.rank - 2}; }
  Index count() const { return volume(batch()); }
  /// How many heads lie evenly spaced: those along the last axis before the matrices.
  Index in_row() const { return y.rank > 2 ? y.size[y.rank - 3] : 1; }
  /// `heads` of them, of one row.
  Attention at(Index head, Index heads) const {
    const auto data = [&](Input i, const MatrixOperand& operand) {
      return io.inputs[i].as<float>() + batch_offset(operand, batch(), head);
    };
    Attention out = call;
    out.heads = heads;
    out.q.data = data(kQuery, q);
    out.k.data = data(kKey, k);
    out.v.data = data(kValue, v);
    if (io.inputs.size() > kMask) out.mask.data = data(kMask, mask);
    out.y = io.outputs[0].as<float>() + batch_offset(y, batch(), head);
    return out;
  }
  WorkSize work() const {
    const auto queries = static_cast<double>(call.queries), keys = static_cast<double>(call.keys),
               lanes = static_cast<double>(call.depth + call.width),
               heads = static_cast<double>(count());
    constexpr double kWeight = 30;  // flops that turn a score into a weight
    return {heads * queries * keys * (2 * lanes + kWeight),
            heads * (queries + keys) * lanes * sizeof(float)};
  }
};

bool stretches(Index size, Index whole) { return size == whole || size == 1; }

/// Whether all axes but the last `kept` stretch to those of the output.
bool stretches(const MatrixOperand& operand, const MatrixOperand& y, std::size_t kept) {
  for (std::size_t i = kept + 1; i <= operand.rank; ++i)
    if (i > y.rank || !stretches(operand.size[operand.rank - i], y.size[y.rank - i])) return false;
  return true;
}

/// Checks sizes that are symbols in the facts.
void check_sizes(const Heads& all) {
  const Index keys = all.call.keys;
  check_data(all.q.columns() == all.k.columns(), "queries of ", all.q.columns(),
             " numbers do not meet keys of ", all.k.columns());
  check_data(stretches(all.k.rows(), keys) && stretches(all.mask.columns(), keys) &&
                 (all.k.rows() == keys || all.mask.columns() == keys),
             all.k.rows(), " keys under a mask of ", all.mask.columns(), " do not meet ", keys,
             " values");
  check_data(stretches(all.q, all.y, 1) && stretches(all.mask, all.y, 1) &&
                 stretches(all.k, all.y, 2) && stretches(all.v, all.y, 2),
             "queries, keys, values and mask do not stretch to one shape");
}

Heads heads_of(const AttentionKernel& op, const KernelIo& io) {
  const bool is_masked = io.inputs.size() > kMask;
  const Operands in(op, io.inputs[kQuery].shape, io.inputs[kKey].shape, io.inputs[kValue].shape,
                    is_masked ? Span(io.inputs[kMask].shape) : Span());
  const MatrixOperand y = operand_of(io.outputs[0].shape, op.perm_y);
  const bool is_grouped = op.heads_per_key != 1;
  Heads all{io, in.q, in.k, in.v, in.mask, is_grouped ? in_groups(y, op.heads_per_key) : y, {}};
  Attention& call = all.call;
  call.queries = all.y.rows();
  call.keys = all.v.rows();
  call.depth = all.q.columns();
  call.width = all.v.columns();
  call.q = stretching_view(all.q);
  call.k = stretching_view(all.k);
  call.v = all.v.view();
  call.mask = stretching_view(all.mask);
  call.scale = op.scale;
  call.cap = op.cap;
  if (op.hidden_as_zero) call.hidden = kernels::HiddenQuery::zero;
  call.y_stride = all.y.step[all.y.rank - 2];
  call.heads = all.in_row();
  call.steps = {head_step(all.q), head_step(all.k), head_step(all.v),
                is_masked ? head_step(all.mask) : 0, head_step(all.y)};
  check_sizes(all);
  return all;
}

}  // namespace

FactList AttentionKernel::output_facts(Facts in) const {
  check_arity(name, in, 3, 4);
  const Fact y = fact_by(MatMul{}, scores_fact(*this, in),
                         for_each_query(*this, permuted(in[kValue], perm_v)));
  return {permuted(y, inverse(perm_y))};
}

Cost AttentionKernel::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  const auto q = permuted(in[kQuery], perm_q).shape.concrete(),
             v = permuted(in[kValue], perm_v).shape.concrete(), y = out[0].shape.concrete();
  if (!q || !v || !y || product(*y) == 0) return cost;
  const double queries = static_cast<double>(product(*y)) / static_cast<double>(v->back()),
               keys = static_cast<double>((*v)[v->size() - 2]);
  cost.flops = 2 * queries * keys * static_cast<double>(q->back() + v->back());
  return cost;
}

std::size_t AttentionKernel::scratch_bytes(Facts in) const {
  Attention call;
  const bool is_masked = in.size() > kMask;
  const Shape hidden = is_masked ? *in[kMask].shape.concrete() : Shape{};
  const auto [q, k, v, mask] =
      Operands(*this, *in[kQuery].shape.concrete(), *in[kKey].shape.concrete(),
               *in[kValue].shape.concrete(), hidden);
  call.queries = q.rows();
  call.depth = q.columns();
  call.keys = v.rows();
  call.width = v.columns();
  call.k = stretching_view(k);
  call.v = v.view();
  const auto stretch_heads = [&](const MatrixOperand& operand) {
    if (operand.rank > 2) call.heads = std::max(call.heads, operand.size[operand.rank - 3]);
  };
  for (const MatrixOperand& operand : {q, k, v, mask}) stretch_heads(operand);
  call.queries = std::max(call.queries, mask.rows());
  return kernels::kernels(isa).attention_scratch(call);
}

std::string AttentionKernel::explain(Facts in, Facts) const {
  const auto q = in[kQuery].shape.concrete(), k = in[kKey].shape.concrete(),
             v = in[kValue].shape.concrete();
  if (!q || !k || !v) return cat("attention by blocks, ", explain_product(isa));
  const kernels::KernelTable& table = kernels::kernels(isa);
  Attention call;
  call.queries = operand_of(*q, perm_q).rows();
  call.k = operand_of(*k, perm_k).view();
  call.v = operand_of(*v, perm_v).view();
  if (table.attends_one_by_one(call))
    return explain_vectors("attention query by query", isa,
                           "few queries, so keys and values are read once, where they lie");
  return KernelChoice{
      "attention by blocks of queries",
      tile_text(table.gemm_row_step(call.queries), table.gemm_column_step(), "queries by keys"),
      vectors_of(isa), "the scores of a block stay in the nearest caches"}
      .to_string();
}

void AttentionKernel::run(const KernelIo& io) const {
  const Heads all = heads_of(*this, io);
  const kernels::KernelTable& table = kernels::kernels(isa);
  const Index count = all.count(), queries = all.call.queries, in_row = all.in_row();
  if (count == 0 || queries == 0) return;
  // Each piece packs the keys and values of its head, which pays for several blocks of queries.
  const Index step = table.gemm_row_step(queries), most = std::max<Index>(1, queries / (4 * step));
  const std::size_t parts = parts_of(io, all.work(), count * most);
  const auto wanted = static_cast<Index>(parts);
  const Index of_each = count % wanted == 0 || count >= 4 * wanted ? 1 : std::min(most, wanted);
  share(io, parts, table.attention_scratch(all.call), [&](Share share, std::byte* scratch) {
    const auto own = part_of(count * of_each, 1, share);
    for (Index i = own.begin; i < own.end;) {
      const Index head = i / of_each, row_end = (head / in_row + 1) * in_row;
      const Index heads = of_each == 1 ? std::min(own.end, row_end) - head : 1;
      table.attention(all.at(head, heads), part_of(queries, step, {i % of_each, of_each}), scratch);
      i += heads;
    }
  });
}

}  // namespace strata
