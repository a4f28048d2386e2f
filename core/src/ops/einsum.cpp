#include "strata/core/ops/einsum.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <type_traits>

#include "ops/blocked_product.h"
#include "ops/movement.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

using Labels = std::vector<int>;

bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

/// The label of the ellipsis axis that is `i` axes before the last one; below all letters.
int ellipsis_label(std::size_t i) { return -1 - static_cast<int>(i); }

/// `term` with the ellipsis replaced by labels for `axes` axes.
Labels expand(const Labels& term, std::size_t axes) {
  Labels out;
  for (const int label : term) {
    if (label != EinsumTerms::kEllipsis)
      out.push_back(label);
    else
      for (std::size_t i = axes; i-- > 0;) out.push_back(ellipsis_label(i));
  }
  return out;
}

/// Ellipsis axes of a term for an input of this rank.
std::size_t ellipsis_axes(const Labels& term, std::size_t rank, std::size_t input) {
  const std::size_t letters =
      term.size() - static_cast<std::size_t>(contains(term, EinsumTerms::kEllipsis));
  check(contains(term, EinsumTerms::kEllipsis) ? rank >= letters : rank == letters, "(C4) input ",
        input, " has ", rank, " axes, its term has ", letters, " labels");
  return rank - letters;
}

/// Of two sizes that differ, a number other than 1 is what both are stretched to; of two that are not known either may be 1.
template <class D>
void merge_size(std::map<int, D>& sizes, int label, const D& size) {
  const auto [at, is_new] = sizes.try_emplace(label, size);
  if (is_new || at->second == size) return;
  if (at->second == D(1)) {
    at->second = size;
  } else if (size != D(1)) {
    check(may_be_equal(at->second, size), "(C5) one label has the sizes ", at->second, " and ",
          size);
    if constexpr (std::is_same_v<D, Dim>) {
      if (size.is_constant())
        at->second = size;
      else if (!at->second.is_constant())
        at->second = fresh_dim();
    }
  }
}

/// A tensor whose axes have distinct labels, save that a label may walk a diagonal.
struct Part {
  Tensor tensor;
  Labels labels;
};

using Sizes = std::map<int, std::int64_t>;

Shape sizes_of(const Labels& labels, const Sizes& sizes) {
  Shape shape;
  for (const int label : labels) shape.push_back(sizes.at(label));
  return shape;
}

/// Elements to step for one step along `label`.
std::int64_t step_of(const Part& part, int label) {
  const Shape strides = row_major_strides(part.tensor.shape());
  std::int64_t step = 0;
  for (std::size_t a = 0; a < part.labels.size(); ++a)
    if (part.labels[a] == label && part.tensor.shape()[a] != 1) step += strides[a];
  return step;
}

/// The tensor with the axes `wanted`, in that order; the others are summed up.
Part arranged(const Part& part, const Labels& wanted, const Sizes& sizes) {
  Labels all = wanted;
  for (const int label : part.labels)
    if (!contains(all, label)) all.push_back(label);
  Shape strides;
  for (const int label : all) strides.push_back(step_of(part, label));
  const Tensor moved = strided_copy(part.tensor, sizes_of(all, sizes), strides);
  if (all.size() == wanted.size()) return {moved, wanted};
  Shape summed(all.size() - wanted.size());
  std::iota(summed.begin(), summed.end(), static_cast<std::int64_t>(wanted.size()));
  const Tensor axes = Tensor::vector<std::int64_t>(std::span<const std::int64_t>(summed));
  return {Reduce{Reduction::sum, false}.eval(TensorList{moved, axes})[0], wanted};
}

/// Labels of a pair by what becomes of them: shared and kept, of one side and kept, shared and
/// summed.
struct PairLabels {
  Labels batch, left, right, summed;
};

