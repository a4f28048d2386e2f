#include <numeric>
#include <optional>
#include <string>

#include "ops/einsum_labels.h"
#include "strata/core/builder.h"
#include "strata/core/ops/binary.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/support.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"

// Einsum as products of matrices.

namespace strata {
namespace {

/// A wire whose axes have labels of their own.
struct Labelled {
  OutletId wire;
  Labels labels;

  std::size_t axis(int label) const {
    return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
  }
};

/// Whether they make a product of matrices or of elements. They do not if a label occurs twice in
/// an operand, or in one operand only and not in the output, or stands for two sizes that do not
/// broadcast.
bool is_product(const Builder& builder, const Labelled& a, const Labelled& b,
                const Labels& output) {
  if (has_twice(a.labels) || has_twice(b.labels)) return false;
  const auto size = [&](const Labelled& of, int label) {
    return builder.fact(of.wire).shape[of.axis(label)];
  };
  const auto is_used = [&](const Labelled& other) {
    return [&](int label) { return contains(output, label) || contains(other.labels, label); };
  };
  const auto broadcasts = [&](int label) {
    if (!contains(b.labels, label)) return true;
    const Dim x = size(a, label), y = size(b, label);
    return x == 1 || y == 1 || may_be_equal(x, y);
  };
  return std::ranges::all_of(a.labels, is_used(b)) && std::ranges::all_of(b.labels, is_used(a)) &&
         std::ranges::all_of(a.labels, broadcasts);
}

struct Operands {
  std::vector<Labelled> inputs;
  Labels output;
};

/// Nothing if the op will report what is wrong, or if shapes are not known well enough.
std::optional<Operands> operands_of(const Builder& b, const OutletIds& in,
                                    const EinsumTerms& terms) {
  if (in.size() != terms.inputs.size()) return std::nullopt;
  Operands out;
  std::size_t widest = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Fact& x = b.fact(in[i]);
    const Labels& term = terms.inputs[i];
    const std::size_t letters = term.size() - contains(term, EinsumTerms::kEllipsis);
    if (!x.is_tensor() || x.dtype != b.fact(in[0]).dtype || x.shape.is_open() ||
        x.shape.rank() < letters || (letters == term.size() && x.shape.rank() > letters))
      return std::nullopt;
    widest = std::max(widest, x.shape.rank() - letters);
    out.inputs.push_back({in[i], expanded(term, x.shape.rank() - letters)});
  }
  out.output = expanded(terms.output, widest);
  return out;
}

/// An equation of these labels, the first of which is called a.
std::string equation_of(const Labels& left, const Labels& right, const Labels& output) {
  const Labels all = joined(left, right);
  const auto text = [&](const Labels& labels) {
    std::string out;
    for (const int label : labels)
      out += static_cast<char>('a' + (std::ranges::find(all, label) - all.begin()));
    return out;
  };
  return text(left) + ',' + text(right) + "->" + text(output);
}

/// Wires the product of two operands.
class ProductOfLabels {
 public:
  explicit ProductOfLabels(Builder& builder) : b_(builder) {}

  /// The product with the labels of `output` in any order; nothing where axes are to be joined
  /// whose sizes are not known.
  std::optional<Labelled> of(const Labelled& x, const Labelled& y, const Labels& output) {
    const PairLabels by = classify(x.labels, y.labels, output);
    if (by.summed.empty()) return elements(x, y, output);
    const PairLabels turned{by.batch, by.right, by.left, by.summed};
    return turns(y, x, turned, output) < turns(x, y, by, output) ? matrices(y, x, turned)
                                                                 : matrices(x, y, by);
  }

  OutletId ordered(const Labelled& from, const Labels& labels) {
    if (from.labels == labels) return from.wire;
    std::vector<std::int64_t> perm;
    for (const int label : labels) perm.push_back(static_cast<std::int64_t>(from.axis(label)));
    return b_.one(Transpose{perm}, {from.wire});
  }

 private:
  /// How many of the operands and the product lie otherwise than those of a MatMul.
  static int turns(const Labelled& x, const Labelled& y, const PairLabels& by,
                   const Labels& output) {
    const Labels rows = joined(by.batch, by.left);
    return (x.labels != joined(rows, by.summed)) +
           (y.labels != joined(joined(by.batch, by.summed), by.right)) +
           (output != joined(rows, by.right));
  }
  /// Transpose and Unsqueeze of both, multiplied element by element
  std::optional<Labelled> elements(const Labelled& x, const Labelled& y, const Labels& output) {
    return Labelled{b_.one(Binary{BinaryOp::mul}, {spread(x, output), spread(y, output)}), output};
  }

