#include "frame_arguments.h"

namespace strata {

FrameArguments::FrameArguments(const FrameValues& values)
    : values_(values),
      inputs_(values.plan().schedule().inputs.size()),
      results_(values.results()) {}

void FrameArguments::Storage::set(const std::byte* to) {
  data = to;
  for (const Address argument : arguments) *argument = to;
}

void FrameArguments::connect(std::span<FrameStep> steps, const FrameLayout& layout) {
  for (Storage& storage : inputs_) storage.arguments.clear();
  for (Storage& storage : results_) storage.arguments.clear();
  placed_.clear();
  unread_.clear();
  dynamic_.clear();
  const auto connect_all = [&](auto& views, const Plan::Schedule::Places& values) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      connect(const_cast<Address>(&views[i].data), values[i], layout);
      if (values_.is_dynamic(values[i])) dynamic_.emplace_back(&views[i].shape, values[i]);
    }
  };
  for (std::size_t s = 0; s < steps.size(); ++s) {
    FrameStep& step = steps[s];
    connect_all(step.inputs, step.scheduled->inputs);
    connect_all(step.outputs, step.scheduled->outputs);
    step.io.inputs = step.inputs;
    step.io.outputs = step.outputs;
    placed_.emplace_back(const_cast<Address>(&step.io.scratch), layout.scratch_block(s));
  }
}

/// Lets an argument follow the storage of its value.
void FrameArguments::connect(Address argument, std::uint32_t value, const FrameLayout& layout) {
  const auto follow = [&](Storage& storage) {
    *argument = storage.data;
    storage.arguments.push_back(argument);
  };
  const FrameValue& root = values_.root_of(value);
  switch (root.storage) {
    case FrameValue::Storage::input:
      return follow(inputs_[root.index]);
    case FrameValue::Storage::result:
      return follow(results_[root.index]);
    case FrameValue::Storage::local:
      if (const auto block = layout.block_of(values_[value].root))
        placed_.emplace_back(argument, *block);
      return;
    case FrameValue::Storage::constant:
      if (root.constant->is_tensor()) unread_.emplace_back(argument, &root.constant->tensor());
      return;
  }
}

void FrameArguments::resize(const FrameSizes& sizes) {
  for (const auto& [shape, value] : dynamic_) *shape = sizes.shape_of(value);
}

void FrameArguments::place(std::byte* memory, const FrameLayout& layout) {
  for (const auto& [argument, block] : placed_) *argument = memory + layout.offset_of(block);
}

void FrameArguments::read_now() {
  for (const auto& [argument, tensor] : unread_) *argument = tensor->data();
  unread_.clear();
}

}  // namespace strata
