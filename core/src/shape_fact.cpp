#include "strata/core/shape_fact.h"

#include <algorithm>
#include <utility>

#include "strata/core/error.h"
#include "strata/core/text.h"

namespace strata {
namespace {

std::shared_ptr<Dim[]> room_for(std::size_t rank) {
  return rank > 0 ? std::make_shared<Dim[]>(rank) : nullptr;
}

}  // namespace

ShapeFact::ShapeFact(std::vector<Dim> dims) : rank_(dims.size()) {
  const auto room = room_for(rank_);
  std::move(dims.begin(), dims.end(), room.get());
  dims_ = room;
}

ShapeFact::ShapeFact(const Shape& shape) : rank_(shape.size()) {
  const auto room = room_for(rank_);
  std::copy(shape.begin(), shape.end(), room.get());
  dims_ = room;
}

void ShapeFact::refuse_open() {
  fail(ErrorKind::internal, "the dims of an open shape are asked for");
}

const Dim& ShapeFact::operator[](std::size_t axis) const {
  require(axis < rank(), ErrorKind::internal, "axis ", axis, " of a shape of rank ", rank_,
          " is asked for");
  return dims_[static_cast<std::ptrdiff_t>(axis)];
}

std::optional<Shape> ShapeFact::concrete() const {
  if (is_open()) return std::nullopt;
  Shape shape;
  for (const Dim& dim : dims()) {
    const auto size = dim.constant();
    if (!size) return std::nullopt;
    shape.push_back(*size);
  }
  return shape;
}

std::optional<Dim> ShapeFact::volume() const {
  if (is_open()) return std::nullopt;
  Dim volume = 1;
  for (const Dim& dim : dims()) volume *= dim;
  return volume;
}

bool ShapeFact::operator==(const ShapeFact& other) const {
  if (rank_ != other.rank_ || dims_ == other.dims_) return rank_ == other.rank_;
  return std::equal(dims().begin(), dims().end(), other.dims().begin());
}

std::string ShapeFact::to_string() const { return is_open() ? "[..]" : cat(dims()); }

}  // namespace strata