  /// a[batch, left, summed] times b[batch, right, summed] transposed, or either as it lies where
  /// only its last two axes are the other way round; nothing where axes are to be joined whose
  /// sizes are not known.
  std::optional<Labelled> matrices(const Labelled& a, const Labelled& b, const PairLabels& by) {
    const auto summed = stretched_sizes(a, b, by.summed), right = sizes_of(b, by.right);
    const bool joins_summed = by.summed.size() > 1, joins_right = by.right.size() > 1;
    if (joins_summed && !have_sizes_in_common(a, b, by.summed)) return std::nullopt;
    if ((joins_summed && !summed) || (joins_right && (!summed || !right))) return std::nullopt;
    const std::size_t batch = by.batch.size(), left = by.left.size();
    const bool rows_lie_across = lies_across(a, by.batch, by.left, by.summed);
    const bool columns_lie_across = lies_across(b, by.batch, by.right, by.summed);
    OutletId rows =
        matrix(stretched(a, b, by.summed), rows_lie_across, joined(by.batch, by.left), by.summed);
    OutletId columns = matrix(stretched(b, a, by.summed), columns_lie_across,
                              joined(by.batch, by.right), by.summed);
    if (joins_summed) rows = reshaped(rows, batch + left, {product(*summed)});
    if (joins_right)
      columns = reshaped(columns, batch, {product(*right), product(*summed)});
    else if (joins_summed)
      columns = reshaped(columns, batch + by.right.size(), {product(*summed)});
    if (left == 0) rows = unsqueezed(rows, batch, 1);
    if (by.right.empty()) columns = unsqueezed(columns, batch, 1);
    if (batch > 0 && left > 1) columns = unsqueezed(columns, batch, left - 1);
    OutletId out =
        b_.one(MatMul{.transpose_a = rows_lie_across, .transpose_b = !columns_lie_across},
               {rows, columns});
    if (joins_right) out = reshaped(out, batch + std::max<std::size_t>(left, 1), *right);
    if (by.right.empty()) out = squeezed(out, batch + std::max<std::size_t>(left, 1));
    if (left == 0) out = squeezed(out, batch);
    return Labelled{out, joined(joined(by.batch, by.left), by.right)};
  }
  /// Whether the axes are [batch, summed, own], of one axis each of the last two.
  static bool lies_across(const Labelled& from, const Labels& batch, const Labels& own,
                          const Labels& summed) {
    return own.size() == 1 && summed.size() == 1 &&
           from.labels == joined(joined(batch, summed), own);
  }
  /// [kept, summed], or as it lies.
  OutletId matrix(const Labelled& from, bool as_it_lies, const Labels& kept, const Labels& summed) {
    return as_it_lies ? from.wire : ordered(from, joined(kept, summed));
  }
  /// The sizes of some axes, where they are known and none is 0.
  std::optional<Shape> sizes_of(const Labelled& from, const Labels& labels) const {
    Shape sizes;
    for (const int label : labels) {
      const auto size = b_.fact(from.wire).shape[from.axis(label)].constant();
      if (!size || *size == 0) return std::nullopt;
      sizes.push_back(*size);
    }
    return sizes;
  }
  /// The sizes that axes of both are stretched to, if they are known and none is 0. One known size
  /// other than 1 decides.
  std::optional<Shape> stretched_sizes(const Labelled& a, const Labelled& b,
                                       const Labels& labels) const {
    Shape sizes;
    for (const int label : labels) {
      const auto x = b_.fact(a.wire).shape[a.axis(label)].constant();
      const auto y = b_.fact(b.wire).shape[b.axis(label)].constant();
      const std::int64_t size = std::max(x.value_or(1), y.value_or(1));
      if (x == 0 || y == 0 || (size == 1 && !(x && y))) return std::nullopt;
      sizes.push_back(size);
    }
    return sizes;
  }
  bool have_sizes_in_common(const Labelled& a, const Labelled& b, const Labels& labels) const {
    return std::ranges::all_of(labels, [&](int label) {
      return b_.fact(a.wire).shape[a.axis(label)] == b_.fact(b.wire).shape[b.axis(label)];
    });
  }
  /// Expands summed axes to the other's sizes, where these may differ.
  Labelled stretched(const Labelled& from, const Labelled& other, const Labels& summed) {
    OutletIds target;
    bool is_stretched = false;
    for (std::size_t axis = 0; axis < from.labels.size(); ++axis) {
      target.push_back(b_.integers({1}));
      if (!contains(summed, from.labels[axis])) continue;
      const std::size_t at = other.axis(from.labels[axis]);
      if (b_.fact(from.wire).shape[axis] == b_.fact(other.wire).shape[at]) continue;
      const auto begin = static_cast<std::int64_t>(at);
      target.back() = b_.one(ShapeOf{begin, begin + 1}, {other.wire});
      is_stretched = true;
    }
    if (!is_stretched) return from;
    return {b_.one(Expand{}, {from.wire, b_.one(Concat{0}, target)}), from.labels};
  }
  /// The first `kept` axes, and others of these sizes for the rest.
  OutletId reshaped(OutletId wire, std::size_t kept, const Shape& rest) {
    Shape target(kept, 0);
    for (const std::int64_t size : rest) target.push_back(size);
    return b_.one(Reshape{ReshapeZero::copy}, {wire, b_.integers(target)});
  }
  OutletId unsqueezed(OutletId wire, std::size_t at, std::size_t count) {
    Shape axes(count);
    std::iota(axes.begin(), axes.end(), static_cast<std::int64_t>(at));
    return b_.one(Unsqueeze{}, {wire, b_.integers(axes)});
  }
  OutletId squeezed(OutletId wire, std::size_t at) {
    return b_.one(Squeeze{}, {wire, b_.integers({static_cast<std::int64_t>(at)})});
  }
  /// All axes of `labels`, of size 1 where there is none.
  OutletId spread(const Labelled& from, const Labels& labels) {
    Labels present;
    Shape missing;
    for (std::size_t i = 0; i < labels.size(); ++i)
      if (contains(from.labels, labels[i]))
        present.push_back(labels[i]);
      else
        missing.push_back(static_cast<std::int64_t>(i));
    const OutletId wire = ordered(from, present);
    return missing.empty() ? wire : b_.one(Unsqueeze{}, {wire, b_.integers(missing)});
  }

