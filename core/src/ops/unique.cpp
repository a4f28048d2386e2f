#include "strata/core/ops/unique.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include "ops/movement.h"
#include "ops/ordering.h"
#include "strata/core/ops/gather.h"

namespace strata {
namespace {

/// Rows that are equal: the first of them, and how many they are.
struct Group {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

struct Grouping {
  std::vector<Group> groups;
  std::vector<std::int64_t> group_of;  ///< of each row
};

/// Whether one row, by number, comes before another.
using RowBefore = std::function<bool(std::int64_t, std::int64_t)>;

/// Compares rows of `length` elements of data that outlive this.
template <class T>
RowBefore row_before(std::span<const T> elements, std::int64_t length) {
  return [data = elements.data(), length](std::int64_t a, std::int64_t b) {
    return std::lexicographical_compare(data + a * length, data + (a + 1) * length,
                                        data + b * length, data + (b + 1) * length);
  };
}

/// The numbers of rows in ascending order; equal ones stay in the order they have.
std::vector<std::int64_t> ordered(std::int64_t rows, const RowBefore& before) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return before(a, b) || (a < b && !before(b, a));
  });
  return order;
}

/// The same of rows of one key each, dealt by one byte of it after the other, the least significant
/// first.
std::vector<std::int64_t> ordered(std::span<const std::uint64_t> keys) {
  struct Keyed {
    std::uint64_t key;
    std::int64_t row;
  };
  std::vector<Keyed> rows, dealt(keys.size());
  rows.reserve(keys.size());
  std::uint64_t differing = 0;
  for (const std::uint64_t key : keys) {
    differing |= key ^ keys[0];
    rows.push_back({key, std::ssize(rows)});
  }
  for (int byte = 0; byte < 64; byte += 8) {
    if (static_cast<std::uint8_t>(differing >> byte) == 0) continue;
    std::array<std::size_t, 257> begin{};  // of those of each byte, behind a 0
    for (const Keyed& row : rows) ++begin[static_cast<std::uint8_t>(row.key >> byte) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const Keyed& row : rows) dealt[begin[static_cast<std::uint8_t>(row.key >> byte)]++] = row;
    rows.swap(dealt);
  }
  std::vector<std::int64_t> order(keys.size());
  std::ranges::transform(rows, order.begin(), &Keyed::row);
  return order;
}

/// Groups rows, whose ascending order this is.
Grouping grouped(const std::vector<std::int64_t>& order, const RowBefore& before) {
  Grouping out{{}, std::vector<std::int64_t>(order.size())};
  for (const std::int64_t row : order) {
    if (out.groups.empty() || before(out.groups.back().first, row)) out.groups.push_back({row, 0});
    ++out.groups.back().count;
    out.group_of[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(out.groups.size()) - 1;
  }
  return out;
}

/// The same groups in the order of their first rows.
Grouping by_first_row(const Grouping& sorted) {
  Grouping out{{}, sorted.group_of};
  std::vector<std::int64_t> place(sorted.groups.size(), -1);
  for (std::int64_t& group : out.group_of) {
    const auto old_group = static_cast<std::size_t>(group);
    if (place[old_group] < 0) {
      place[old_group] = static_cast<std::int64_t>(out.groups.size());
      out.groups.push_back(sorted.groups[old_group]);
    }
    group = place[old_group];
  }
  return out;
}

/// Data with `axis` in front, each of its slices a row.
Tensor with_leading(const Tensor& data, std::size_t axis) {
  if (axis == 0) return data;
  Shape shape{data.shape()[axis]}, strides{row_major_strides(data.shape())[axis]};
  for (std::size_t i = 0; i < data.rank(); ++i) {
    if (i == axis) continue;
    shape.push_back(data.shape()[i]);
    strides.push_back(row_major_strides(data.shape())[i]);
  }
  return strided_copy(data, shape, strides);
}

}  // namespace

FactList Unique::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  const ShapeFact& shape = in[0].shape;
  check(!is_complex(in[0].dtype) && !is_packed(in[0].dtype), "(C1) data are ", in[0].dtype);
  const Dim found = fresh_dim();
  ShapeFact values = ShapeFact::open();
  Dim rows = fresh_dim();
  if (!axis) {
    values = ShapeFact(std::vector{found});
    if (const auto volume = shape.volume()) rows = *volume;
  } else if (shape.is_known()) {
    const std::size_t at = normalized_axis(*axis, shape.rank());  // (C2)
    std::vector<Dim> dims = shape.dims();
    rows = std::exchange(dims[at], found);
    values = std::move(dims);
  }
  const auto vector = [](const Dim& length) {
    return Fact::tensor(DatumType::i64, std::vector{length});
  };
  return {Fact::tensor(in[0].dtype, values), vector(found), vector(rows), vector(found)};
}

TensorList Unique::eval(Tensors in) const {
  const Tensor data = axis ? in[0] : in[0].reshaped({in[0].size()});
  const std::size_t at = axis_of_data(axis.value_or(0), data.rank());
  const Tensor rows = with_leading(data, at);
  const std::int64_t count = data.shape()[at], length = product(Span(rows.shape()).subspan(1));
  const bool is_text = data.dtype() == DatumType::string;
  const auto keys = is_text ? std::vector<std::uint64_t>{} : order_keys(rows);
  const RowBefore before = is_text ? row_before(rows.as<std::string>(), length)
                                   : row_before<std::uint64_t>(keys, length);
  Grouping found =
      grouped(!is_text && length == 1 ? ordered(keys) : ordered(count, before), before);
  if (order == UniqueOrder::first_seen) found = by_first_row(found);
  std::vector<std::int64_t> firsts, counts;
  for (const Group& group : found.groups) {
    firsts.push_back(group.first);
    counts.push_back(group.count);
  }
  const auto vector = [](const std::vector<std::int64_t>& values) {
    return Tensor::vector<std::int64_t>(values);
  };
  const Tensor values =
      Gather{static_cast<std::int64_t>(at)}.eval(std::vector{data, vector(firsts)})[0];
  return {values, vector(firsts), vector(found.group_of), vector(counts)};
}

}  // namespace strata
