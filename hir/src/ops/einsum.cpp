#include "strata/hir/ops/einsum.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "strata/core/ops/binary.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/einsum.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/matmul.h"
#include "strata/core/ops/reduce.h"
#include "strata/core/ops/reshape.h"
#include "strata/core/ops/shape_of.h"
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

bool has_twice(const Labels& labels) {
  return std::ranges::any_of(labels,
                             [&](int label) { return std::ranges::count(labels, label) > 1; });
}

/// Nothing where a label occurs twice in an operand, only in one and not in the output, or stands for axes of two
/// sizes that do not broadcast.
std::optional<PairLabels> classify(const Builder& builder, const Labelled& a, const Labelled& b,
                                   const Labels& output) {
  if (has_twice(a.labels) || has_twice(b.labels)) return std::nullopt;
  PairLabels out;
  for (const Labelled* each : {&a, &b}) {
    const Labelled& other = each == &a ? b : a;
    for (const int label : each->labels) {
      const bool is_kept = contains(output, label), is_shared = contains(other.labels, label);
      if (!is_kept && !is_shared) return std::nullopt;
      if (!is_shared) {
        (each == &a ? out.left : out.right).push_back(label);
      } else if (each == &a) {
        const Dim& size = builder.fact(a.wire).shape[a.axis(label)];
        const Dim& other_size = builder.fact(b.wire).shape[b.axis(label)];
        if (size != 1 && other_size != 1 && !may_be_equal(size, other_size)) return std::nullopt;
        (is_kept ? out.batch : out.summed).push_back(label);
      }
    }
  }
  return out;
}

/// `term` with a label below all letters for each of the `axes` that its ellipsis stands for, aligned
/// at the last.
Labels expanded(const Labels& term, std::size_t axes) {
  Labels out;
  for (const int label : term) {
    if (label != EinsumTerms::kEllipsis)
      out.push_back(label);
    else
      for (std::size_t i = axes; i-- > 0;) out.push_back(-1 - static_cast<int>(i));
  }
  return out;
}

struct Operands {
  std::vector<Labelled> inputs;
  Labels output;
};

/// Nothing where the op itself tells what is wrong, or more must be known of shapes.
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

/// An equation of these labels: letters are themselves, axes of an ellipsis take letters that are free.
std::string equation_of(const std::vector<Labels>& inputs, const Labels& output) {
  Labels all = output;
  for (const Labels& term : inputs) all = joined(all, term);
  std::map<int, char> letters;
  char free = 'A';
  for (const int label : all) {
    if (label > 0 || letters.contains(label)) continue;
    while (contains(all, free)) free = free == 'Z' ? 'a' : static_cast<char>(free + 1);
    letters[label] = free++;
  }
  const auto text = [&](const Labels& labels) {
    std::string out;
    for (const int label : labels) out += label > 0 ? static_cast<char>(label) : letters.at(label);
    return out;
  };
  std::string out;
  for (std::size_t i = 0; i < inputs.size(); ++i) out += (i > 0 ? "," : "") + text(inputs[i]);
  return out + "->" + text(output);
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
    const auto summed = stretched_sizes(a, b, by.summed), right = sizes_of(b, by.right);
    const bool joins_summed = by.summed.size() > 1, joins_right = by.right.size() > 1;
    if (joins_summed && !have_sizes_in_common(a, b, by.summed)) return std::nullopt;
    if ((joins_summed && !summed) || (joins_right && (!summed || !right))) return std::nullopt;
    const std::size_t batch = by.batch.size(), left = by.left.size();
    OutletId rows =
        ordered(stretched(a, b, by.summed), joined(joined(by.batch, by.left), by.summed));
    OutletId columns =
        ordered(stretched(b, a, by.summed), joined(joined(by.batch, by.right), by.summed));
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
  /// The sizes that axes of both are stretched to, where one of each tells and none is 0: a number other than 1 does.
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
  /// Expand to the other's sizes of summed axes, where they may be others.
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
    const strata::Reduce sum{Reduction::sum, false, NoAxes::means_none};
    out.wire = b_.one(sum, {x.wire, b_.integers(axes)});
    return out;
  }

  /// The product of two, with these labels in any order; an Einsum where it is none of matrices.
  Labelled pair(Labelled x, Labelled y, const Labels& output) {
    if (!is_narrow_float(b_.fact(x.wire).dtype)) {  // which a sum of its own would round
      x = summed(x, joined(y.labels, output));
      y = summed(y, joined(x.labels, output));
    }
    if (const auto by = classify(b_, x, y, output)) {
      const auto made =
          by->summed.empty() ? product_.elements(x, y, output) : product_.matrices(x, y, *by);
      if (made) return *made;
    }
    const strata::Einsum left{equation_of({x.labels, y.labels}, output)};
    return {b_.one(left, {x.wire, y.wire}), output};
  }

  OutletId all(const Operands& operands) {
    Labelled so_far = operands.inputs[0];
    for (std::size_t i = 1; i < operands.inputs.size(); ++i) {
      Labels needed = operands.output, kept;
      for (std::size_t later = i + 1; later < operands.inputs.size(); ++later)
        needed = joined(needed, operands.inputs[later].labels);
      for (const int label : joined(so_far.labels, operands.inputs[i].labels))
        if (contains(needed, label) && !contains(kept, label)) kept.push_back(label);
      const bool is_last = i + 1 == operands.inputs.size();
      so_far = pair(so_far, operands.inputs[i], is_last ? operands.output : kept);
    }
    return product_.ordered(summed(so_far, operands.output), operands.output);
  }

  static bool is_narrow_float(DatumType type) { return is_float(type) && bit_width(type) < 32; }

 private:
  Builder& b_;
  ProductOfLabels product_;
};

}  // namespace

void Einsum::rules(Rules& r) const { Direct{strata::Einsum{equation}}.rules(r); }

/// Einsum(x, y)     -> Transpose(MatMul(Transpose(x), Transpose(y))), or Mul where nothing is summed up
/// Einsum(x, y, z)  -> Einsum(Einsum(x, y), z)
/// Einsum(x)        -> Transpose(Reduce(x))
OutletIds Einsum::wire(Builder& b, const OutletIds& in) const {
  const auto operands = operands_of(b, in, parse_einsum(equation));
  constexpr std::size_t kMostLabels = 26;  // so that there are letters for the axes of an ellipsis
  std::size_t axes = 0;
  if (operands)
    for (const Labelled& each : operands->inputs) axes += each.labels.size();
  const bool is_rounded_once = in.size() < 3 || !Contraction::is_narrow_float(b.fact(in[0]).dtype);
  const bool is_diagonal = in.size() == 1 && operands && has_twice(operands->inputs[0].labels);
  if (!operands || axes > kMostLabels || !is_rounded_once || is_diagonal)
    return Direct{strata::Einsum{equation}}.wire(b, in);
  return {Contraction(b).all(*operands)};
}

}  // namespace strata::hir
