#include "strata/core/ops/einsum.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <type_traits>

#include "ops/blocked_product.h"
#include "ops/einsum_labels.h"
#include "ops/movement.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// Ellipsis axes of a term for an input of this rank.
std::size_t ellipsis_axes(const Labels& term, std::size_t rank, std::size_t input) {
  const std::size_t letters =
      term.size() - static_cast<std::size_t>(contains(term, EinsumTerms::kEllipsis));
  check(contains(term, EinsumTerms::kEllipsis) ? rank >= letters : rank == letters, "(C4) input ",
        input, " has ", rank, " axes, its term has ", letters, " labels");
  return rank - letters;
}

/// Of two sizes that differ, a number other than 1 is what both are stretched to; of two that are
/// not known either may be 1.
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
  return {Reduce{.op = Reduction::sum, .keep_dims = false}.eval(TensorList{moved, axes})[0],
          wanted};
}

/// The product of two parts as a batch of matrix products; labels that nobody needs are summed up.
Part multiplied(const Part& a, const Part& b, const Labels& needed, const Sizes& sizes) {
  const PairLabels by = classify(a.labels, b.labels, needed);
  const auto size = [&](const Labels& labels) { return product(sizes_of(labels, sizes)); };
  const std::int64_t batch = size(by.batch), k = size(by.summed);
  const Labels kept = joined(by.batch, by.left);
  const Tensor left = arranged(a, joined(kept, by.summed), sizes).tensor;
  const Tensor right = arranged(b, joined(joined(by.batch, by.summed), by.right), sizes).tensor;
  const Tensor out = MatMul{}.eval(TensorList{left.reshaped({batch, size(by.left), k}),
                                              right.reshaped({batch, k, size(by.right)})})[0];
  const Labels labels = joined(kept, by.right);
  return {out.reshaped(sizes_of(labels, sizes)), labels};
}

Tensor contracted(const std::vector<Part>& parts, const Labels& output, const Sizes& sizes) {
  Part so_far = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Labels needed = output;
    for (std::size_t later = i + 1; later < parts.size(); ++later)
      needed = joined(needed, parts[later].labels);
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
  check(terms.inputs.size() == shapes.size(), "(C1) ", counted(terms.inputs.size(), "term"), ", ",
        counted(shapes.size(), "input"));
  Contraction out;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t axes = ellipsis_axes(terms.inputs[i], shapes[i].size(), i);
    widest = std::max(widest, axes);
    out.parts.push_back({Tensor(), expanded(terms.inputs[i], axes)});
    for (std::size_t a = 0; a < shapes[i].size(); ++a)
      merge_size(out.sizes, out.parts[i].labels[a], shapes[i][a]);
  }
  out.output = expanded(terms.output, widest);
  return out;
}

}  // namespace

FactList Einsum::output_facts(Facts in) const {
  const EinsumTerms terms = parse_einsum(equation);
  check(terms.inputs.size() == in.size(), "(C1) ", in_quotes(equation), " has ",
        counted(terms.inputs.size(), "term"), ", ", counted(in.size(), "input"), " given");
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
    const Labels labels = expanded(terms.inputs[i], axes);
    for (std::size_t a = 0; a < labels.size(); ++a) merge_size(sizes, labels[a], in[i].shape[a]);
  }
  if (open_ellipsis && contains(terms.output, EinsumTerms::kEllipsis))
    return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  std::vector<Dim> out;
  for (const int label : expanded(terms.output, widest)) {
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
