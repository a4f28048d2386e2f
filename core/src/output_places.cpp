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

/// Where its elements lie; nothing where it has none yet, or is no tensor of plain elements.
Bytes bytes_of(const Value& value) {
  if (!value.is_tensor() || detail::holds_objects(value.tensor().dtype())) return {};
  return value.tensor().bytes();
}

}  // namespace

OutputPlaces::OutputPlaces(const TypedModel& model, Values inputs, OutputMemory memory)
    : model_(model), inputs_(inputs), memory_(memory) {
  require(memory.empty() || memory.size() == model.outputs().size(), ErrorKind::invalid_argument,
          "the model has ", model.outputs().size(), " outputs, memory for ", memory.size(),
          " given");
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
  for (std::size_t o = 0; o < outputs.size(); ++o)
    if (!is_there(o, outputs[o])) keep(o, outputs[o]);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (memory_[o].empty() || is_there(o, outputs[o])) continue;
    require(outputs[o].is_tensor(), ErrorKind::invalid_argument, "the memory given for output ",
            in_quotes(model_.outputs()[o].name), " cannot hold a ", outputs[o].type().to_string());
    outputs[o] = moved(o, outputs[o].tensor());
  }
}

/// As results are that were computed where `find` says, and an input that is an output may be.
bool OutputPlaces::is_there(std::size_t output, const Value& value) const {
  return value.is_tensor() && value.tensor().data() == memory_[output].data();
}

/// Copies an output that lies where another is to be moved to, as one that is an input may.
void OutputPlaces::keep(std::size_t output, Value& value) const {
  for (std::size_t other = 0; other < memory_.size(); ++other)
    if (other != output && overlap(memory_[other], bytes_of(value)))
      value = MutableTensor::copy_of(value.tensor());
}

Tensor OutputPlaces::moved(std::size_t output, const Tensor& tensor) const {
  const std::size_t bytes = detail::holds_objects(tensor.dtype()) ? 0 : tensor.byte_size();
  const std::span<std::byte> place = find(output, tensor.dtype(), bytes);
  std::memmove(place.data(), tensor.data(), bytes);
  return Tensor::borrowed(tensor.dtype(), tensor.shape(), place.data(), nullptr);
}

}  // namespace strata