PairLabels classify(const Part& a, const Part& b, const Labels& needed) {
  PairLabels out;
  for (const int label : a.labels) {
    if (contains(out.batch, label) || contains(out.left, label) || contains(out.summed, label))
      continue;
    const bool shared = contains(b.labels, label), kept = contains(needed, label);
    if (shared)
      (kept ? out.batch : out.summed).push_back(label);
    else if (kept)
      out.left.push_back(label);
  }
  for (const int label : b.labels)
    if (!contains(a.labels, label) && contains(needed, label) && !contains(out.right, label))
      out.right.push_back(label);
  return out;
}

Labels joined(std::initializer_list<Labels> lists) {
  Labels out;
  for (const Labels& list : lists) out.insert(out.end(), list.begin(), list.end());
  return out;
}

/// The product of two parts as a batch of matrix products; labels that nobody needs are summed up.
Part multiplied(const Part& a, const Part& b, const Labels& needed, const Sizes& sizes) {
  const PairLabels by = classify(a, b, needed);
  const auto size = [&](const Labels& labels) { return product(sizes_of(labels, sizes)); };
  const std::int64_t batch = size(by.batch), k = size(by.summed);
  const Tensor left = arranged(a, joined({by.batch, by.left, by.summed}), sizes).tensor;
  const Tensor right = arranged(b, joined({by.batch, by.summed, by.right}), sizes).tensor;
  const Tensor out = MatMul{}.eval(TensorList{left.reshaped({batch, size(by.left), k}),
                                              right.reshaped({batch, k, size(by.right)})})[0];
  const Labels labels = joined({by.batch, by.left, by.right});
  return {out.reshaped(sizes_of(labels, sizes)), labels};
}

Tensor contracted(const std::vector<Part>& parts, const Labels& output, const Sizes& sizes) {
  Part so_far = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Labels needed = output;
    for (std::size_t later = i + 1; later < parts.size(); ++later)
      needed = joined({needed, parts[later].labels});
    so_far = multiplied(so_far, parts[i], needed, sizes);
  }
  return arranged(so_far, output, sizes).tensor;
}

struct Contraction {
  std::vector<Part> parts;
  Labels output;
  Sizes sizes;
};

Contraction contraction(std::string_view equation, const std::vector<Shape>& shapes) {
  const EinsumTerms terms = parse_einsum(equation);
  check(terms.inputs.size() == shapes.size(), "(C1) ", terms.inputs.size(), " terms, ",
        shapes.size(), " inputs");
  Contraction out;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t axes = ellipsis_axes(terms.inputs[i], shapes[i].size(), i);
    widest = std::max(widest, axes);
    out.parts.push_back({Tensor(), expand(terms.inputs[i], axes)});
    for (std::size_t a = 0; a < shapes[i].size(); ++a)
      merge_size(out.sizes, out.parts[i].labels[a], shapes[i][a]);
  }
  out.output = expand(terms.output, widest);
  return out;
}

/// A term of two labels behind those of the batch.
struct MatrixTerm {
  Labels batch;
  int rows, columns;
};

/// Nothing where a label occurs twice, or there is an ellipsis.
std::optional<MatrixTerm> matrix_term(const Labels& term) {
  if (term.size() < 2 || contains(term, EinsumTerms::kEllipsis)) return std::nullopt;
  for (const int label : term)
    if (std::ranges::count(term, label) > 1) return std::nullopt;
  return MatrixTerm{Labels(term.begin(), term.end() - 2), term.end()[-2], term.end()[-1]};
}

/// a and b as the operands of a product of matrices that gives c; nothing where it is none.
std::optional<MatMul> as_matmul(const MatrixTerm& a, const MatrixTerm& b, const MatrixTerm& c) {
  MatMul out;
  out.transpose_a = a.columns == c.rows;
  out.transpose_b = b.rows == c.columns;
  const int m = out.transpose_a ? a.columns : a.rows, k = out.transpose_a ? a.rows : a.columns;
  const int k_too = out.transpose_b ? b.columns : b.rows, n = out.transpose_b ? b.rows : b.columns;
  const bool is_it = m == c.rows && n == c.columns && k == k_too && k != m && k != n;
  return is_it && a.batch == c.batch && b.batch == c.batch ? std::optional(out) : std::nullopt;
}

}  // namespace

