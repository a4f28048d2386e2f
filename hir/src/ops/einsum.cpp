#include "strata/hir/ops/einsum.h"

#include <algorithm>
#include <numeric>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/einsum.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/squeeze.h"
#include "strata/core/ops/support.h"
#include "strata/core/ops/transpose.h"
#include "strata/core/ops/unsqueeze.h"

namespace strata::hir {
namespace {

using Labels = std::vector<int>;

bool contains(const Labels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

Labels joined(Labels first, const Labels& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// A wire whose axes have labels of their own.
struct Labelled {
  OutletId wire;
  Labels labels;

  std::size_t axis(int label) const {
    return static_cast<std::size_t>(std::ranges::find(labels, label) - labels.begin());
  }
};

/// The labels of two operands by what becomes of them: both have and the output keeps, one has and
/// the output keeps, both have and are summed up.
struct PairLabels {
  Labels batch, left, right, summed;
};

/// Nothing where a label occurs twice in an operand, only in one and not in the output, or stands for
/// axes that may be of two sizes.
std::optional<PairLabels> classify(const ShapeFact& left, const ShapeFact& right,
                                   const EinsumTerms& terms) {
  const Labels &a = terms.inputs[0], &b = terms.inputs[1];
  PairLabels out;
  for (const Labels* term : {&a, &b}) {
    const Labels& other = term == &a ? b : a;
    for (std::size_t i = 0; i < term->size(); ++i) {
      const int label = (*term)[i];
      const bool is_kept = contains(terms.output, label), is_shared = contains(other, label);
      if (label == EinsumTerms::kEllipsis || std::ranges::count(*term, label) > 1 ||
          (!is_kept && !is_shared))
        return std::nullopt;
      if (!is_shared) {
        (term == &a ? out.left : out.right).push_back(label);
      } else if (term == &a) {
        const auto at = static_cast<std::size_t>(std::ranges::find(b, label) - b.begin());
        if (left[i] != right[at]) return std::nullopt;
        (is_kept ? out.batch : out.summed).push_back(label);
      }
    }
  }
  return out;
}

/// The same, and nothing where the op itself tells what is wrong, or more must be known of shapes.
std::optional<PairLabels> product_labels(Builder& b, const OutletIds& in,
                                         const EinsumTerms& terms) {
  if (in.size() != 2 || terms.inputs.size() != 2) return std::nullopt;
  const Fact &x = b.fact(in[0]), &y = b.fact(in[1]);
  const auto suits = [](const Fact& fact, const Labels& term) {
    return fact.is_tensor() && fact.shape.is_known() && fact.shape.rank() == term.size();
  };
  if (x.dtype != y.dtype || !suits(x, terms.inputs[0]) || !suits(y, terms.inputs[1]))
    return std::nullopt;
  return classify(x.shape, y.shape, terms);
}

/// Wires the product of two operands.
class ProductOfLabels {
 public:
  explicit ProductOfLabels(Builder& builder) : b_(builder) {}

  /// Transpose and Unsqueeze of both, multiplied element by element
  Labelled elements(const Labelled& x, const Labelled& y, const Labels& output) {
    return {b_.one(Binary{BinaryOp::mul}, {spread(x, output), spread(y, output)}), output};
  }

  /// a[batch, left, summed] times b[batch, right, summed] transposed; nothing where axes are to be
  /// joined whose sizes are not known.
  std::optional<Labelled> matrices(const Labelled& a, const Labelled& b, const PairLabels& by) {
    const auto summed = sizes_of(a, by.summed), right = sizes_of(b, by.right);
    const bool joins_summed = by.summed.size() > 1, joins_right = by.right.size() > 1;
    if ((joins_summed && !summed) || (joins_right && (!summed || !right))) return std::nullopt;
    const std::size_t batch = by.batch.size(), left = by.left.size();
    OutletId rows = ordered(a, joined(joined(by.batch, by.left), by.summed));
    OutletId columns = ordered(b, joined(joined(by.batch, by.right), by.summed));
    if (joins_summed) rows = reshaped(rows, batch + left, {product(*summed)});
    if (joins_right)
      columns = reshaped(columns, batch, {product(*right), product(*summed)});
    else if (joins_summed)
      columns = reshaped(columns, batch + by.right.size(), {product(*summed)});
    if (left == 0) rows = unsqueezed(rows, batch, 1);
    if (by.right.empty()) columns = unsqueezed(columns, batch, 1);
    if (batch > 0 && left > 1) columns = unsqueezed(columns, batch, left - 1);
    OutletId out = b_.one(MatMul{false, true}, {rows, columns});
    if (joins_right) out = reshaped(out, batch + std::max<std::size_t>(left, 1), *right);
    if (by.right.empty()) out = squeezed(out, batch + std::max<std::size_t>(left, 1));
    if (left == 0) out = squeezed(out, batch);
    return Labelled{out, joined(joined(by.batch, by.left), by.right)};
  }

  OutletId ordered(const Labelled& from, const Labels& labels) {
    if (from.labels == labels) return from.wire;
    std::vector<std::int64_t> perm;
    for (const int label : labels) perm.push_back(static_cast<std::int64_t>(from.axis(label)));
    return b_.one(Transpose{perm}, {from.wire});
  }

 private:
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

}  // namespace

void Einsum::rules(Rules& r) const { Direct{strata::Einsum{equation}}.rules(r); }

/// Einsum(x, y) -> Transpose(MatMul(Transpose(x), Transpose(y))), or Mul where nothing is summed up
OutletIds Einsum::wire(Builder& b, const OutletIds& in) const {
  const EinsumTerms terms = parse_einsum(equation);
  const auto by = product_labels(b, in, terms);
  if (by) {
    const Labelled x{in[0], terms.inputs[0]}, y{in[1], terms.inputs[1]};
    ProductOfLabels product(b);
    const auto made =
        by->summed.empty() ? product.elements(x, y, terms.output) : product.matrices(x, y, *by);
    if (made) return {product.ordered(*made, terms.output)};
  }
  return Direct{strata::Einsum{equation}}.wire(b, in);
}

}  // namespace strata::hir
