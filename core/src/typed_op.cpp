#include "strata/core/typed_op.h"

#include <algorithm>

#include "strata/core/ops/support.h"
#include "strata/core/patch.h"

namespace strata {

namespace {

double bytes_of(const Fact& fact) {
  if (!fact.is_tensor()) return 0;
  const auto shape = fact.shape.concrete();
  return shape
             ? static_cast<double>(product(*shape)) * static_cast<double>(bit_width(fact.dtype)) / 8
             : 0;
}

TensorList tensors_of(Values in) {
  TensorList out;
  out.reserve(in.size());
  for (const Value& value : in) out.push_back(value.tensor());
  return out;
}

ValueList values_of(TensorList tensors) {
  return ValueList(std::make_move_iterator(tensors.begin()),
                   std::make_move_iterator(tensors.end()));
}

/// Packed inputs unpacked, `eval` applied, outputs packed again to the type the first packed input
/// had.
template <class Eval>
TensorList eval_unpacked(Tensors in, const Eval& eval) {
  const auto is_narrow = [](const Tensor& t) { return is_packed(t.dtype()); };
  const auto first = std::find_if(in.begin(), in.end(), is_narrow);
  if (first == in.end()) return eval(in);
  TensorList plain;
  for (const Tensor& tensor : in) plain.push_back(unpacked(tensor));
  const DatumType byte_type = plain[static_cast<std::size_t>(first - in.begin())].dtype();
  TensorList out = eval(plain);
  for (Tensor& tensor : out)
    if (tensor.dtype() == byte_type) tensor = packed(tensor, first->dtype());
  return out;
}

/// Runs a kernel op on memory made for it.
ValueList eval_kernel(const TypedOp& op, Values in) {
  SymbolScope scope;  // ops may try fresh dims before they see that all is known
  const FreshSymbols fresh(scope);
  FactList facts;
  std::vector<TensorView> inputs;
  facts.reserve(in.size());
  inputs.reserve(in.size());
  for (const Value& value : in) {
    const Tensor& tensor = value.tensor();
    facts.push_back(Fact::of(value));
    inputs.push_back({tensor.data(), tensor.dtype(), tensor.shape()});
  }
  const GatheredFacts gathered(facts);
  const FactList made = op.output_facts(gathered);
  std::vector<MutableTensor> tensors;
  std::vector<MutableTensorView> outputs;
  tensors.reserve(made.size());
  outputs.reserve(made.size());
  for (const Fact& fact : made) {
    auto shape = fact.shape.concrete();
    require(shape.has_value(), ErrorKind::internal, "kernel ", op.name(),
            " has an output of unknown shape");
    tensors.emplace_back(fact.dtype, *shape);
    outputs.push_back({tensors.back().data(), fact.dtype, *std::move(shape)});
  }
  std::optional<MutableTensor> scratch;
  if (const auto bytes = static_cast<std::int64_t>(op.scratch_bytes(gathered)); bytes > 0)
    scratch.emplace(DatumType::u8, Shape{bytes});
  op.run({inputs, outputs, scratch ? scratch->data() : nullptr});
  ValueList out;
  out.reserve(tensors.size());
  for (MutableTensor& tensor : tensors) out.push_back(std::move(tensor).freeze());
  return out;
}

}  // namespace

Cost memory_cost(Facts in, Facts out) {
  Cost cost;
  for (std::size_t i = 0; i < in.size(); ++i) {
    cost.bytes_read += bytes_of(in[i]);
    if (const Tensor* constant = in[i].constant())
      cost.parameters += static_cast<double>(constant->size());
  }
  for (std::size_t i = 0; i < out.size(); ++i) cost.bytes_written += bytes_of(out[i]);
  return cost;
}

std::string TypedOp::display_name() const {
  return functions().rules->display_name ? functions().rules->display_name(shared_)
                                         : std::string(name());
}

ValueList TypedOp::eval(Values in) const {
  const Functions& f = functions();
  if (f.eval_tensors) {
    const auto eval = [&](Tensors tensors) { return f.eval_tensors(shared_, tensors); };
    const TensorList tensors = tensors_of(in);
    return values_of(f.moves_elements ? eval_unpacked(tensors, eval) : eval(tensors));
  }
  if (f.values->eval) return f.values->eval(shared_, in);
  require(has_kernel(), ErrorKind::internal, "op ", name(), " is evaluated without a session");
  return eval_kernel(*this, in);
}

std::unique_ptr<OpState> TypedOp::state(StateContext& context) const {
  return is_stateful() ? functions().values->state(shared_, context) : nullptr;
}

Rewrite TypedOp::declutter(const NodeView& node) const {
  Rewrite out;
  if (functions().rules->declutter) functions().rules->declutter(shared_, node, out);
  return out;
}

Rewrite TypedOp::lower(const NodeView& node, const Target& target) const {
  Rewrite out;
  if (functions().rules->lower) functions().rules->lower(shared_, node, target, out);
  return out;
}

Cost TypedOp::cost(Facts in, Facts out) const {
  return functions().rules->cost ? functions().rules->cost(shared_, in, out) : memory_cost(in, out);
}

std::string TypedOp::explain(Facts in, Facts out) const {
  return functions().kernel->explain ? functions().kernel->explain(shared_, in, out)
                                     : std::string();
}

std::size_t TypedOp::scratch_bytes(Facts in) const {
  return functions().kernel->scratch_bytes ? functions().kernel->scratch_bytes(shared_, in) : 0;
}

std::optional<std::size_t> TypedOp::in_place_input() const {
  return functions().kernel->in_place_input ? functions().kernel->in_place_input(shared_)
                                            : std::nullopt;
}

std::vector<Body> TypedOp::bodies() const {
  return has_bodies() ? functions().values->bodies(shared_) : std::vector<Body>{};
}

TypedOp TypedOp::with_bodies(const std::vector<Body>& bodies) const {
  return has_bodies() ? functions().values->with_bodies(shared_, bodies) : *this;
}

}  // namespace strata
