#include "strata/core/ops/reduce.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "ops/lanes.h"
#include "ops/number_view.h"
#include "ops/operand_kinds.h"

namespace strata {
namespace {

template <class T>
using List = std::span<const T>;
using Whole = std::int64_t;
using Natural = std::uint64_t;

/// A function of a list on each kind of number; where `whole` is missing, integers go through
/// `real`.
struct Row {
  Reduction op;
  double (*real)(List<double>);
  Whole (*whole)(List<Whole>) = nullptr;
  Natural (*natural)(List<Natural>) = nullptr;
  bool (*truth)(List<bool>) = nullptr;
  Dim (*symbolic)(List<Dim>) = nullptr;
};

/// Folds the list with `step`, signed integers modulo 2^64.
template <class T, class Step>
T folded(List<T> list, T start, const Step& step) {
  if constexpr (std::is_same_v<T, Whole>) {
    Natural total = static_cast<Natural>(start);
    for (const Whole x : list) total = step(total, static_cast<Natural>(x));
    return static_cast<Whole>(total);
  } else {
    for (const T& x : list) start = step(start, x);
    return start;
  }
}

constexpr auto kPlus = [](const auto& a, const auto& b) { return a + b; };
constexpr auto kTimes = [](const auto& a, const auto& b) { return a * b; };
constexpr auto kPlusSquare = [](const auto& a, const auto& b) { return a + b * b; };

template <class T>
T sum(List<T> x) {
  return folded(x, T(0), kPlus);
}
template <class T>
T prod(List<T> x) {
  return folded(x, T(1), kTimes);
}
template <class T>
T sum_square(List<T> x) {
  return folded(x, T(0), kPlusSquare);
}

/// The greatest; NaN when one is.
double greatest(List<double> list) {
  double out = -std::numeric_limits<double>::infinity();
  for (const double x : list) out = std::isnan(out) || out > x ? out : x;
  return out;
}
double least(List<double> list) {
  double out = std::numeric_limits<double>::infinity();
  for (const double x : list) out = std::isnan(out) || out < x ? out : x;
  return out;
}
template <class T>
T greatest(List<T> x) {
  return std::accumulate(x.begin(), x.end(), std::numeric_limits<T>::min(),
                         [](T a, T b) { return a < b ? b : a; });
}
template <class T>
T least(List<T> x) {
  return std::accumulate(x.begin(), x.end(), std::numeric_limits<T>::max(),
                         [](T a, T b) { return b < a ? b : a; });
}
Dim greatest_dim(List<Dim> x) {
  check_data(!x.empty(), "no size is the greatest");
  return std::accumulate(x.begin(), x.end(), x[0],
                         [](const Dim& a, const Dim& b) { return max(a, b); });
}
Dim least_dim(List<Dim> x) {
  check_data(!x.empty(), "no size is the least");
  return std::accumulate(x.begin(), x.end(), x[0],
                         [](const Dim& a, const Dim& b) { return min(a, b); });
}

double l1(List<double> list) {
  return folded(list, 0.0, [](double a, double x) { return a + std::fabs(x); });
}
Whole l1_whole(List<Whole> list) {
  return folded(list, Whole{0},
                [](Natural a, Natural x) { return static_cast<Whole>(x) < 0 ? a - x : a + x; });
}

double log_sum_exp(List<double> list) {
  const double top = greatest(list);
  if (!std::isfinite(top)) return top;
  return top +
         std::log(folded(list, 0.0, [&](double a, double x) { return a + std::exp(x - top); }));
}

template <class T>
T integer_mean(List<T> x) {
  return x.empty() ? T{0} : static_cast<T>(sum(x) / static_cast<T>(x.size()));
}

constexpr Row kRows[] = {
    {.op = Reduction::l1, .real = l1, .whole = l1_whole, .natural = sum<Natural>},
    {.op = Reduction::l2, .real = [](List<double> x) { return std::sqrt(sum_square(x)); }},
    {.op = Reduction::log_sum, .real = [](List<double> x) { return std::log(sum(x)); }},
    {.op = Reduction::log_sum_exp, .real = log_sum_exp},
    {.op = Reduction::max,
     .real = greatest,
     .whole = greatest<Whole>,
     .natural = greatest<Natural>,
     .truth = greatest<bool>,
     .symbolic = greatest_dim},
    {.op = Reduction::mean,
     .real = [](List<double> x) { return sum(x) / static_cast<double>(x.size()); },
     .whole = integer_mean<Whole>,
     .natural = integer_mean<Natural>},
    {.op = Reduction::min,
     .real = least,
     .whole = least<Whole>,
     .natural = least<Natural>,
     .truth = least<bool>,
     .symbolic = least_dim},
    {.op = Reduction::prod,
     .real = prod<double>,
     .whole = prod<Whole>,
     .natural = prod<Natural>,
     .symbolic = prod<Dim>},
    {.op = Reduction::sum,
     .real = sum<double>,
     .whole = sum<Whole>,
     .natural = sum<Natural>,
     .symbolic = sum<Dim>},
    {.op = Reduction::sum_square,
     .real = sum_square<double>,
     .whole = sum_square<Whole>,
     .natural = sum_square<Natural>,
     .symbolic = sum_square<Dim>},
};

bool is_defined_on(const Row& row, DatumType type) {
  switch (kind_of(type)) {
    case NumberKind::truth:
      return row.truth != nullptr;
    case NumberKind::symbolic:
      return row.symbolic != nullptr;
    case NumberKind::none:
      return false;
    default:
      return true;
  }
}

/// Each lane of `data` through `function`, in the shape `out`.
template <class Wide>
Tensor reduced(const Tensor& data, const Lanes& lanes, const Shape& shape,
               Wide (*function)(List<Wide>)) {
  MutableTensor out(data.dtype(), shape);
  // A plain array, as std::vector<bool> has no elements to point at.
  const auto lane = std::make_unique<Wide[]>(lanes.steps.size());
  const NumberView<Wide> from(data);
  const MutableNumberView<Wide> to(out);
  for (std::size_t i = 0; i < lanes.starts.size(); ++i) {
    for (std::size_t k = 0; k < lanes.steps.size(); ++k) lane[k] = from[lanes.at(i, k)];
    const Wide result = function({lane.get(), lanes.steps.size()});
    // Of a max or min over nothing it is an end of the widest range.
    to.set(i, lanes.steps.empty() ? in_range(result, data.dtype()) : result);
  }
  return std::move(out).freeze();
}

Tensor reduced_dims(const Tensor& data, const Lanes& lanes, const Shape& shape,
                    Dim (*function)(List<Dim>)) {
  MutableTensor out(DatumType::dim, shape);
  const auto from = data.as<Dim>();
  const auto to = out.as<Dim>();
  for (std::size_t i = 0; i < lanes.starts.size(); ++i) {
    std::vector<Dim> lane;
    for (std::size_t k = 0; k < lanes.steps.size(); ++k) lane.push_back(from[lanes.at(i, k)]);
    to[i] = function(lane);
  }
  return std::move(out).freeze();
}

/// Which axes `axes` stands for.
std::vector<bool> reduced_axes(Span axes, std::size_t rank, NoAxes no_axes) {
  if (axes.empty()) return std::vector<bool>(rank, no_axes == NoAxes::means_all);
  return marked_axes(axes, rank);
}

template <class Out>
Out without(std::span<const typename Out::value_type> sizes, const std::vector<bool>& along,
            bool keep_dims) {
  Out out;
  for (std::size_t i = 0; i < along.size(); ++i) {
    if (!along[i])
      out.push_back(sizes[i]);
    else if (keep_dims)
      out.push_back(typename Out::value_type(1));
  }
  return out;
}

/// How many axes are given, where it is known.
std::optional<std::int64_t> axis_count(const Fact& axes) {
  const auto shape = axes.shape.concrete();
  return shape ? std::optional(product(*shape)) : std::nullopt;
}

}  // namespace

std::string Reduce::display_name() const { return cat("Reduce", title_case(name_of(op))); }

FactList Reduce::output_facts(Facts in) const {
  const auto called = [&] { return display_name(); };
  check_arity("(C1) Reduce", in, 1, 2);
  check(is_defined_on(row_of(kRows, op), in[0].dtype), "(C2) ", called, " is not defined on ",
        in[0].dtype);
  const bool given = in.has(1);
  if (given) {
    check(is_integer(in[1].dtype), "(C3) axes are ", in[1].dtype, ", not integers");
    check(may_have_rank(in[1].shape, 1), "(C3) axes of shape ", in[1].shape, " are no vector");
  }
  const auto fact = [&](ShapeFact shape) {
    return FactList{Fact::tensor(in[0].dtype, std::move(shape))};
  };
  const auto count = given ? axis_count(in[1]) : 0;
  if (count == 0 && no_axes == NoAxes::means_none) return fact(in[0].shape);
  if (count == 0 && !keep_dims) return fact(Shape{});
  if (in[0].shape.is_open()) return fact(ShapeFact::open());
  const std::size_t rank = in[0].shape.rank();
  const auto axes = count == 0 ? std::optional(Shape{}) : in[1].integers();
  if (axes)
    return fact(without<std::vector<Dim>>(in[0].shape.dims(), reduced_axes(*axes, rank, no_axes),
                                          keep_dims));
  if (keep_dims) return fact(fresh_shape(rank));
  if (!count) return fact(ShapeFact::open());
  check(*count <= static_cast<std::int64_t>(rank), "(C4) ", *count, " axes are reduced of rank ",
        rank);
  return fact(fresh_shape(rank - static_cast<std::size_t>(*count)));
}

TensorList Reduce::eval(Tensors in) const {
  const auto called = [&] { return display_name(); };
  const Row& row = row_of(kRows, op);
  const Tensor& data = in[0];
  check_data(is_defined_on(row, data.dtype()), "(C2) ", called, " is not defined on ",
             data.dtype());
  const Shape axes = in.size() > 1 ? to_integers(in[1]) : Shape{};
  const std::vector<bool> along = reduced_axes(axes, data.rank(), no_axes);
  const Lanes lanes = lanes_along(data.shape(), along);
  const Shape shape = without<Shape>(data.shape(), along, keep_dims);
  switch (kind_of(data.dtype())) {
    case NumberKind::real:
      return {reduced(data, lanes, shape, row.real)};
    case NumberKind::truth:
      return {reduced(data, lanes, shape, row.truth)};
    case NumberKind::symbolic:
      return {reduced_dims(data, lanes, shape, row.symbolic)};
    case NumberKind::whole:
      if (row.whole) return {reduced(data, lanes, shape, row.whole)};
      break;
    case NumberKind::natural:
      if (row.natural) return {reduced(data, lanes, shape, row.natural)};
      break;
    case NumberKind::none:
      break;
  }
  return {cast(reduced(cast(data, DatumType::f64), lanes, shape, row.real), data.dtype())};
}

}  // namespace strata