  Builder& b_;
};

/// Wires operands one after another.
class Contraction {
 public:
  explicit Contraction(Builder& builder) : b_(builder), product_(builder) {}

  /// The sum over the axes that are not kept.
  Labelled summed(const Labelled& x, const Labels& kept) {
    Labelled out{x.wire, {}};
    Shape axes;
    for (std::size_t i = 0; i < x.labels.size(); ++i)
      if (contains(kept, x.labels[i]))
        out.labels.push_back(x.labels[i]);
      else
        axes.push_back(static_cast<std::int64_t>(i));
    if (axes.empty() || has_twice(x.labels)) return x;
    const Reduce sum{.op = Reduction::sum, .keep_dims = false, .no_axes = NoAxes::means_none};
    out.wire = b_.one(sum, {x.wire, b_.integers(axes)});
    return out;
  }

  /// Nothing where two operands are none of matrices.
  std::optional<OutletId> all(const Operands& operands) {
    Labelled so_far = operands.inputs[0];
    for (std::size_t i = 1; i < operands.inputs.size(); ++i) {
      const Labelled& next = operands.inputs[i];
      Labels needed = operands.output, kept;
      for (std::size_t later = i + 1; later < operands.inputs.size(); ++later)
        needed = joined(needed, operands.inputs[later].labels);
      for (const int label : joined(so_far.labels, next.labels))
        if (contains(needed, label) && !contains(kept, label)) kept.push_back(label);
      const Labels& labels = i + 1 == operands.inputs.size() ? operands.output : kept;
      if (const auto made = pair(so_far, next, labels))
        so_far = *made;
      else if (operands.inputs.size() == 2)
        return std::nullopt;
      else
        so_far = einsum(so_far, next, labels);
    }
    return product_.ordered(summed(so_far, operands.output), operands.output);
  }

  static bool is_narrow_float(DatumType type) { return is_float(type) && bit_width(type) < 32; }

 private:
  /// The product of two, with these labels in any order; nothing where they stay an Einsum.
  std::optional<Labelled> pair(const Labelled& left, const Labelled& right, const Labels& output) {
    Labelled x = left, y = right;
    if (!is_narrow_float(b_.fact(x.wire).dtype)) {  // a sum of its own would round those
      x = summed(left, joined(right.labels, output));
      y = summed(right, joined(left.labels, output));
    }
    if (is_product(b_, x, y, output))
      if (const auto made = product_.of(x, y, output)) return made;
    const bool is_as_it_was = x.wire == left.wire && y.wire == right.wire;
    return is_as_it_was ? std::nullopt : std::optional(einsum(x, y, output));
  }

  Labelled einsum(const Labelled& x, const Labelled& y, const Labels& output) {
    return {b_.one(Einsum{equation_of(x.labels, y.labels, output)}, {x.wire, y.wire}), output};
  }

  Builder& b_;
  ProductOfLabels product_;
};

}  // namespace

/// Einsum(x, y)     -> Transpose(MatMul(Transpose(x), Transpose(y))), or Mul where nothing is
///                  summed up
/// Einsum(x, y, z)  -> Einsum(Einsum(x, y), z)
/// Einsum(x)        -> Transpose(Reduce(x))
Rewrite Einsum::declutter(const NodeView& node) const {
  constexpr std::size_t kMostLabels = 26;  // so that there are letters for the axes of an ellipsis
  const OutletIds& in = node.inputs();
  Patch patch(node);
  Builder builder(patch, "");
  const auto operands = operands_of(builder, in, parse_einsum(equation));
  if (!operands) return no_change;
  std::size_t axes = 0;
  for (const Labelled& each : operands->inputs) axes += each.labels.size();
  const bool is_rounded_once =
      in.size() < 3 || !Contraction::is_narrow_float(node.input_fact(0).dtype);
  const bool is_diagonal = in.size() == 1 && has_twice(operands->inputs[0].labels);
  if (axes > kMostLabels || !is_rounded_once || is_diagonal) return no_change;
  const auto result = Contraction(builder).all(*operands);
  if (!result) return no_change;
  patch.shunt(node.output(), *result);
  return patch;
}

}  // namespace strata
