#include "strata/core/ops/col2im.h"

#include <algorithm>

#include "ops/add_row.h"
#include "ops/inside.h"
#include "ops/movement.h"
#include "ops/operand_kinds.h"

namespace strata {
namespace {

/// The sliding window with all defaults put in.
struct Window {
  Shape image, block, strides, dilations, before, places;
};

Shape filled(const std::vector<std::int64_t>& values, std::size_t rank, std::int64_t otherwise) {
  return values.empty() ? Shape(rank, otherwise) : Shape(values.begin(), values.end());
}

constexpr std::int64_t kSumBytes = 8;

/// Sums of products of two of them fit 64 bits.
constexpr std::int64_t kMost = INT32_MAX;

bool all_positive(Span values) {
  return std::all_of(values.begin(), values.end(),
                     [](std::int64_t n) { return n > 0 && n <= kMost; });
}

bool all_small(Span values) {
  return std::all_of(values.begin(), values.end(),
                     [](std::int64_t n) { return n >= -kMost && n <= kMost; });
}

Window window_of(const Col2Im& op, const Shape& image, const Shape& block) {
  const std::size_t rank = image.size();
  check_data(rank > 0 && block.size() == rank, "(C2) an image of ", Span(image), " and a block of ",
             Span(block));
  const Shape pads = filled(op.pads, 2 * rank, 0);
  Window w{image,
           block,
           filled(op.strides, rank, 1),
           filled(op.dilations, rank, 1),
           Shape(Span(pads).first(rank)),
           Shape(rank, 0)};
  check_data(pads.size() == 2 * rank && w.strides.size() == rank && w.dilations.size() == rank,
             "(C3) ", w.strides.size(), " strides for an image of ", Span(image));
  check_data(all_positive(image) && all_positive(block), "(C2) an image of ", Span(image),
             " and a block of ", Span(block));
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t reach = w.dilations[i] * (block[i] - 1) + 1;
    const std::int64_t room = image[i] + pads[i] + pads[rank + i] - reach;
    w.places[i] = room < 0 ? 0 : room / w.strides[i] + 1;
  }
  return w;
}

/// Elements of the columns that lie side by side and add to every stride-th one of an image.
struct Row {
  std::int64_t from;
  std::int64_t count;
  std::int64_t to;
};

/// The rows of one channel's columns, of which there are as many for each element of the block as
/// there are places before the last axis.
std::vector<Row> rows_of(const Window& w) {
  const Shape steps = row_major_strides(w.image);
  const std::size_t last = w.image.size() - 1;
  const std::int64_t stride = w.strides[last], places = w.places[last];
  std::vector<Row> rows;
  std::int64_t from = 0;
  for_each_index(w.block, [&](const Shape& in_block) {
    const std::int64_t first = in_block[last] * w.dilations[last] - w.before[last];
    const Inside along = inside(first, stride, places, w.image[last]);
    for_each_index(Span(w.places).first(last), [&](const Shape& place) {
      std::int64_t to = first;
      bool is_inside = along.begin < along.end;
      for (std::size_t i = 0; i < last && is_inside; ++i) {
        const std::int64_t index =
            place[i] * w.strides[i] - w.before[i] + in_block[i] * w.dilations[i];
        is_inside = index >= 0 && index < w.image[i];
        to += is_inside ? index * steps[i] : 0;
      }
      if (is_inside)
        rows.push_back({from + along.begin, along.end - along.begin, to + along.begin * stride});
      from += places;
    });
  });
  return rows;
}

}  // namespace

FactList Col2Im::output_facts(Facts in) const {
  check_arity(name, in, 3, 3);
  const ShapeFact& columns = in[0].shape;
  check((is_float(in[0].dtype) || is_integer(in[0].dtype)) && may_have_rank(columns, 3),
        "(C1) the columns are ", in[0]);
  for (std::size_t i = 1; i < 3; ++i)
    check(may_be_integer_vector(in[i]), "(C2) operand ", i, " is ", in[i]);
  check(all_positive(strides) && all_positive(dilations) && all_small(pads), "(C3) strides ",
        strides, ", dilations ", dilations, " and pads ", pads);
  const auto image = in[1].dims();
  if (const auto rank = known_length(in[1]))
    check((strides.empty() || strides.size() == static_cast<std::size_t>(*rank)) &&
              (dilations.empty() || dilations.size() == static_cast<std::size_t>(*rank)) &&
              (pads.empty() || pads.size() == 2 * static_cast<std::size_t>(*rank)),
          "(C3) strides ", strides, ", dilations ", dilations, " and pads ", pads, " for ", *rank,
          " axes");
  else
    return {Fact::tensor(in[0].dtype, ShapeFact::open())};
  Dim volume = 1;
  const auto block = in[2].dims();
  if (block)
    for (const Dim& size : *block) volume *= size;
  std::vector<Dim> dims{columns.is_open() ? fresh_dim() : columns[0],
                        columns.is_open() || !block ? fresh_dim() : floor_div(columns[1], volume)};
  for (std::int64_t i = 0; i < *known_length(in[1]); ++i)
    dims.push_back(image ? (*image)[static_cast<std::size_t>(i)] : fresh_dim());
  return {Fact::tensor(in[0].dtype, std::move(dims))};
}

TensorList Col2Im::eval(Tensors in) const {
  const Tensor& columns = in[0];
  const Window w = window_of(*this, to_integers(in[1]), to_integers(in[2]));
  check_data(columns.rank() == 3, "(C1) the columns have shape ", Span(columns.shape()));
  const std::int64_t block = product(w.block), places = product(w.places),
                     pixels = product(w.image);
  check_data(columns.shape()[1] % block == 0 && columns.shape()[2] == places, "(C4) columns of ",
             Span(columns.shape()), " where a block of ", block, " has ", places, " places");
  const std::int64_t channels = columns.shape()[1] / block;
  Shape shape{columns.shape()[0], channels};
  for (const std::int64_t size : w.image) shape.push_back(size);
  const DatumType wide = is_integer(columns.dtype()) ? DatumType::i64 : DatumType::f64;
  const Tensor x = columns.dtype() == DatumType::f32 ? columns : cast(columns, wide);
  const AddRow add = add_row_of(x.dtype());
  const auto width = static_cast<std::int64_t>(bit_width(x.dtype()) / 8);
  MutableTensor out = MutableTensor::zeros(wide, shape);
  const std::vector<Row> rows = rows_of(w);
  const std::byte* from = x.data();
  std::byte* to = out.data();
  for (std::int64_t n = 0; n < shape[0] * channels; ++n) {
    for (const Row& row : rows)
      add(from + row.from * width, row.count, w.strides.back(), to + row.to * kSumBytes);
    from += block * places * width;
    to += pixels * kSumBytes;
  }
  return {cast(std::move(out).freeze(), columns.dtype())};
}

}  // namespace strata
