#include "strata/core/ops/split.h"

#include <algorithm>

#include "ops/movement.h"
#include "strata/core/patch.h"

namespace strata {
namespace {

std::int64_t equal_part(std::int64_t extent, std::size_t parts, std::size_t i) {
  const auto count = static_cast<std::int64_t>(parts);
  const std::int64_t part = (extent + count - 1) / count;
  return std::clamp<std::int64_t>(extent - part * static_cast<std::int64_t>(i), 0, part);
}

constexpr std::size_t kMostOutputs = std::size_t{1} << 20;

/// The size of each part, when no sizes are given.
std::vector<Dim> equal_parts(const Dim& extent, std::size_t parts) {
  std::vector<Dim> out;
  const Dim part = ceil_div(extent, Dim(parts));
  for (std::size_t i = 0; i < parts; ++i) {
    if (const auto size = extent.constant())
      out.push_back(equal_part(*size, parts, i));
    else if (part * Dim(parts) == extent)
      out.push_back(part);
    else if (i == 0)
      out.push_back(part);
    else
      out.push_back(fresh_dim());
  }
  return out;
}

void check_sizes(const std::vector<Dim>& sizes, const Dim& extent, std::size_t outputs) {
  check(sizes.size() == outputs, "(C3) ", counted(sizes.size(), "size"), " for ",
        counted(outputs, "output"));
  Dim sum = 0;
  for (const Dim& size : sizes) {
    check(size.constant().value_or(0) >= 0, "(C3) the sizes are ", sizes);
    sum += size;
  }
  check(may_be_equal(sum, extent), "(C4) the sizes ", sizes, " do not sum up to ", extent);
}

}  // namespace

FactList Split::output_facts(Facts in) const {
  check_arity(name, in, 1, 2);
  check(outputs >= 1 && outputs <= kMostOutputs, "(C1) Split has ", counted(outputs, "output"));
  if (in.has(1)) check(is_integer(in[1].dtype), "(C3) the sizes are ", in[1], ", no integers");
  const ShapeFact& shape = in[0].shape;
  if (shape.is_open()) return FactList(outputs, Fact::tensor(in[0].dtype, ShapeFact::open()));
  const std::size_t at = normalized_axis(axis, shape.rank());
  std::vector<Dim> sizes;
  if (!in.has(1)) {
    sizes = equal_parts(shape[at], outputs);
  } else if (const auto given = in[1].dims()) {
    check_sizes(*given, shape[at], outputs);
    sizes = *given;
  } else {
    for (std::size_t i = 0; i < outputs; ++i) sizes.push_back(fresh_dim());
  }
  FactList out;
  for (const Dim& size : sizes) {
    std::vector<Dim> dims = shape.dims();
    dims[at] = size;
    out.push_back(Fact::tensor(in[0].dtype, std::move(dims)));
  }
  return out;
}

TensorList Split::eval(Tensors in) const {
  const Tensor& data = in[0];
  const std::size_t at = axis_of_data(axis, data.rank());
  const std::int64_t extent = data.shape()[at];
  Shape sizes;
  if (in.size() > 1)
    sizes = to_integers(in[1]);
  else
    for (std::size_t i = 0; i < outputs; ++i) sizes.push_back(equal_part(extent, outputs, i));
  check_data(sizes.size() == outputs, "(C3) ", counted(sizes.size(), "size"), " for ",
             counted(outputs, "output"));
  const Shape strides = row_major_strides(data.shape());
  TensorList out;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    check_data(size >= 0 && size <= extent - begin, "(C4) the sizes ", Span(sizes),
               " do not sum up to ", extent);
    Shape shape = data.shape();
    shape[at] = size;
    out.push_back(at == 0 ? data.rows(begin, begin + size)
                          : strided_copy(data, shape, strides, begin * strides[at]));
    begin += size;
  }
  check_data(begin == extent, "(C4) the sizes ", Span(sizes), " do not sum up to ", extent);
  return out;
}

/// Split into one part   ->  x
Rewrite Split::declutter(const NodeView& node) const {
  if (outputs != 1 || !surely_equal(node.input_fact(0).shape, node.output_fact().shape))
    return no_change;
  return bypass(node, node.input(0));
}

}  // namespace strata
