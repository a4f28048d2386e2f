#include "output_places.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tensor_storage.h"

namespace strata {
namespace {

using Bytes = std::span<const std::byte>;

bool overlap(Bytes a, Bytes b) {
  return !a.empty() && !b.empty() && a.data() < b.data() + b.size() &&
         b.data() < a.data() + a.size();
}

/// The memory of its elements; none if it has none yet, or is not a tensor of plain elements.
Bytes bytes_of(const Value& value) {
  if (!value.is_tensor() || detail::holds_objects(value.tensor().dtype())) return {};
  return value.tensor().bytes();
}

}  // namespace

OutputPlaces::OutputPlaces(const TypedModel& model, Values inputs, OutputMemory memory)
    : model_(model), inputs_(inputs), memory_(memory) {
  require(memory.empty() || memory.size() == model.outputs().size(), ErrorKind::invalid_argument,
          "the model has ", counted(model.outputs().size(), "output"), ", memory for ",
          memory.size(), " given");
}

std::span<std::byte> OutputPlaces::find(std::size_t output, DatumType type,
                                        std::size_t bytes) const {
  if (memory_.empty() || memory_[output].empty()) return {};
  const std::span<std::byte> memory = memory_[output];
  const auto refuse = [&](const auto&... why) {
    fail(ErrorKind::invalid_argument, "the memory given for output ",
         in_quotes(model_.outputs()[output].name), ' ', why...);
  };
  if (detail::holds_objects(type)) refuse("cannot hold elements of type ", type);
  if (memory.size() < bytes) refuse("has ", memory.size(), " bytes, expected ", bytes);
  const std::size_t alignment = detail::alignment_of(type);
  if (reinterpret_cast<std::uintptr_t>(memory.data()) % alignment != 0)
    refuse("is not aligned to ", alignment, " bytes, as ", type, " needs");
  for (std::size_t other = 0; other < output; ++other)
    if (overlap(memory_[other], memory))
      refuse("overlaps that of ", in_quotes(model_.outputs()[other].name));
  return memory.first(bytes);
}

bool OutputPlaces::spares_inputs(Bytes place) const {
  return std::none_of(inputs_.begin(), inputs_.end(),
                      [&](const Value& input) { return overlap(place, bytes_of(input)); });
}

bool OutputPlaces::begins_at_input(Bytes place, std::size_t input) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (i != input && overlap(place, bytes_of(inputs_[i]))) return false;
  return place.data() == bytes_of(inputs_[input]).data();
}

void OutputPlaces::take(ValueList& outputs) const {
  if (memory_.empty()) return;
  for (std::size_t o = 0; o < outputs.size(); ++o) check(o, outputs[o]);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!is_there(o, outputs[o])) outputs[o] = kept(o, outputs[o]);
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!memory_[o].empty() && !is_there(o, outputs[o])) outputs[o] = moved(o, outputs[o].tensor());
}

/// Also checks an output that is in place already: an input passed through as an output may be
/// larger than the memory given.
void OutputPlaces::check(std::size_t output, const Value& value) const {
  if (memory_[output].empty()) return;
  require(value.is_tensor(), ErrorKind::invalid_argument, "the memory given for output ",
          in_quotes(model_.outputs()[output].name), " cannot hold values of type ",
          value.type().to_string());
  const Tensor& tensor = value.tensor();
  (void)find(output, tensor.dtype(), bytes_of(value).size());
}

/// A result that was computed there is in place, and an input passed through as an output may be.
bool OutputPlaces::is_there(std::size_t output, const Value& value) const {
  return value.is_tensor() && value.tensor().data() == memory_[output].data();
}

/// The output, with copies of those of its tensors that lie where another output will be moved to.
/// An input passed through as an output may.
Value OutputPlaces::kept(std::size_t output, const Value& value) const {
  if (value.is_tensor()) {
    for (std::size_t other = 0; other < memory_.size(); ++other)
      if (other != output && overlap(memory_[other], bytes_of(value)))
        return MutableTensor::copy_of(value.tensor());
    return value;
  }
  if (value.type().kind == ValueType::Kind::optional) {
    const auto& [element, held] = value.optional();
    return held ? Optional{element, std::make_shared<const Value>(kept(output, *held))} : value;
  }
  const auto& [element, items] = value.sequence();
  std::vector<Value> out;
  out.reserve(items.size());
  for (const Value& item : items) out.push_back(kept(output, item));
  return Sequence{element, std::move(out)};
}

Tensor OutputPlaces::moved(std::size_t output, const Tensor& tensor) const {
  std::byte* const place = memory_[output].data();
  std::memmove(place, tensor.data(), tensor.byte_size());
  return Tensor::borrowed(tensor.dtype(), tensor.shape(), place, nullptr);
}

}  // namespace strata
