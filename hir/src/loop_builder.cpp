#include "loop_builder.h"

#include <memory>

#include "strata/core/ops/squeeze.h"

namespace strata::hir {

LoopBuilder::LoopBuilder(Builder& outer)
    : outer_(outer), model_(outer.target().symbol_scope()), body_(model_, "step") {}

void LoopBuilder::trips(OutletId count) {
  loop_.has_trip_count = true;
  wires_.insert(wires_.begin(), count);
}

OutletId LoopBuilder::source(std::string_view name, const Fact& fact) {
  return model_.add_source(model_.unique_name(name), fact.without_value());
}

OutletId LoopBuilder::invariant(std::string_view name, OutletId outer) {
  const Fact& fact = outer_.fact(outer);
  if (fact.constant()) return model_.constant(model_.unique_name(name), fact.value);
  loop_.inputs.push_back({LoopInput::Kind::invariant});
  wires_.push_back(outer);
  return source(name, fact);
}

OutletId LoopBuilder::carried(std::string_view name, OutletId initial, const Fact& fact) {
  loop_.inputs.push_back({LoopInput::Kind::carried});
  wires_.push_back(initial);
  return source(name, fact);
}

OutletId LoopBuilder::scanned(std::string_view name, OutletId outer, std::int64_t axis,
                              LoopOrder order) {
  loop_.inputs.push_back({LoopInput::Kind::scanned, axis, 1, order == LoopOrder::from_end});
  wires_.push_back(outer);
  Fact slice = outer_.fact(outer);
  if (slice.shape.is_known()) {
    std::vector<Dim> dims = slice.shape.dims();
    dims[normalized_axis(axis, dims.size())] = 1;
    slice.shape = std::move(dims);
  }
  return body_.one(Squeeze{}, {source(name, slice), body_.integers({axis})});
}

OutletId LoopBuilder::iteration() {
  loop_.numbered = true;
  return iteration_ = source("iteration", Fact::tensor(DatumType::i64, Shape{}));
}

OutletIds LoopBuilder::wire(const OutletIds& next, const std::vector<Stacked>& stacked) {
  for (std::size_t k = 0; k < next.size(); ++k) {
    model_.add_output(cat("next", k), next[k]);
    loop_.outputs.push_back({LoopOutput::Kind::last, static_cast<std::int64_t>(k)});
  }
  for (std::size_t k = 0; k < stacked.size(); ++k) {
    model_.add_output(cat("part", k), stacked[k].part);
    loop_.outputs.push_back({LoopOutput::Kind::stacked, static_cast<std::int64_t>(next.size() + k),
                             stacked[k].axis, stacked[k].order == LoopOrder::from_end});
  }
  if (loop_.numbered) {
    OutletIds inputs{iteration_};
    for (const OutletId input : model_.inputs())
      if (input != iteration_) inputs.push_back(input);
    model_.set_inputs(std::move(inputs));
  }
  model_.remove_dead_nodes();
  model_.compact();
  loop_.body = std::make_shared<TypedModel>(std::move(model_));
  return outer_.wire(loop_, wires_);
}

}  // namespace strata::hir
