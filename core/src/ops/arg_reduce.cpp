#include "strata/core/ops/arg_reduce.h"

#include "ops/lanes.h"
#include "ops/movement.h"
#include "ops/number_view.h"

namespace strata {
namespace {

bool is_nan(auto x) { return x != x; }

/// Whether `x`, met after `best`, takes its place.
template <class Wide>
bool replaces(Wide x, Wide best, const ArgReduce& op) {
  if (is_nan(x) || is_nan(best)) return is_nan(x) && (!is_nan(best) || op.tie == Tie::last);
  if (x == best) return op.tie == Tie::last;
  return op.op == Extreme::max ? x > best : x < best;
}

template <class Wide>
void write_indices(std::span<std::int64_t> out, const NumberView<Wide>& data, const Lanes& lanes,
                   const ArgReduce& op) {
  for (std::size_t i = 0; i < lanes.starts.size(); ++i) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < lanes.steps.size(); ++k)
      if (replaces(data[lanes.at(i, k)], data[lanes.at(i, best)], op)) best = k;
    out[i] = static_cast<std::int64_t>(best);
  }
}

template <class List>
List without_axis(List sizes, std::size_t axis, bool keep_dims) {
  if (keep_dims)
    sizes[axis] = 1;
  else
    sizes.erase(sizes.begin() + static_cast<std::ptrdiff_t>(axis));
  return sizes;
}

}  // namespace

FactList ArgReduce::output_facts(Facts in) const {
  const auto called = [&] { return display_name(); };
  check(in.size() == 1, "(C1) ", called, " takes 1 input, ", in.size(), " given");
  const NumberKind kind = kind_of(in[0].dtype);
  check(kind == NumberKind::real || kind == NumberKind::whole || kind == NumberKind::natural,
        "(C2) ", called, " is not defined on ", in[0].dtype);
  if (in[0].shape.is_open()) return {Fact::tensor(DatumType::i64, ShapeFact::open())};
  const std::size_t at = normalized_axis(axis, in[0].shape.rank());
  check(in[0].shape[at] != Dim(0), "(C4) axis ", axis, " of shape ", in[0].shape, " is empty");
  return {Fact::tensor(DatumType::i64,
                       without_axis(std::vector<Dim>(in[0].shape.dims()), at, keep_dims))};
}

TensorList ArgReduce::eval(Tensors in) const {
  const Tensor& data = in[0];
  const std::size_t at = axis_of_data(axis, data.rank());
  check_data(data.shape()[at] > 0, "(C4) axis ", axis, " of shape ", Span(data.shape()),
             " is empty");
  const Lanes lanes = lanes_along(data.shape(), only_axis(at, data.rank()));
  MutableTensor out(DatumType::i64, without_axis(data.shape(), at, keep_dims));
  visit_wide(data.dtype(), [&]<class Wide>(TypeTag<Wide>) {
    write_indices(out.as<std::int64_t>(), NumberView<Wide>(data), lanes, *this);
  });
  return {std::move(out).freeze()};
}

}  // namespace strata