FactList Einsum::output_facts(Facts in) const {
  const EinsumTerms terms = parse_einsum(equation);
  check(terms.inputs.size() == in.size(), "(C1) ", in_quotes(equation), " has ",
        terms.inputs.size(), " terms, ", in.size(), " inputs given");
  std::map<int, Dim> sizes;
  std::size_t widest = 0;
  bool open_ellipsis = false;
  for (std::size_t i = 0; i < in.size(); ++i) {
    check(in[i].dtype == in[0].dtype && has_product(in[i].dtype), "(C2) ", in[i].dtype,
          " does not go with ", in[0].dtype);
    if (in[i].shape.is_open()) {
      open_ellipsis = open_ellipsis || contains(terms.inputs[i], EinsumTerms::kEllipsis);
      continue;
    }
    const std::size_t axes = ellipsis_axes(terms.inputs[i], in[i].shape.rank(), i);
    widest = std::max(widest, axes);
    const Labels labels = expand(terms.inputs[i], axes);
    for (std::size_t a = 0; a < labels.size(); ++a) merge_size(sizes, labels[a], in[i].shape[a]);
  }
  if (open_ellipsis && contains(terms.output, EinsumTerms::kEllipsis))
    return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  std::vector<Dim> out;
  for (const int label : expand(terms.output, widest)) {
    const auto size = sizes.find(label);
    out.push_back(size == sizes.end() ? fresh_dim() : size->second);
  }
  return {Fact::tensor(in[0].dtype, std::move(out))};
}

TensorList Einsum::eval(Tensors in) const {
  std::vector<Shape> shapes;
  for (const Tensor& tensor : in) shapes.push_back(tensor.shape());
  Contraction work = contraction(equation, shapes);
  const DatumType type = in[0].dtype(), wide = product_type(type);
  for (std::size_t i = 0; i < in.size(); ++i)
    work.parts[i].tensor = wide == type ? in[i] : cast(in[i], wide);
  const Tensor out = contracted(work.parts, work.output, work.sizes);
  return {wide == type ? out : cast(out, type)};
}

/// Einsum("bmk,bkn->bmn") -> MatMul, also of matrices that are transposed, and of the operands in the other order
Rewrite Einsum::declutter(const NodeView& node) const {
  const EinsumTerms terms = parse_einsum(equation);
  const bool has_shapes = std::ranges::all_of(
      node.inputs(), [&](OutletId in) { return node.model.fact(in).shape.is_known(); });
  if (terms.inputs.size() != 2 || !has_shapes) return no_change;
  const auto a = matrix_term(terms.inputs[0]), b = matrix_term(terms.inputs[1]),
             c = matrix_term(terms.output);
  if (!a || !b || !c) return no_change;
  for (std::size_t i = 0; i < terms.inputs[0].size(); ++i)
    for (std::size_t j = 0; j < terms.inputs[1].size(); ++j)
      if (terms.inputs[0][i] == terms.inputs[1][j] &&
          node.input_fact(0).shape[i] != node.input_fact(1).shape[j])
        return no_change;  // one may be stretched
  if (const auto product = as_matmul(*a, *b, *c)) return replace(node, *product, node.inputs());
  if (const auto product = as_matmul(*b, *a, *c))
    return replace(node, *product, {node.input(1), node.input(0)});
  return no_change;
}

Cost Einsum::cost(Facts in, Facts out) const {
  Cost cost = memory_cost(in, out);
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto shape = in[i].shape.concrete();
    if (!shape) return cost;
    shapes.push_back(*shape);
  }
  cost.flops = in.size() > 1 ? 2 : 1;
  for (const auto& [label, size] : contraction(equation, shapes).sizes)
    cost.flops *= static_cast<double>(size);
  return cost;
}

}  // namespace strata
