#include "kernel_ops/byte_table.h"
#include "kernel_ops/integer_operands.h"
#include "kernel_ops/rules.h"
#include "passes/op_traits.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/quantize.h"

namespace strata {
namespace {

/// Whether, if all inputs but one are a single number, each element of the output depends only on
/// the element at its place, and no value makes the node fail.
bool is_function_of_elements(const NodeView& node) {
  const TypedOp& op = node.op();
  return op.as<ByteTable>() || op.as<Cast>() || op.as<Quantize>() || op.as<Dequantize>() ||
         (is_elementwise(op) && never_fails(node.model, node.node()));
}

/// The bytes of all bits there are, in order.
Tensor all_bytes(DatumType type) {
  MutableTensor out(type, {ByteTable::kSize});
  std::uint8_t next = 0;
  for (std::uint8_t& byte : out.storage_as<std::uint8_t>()) byte = next++;
  return std::move(out).freeze();
}

/// The values of wires for each value of one byte, from which they are computed element by element.
class FunctionsOfByte {
 public:
  explicit FunctionsOfByte(const TypedModel& model) : model_(model) {}

  /// The values of the wire; none if it depends on more than the byte. The first bytes met that no
  /// ByteTable gives are taken as the byte.
  ValueList of(OutletId wire) {
    const NodeView node{model_, wire.node};
    const Fact& fact = model_.fact(wire);
    if (!is_bytes(fact) || node.op().as<ByteTable>()) return computed(node);
    if (byte_.is_absent()) byte_ = wire;
    return ValueList(byte_ == wire, all_bytes(fact.dtype));
  }
  /// The same of the node's output.
  ValueList computed(const NodeView& node) {
    constexpr int kMostNodes = 64;  // one that is read twice counts twice
    if (nodes_++ == kMostNodes || !is_function_of_elements(node)) return {};
    const bool quantises = node.op().as<Quantize>() || node.op().as<Dequantize>();
    ValueList inputs;
    for (const OutletId wire : node.inputs()) {
      const Tensor* constant = model_.fact(wire).constant();
      if (!constant && quantises && !inputs.empty()) return {};  // a zero point is no element
      if (constant && constant->size() != 1 && !node.op().as<ByteTable>()) return {};
      const ValueList value = constant ? ValueList(1, *constant) : of(wire);
      if (value.empty()) return {};
      inputs.push_back(value[0]);
    }
    return node.op().eval(inputs);
  }
  /// The wire of the byte; absent before one was read.
  OutletId byte() const { return byte_; }

 private:
  const TypedModel& model_;
  OutletId byte_ = kAbsent;
  int nodes_ = 0;
};

/// The values of a table for these bytes.
OutletId looked_up(Patch& patch, OutletId byte, const Tensor& values, const Target& target) {
  const Tensor all = values.reshaped({ByteTable::kSize});
  if (all == all_bytes(patch.fact_of(byte).dtype)) return byte;
  return patch.wire_one("", ByteTable{target.isa}, {byte, patch.constant("table", all)});
}

}  // namespace

/// Quantize(f(Dequantize(x)))  ->  ByteTable(x, all values), for any f made of functions of
/// elements and single numbers; tables that it reads are joined, and one that changes nothing is
/// left out
Rewrite find_byte_table(const NodeView& node, const Target& target) {
  if (!is_bytes(node.output_fact()) || is_bytes(node.input_fact(0))) return no_change;
  FunctionsOfByte functions(node.model);
  const ValueList values = functions.computed(node);
  const OutletId byte = functions.byte();
  if (values.empty() || byte.is_absent()) return no_change;
  const ShapeFact& shape = node.output_fact().shape;
  if (shape.is_open() || node.model.fact(byte).shape != shape) return no_change;
  Patch patch(node);
  patch.shunt(node.output(), looked_up(patch, byte, values[0].tensor(), target));
  return patch;
}

/// Quantize(Concat(f(Dequantize(x)), …))  ->  Concat(ByteTable(x, all values), …)
Rewrite find_joined_tables(const NodeView& node, const Target& target) {
  const Concat* join = node.producer_as<Concat>(0);
  if (!join || !is_bytes(node.output_fact()) || !node.sole_reader(node.input(0))) return no_change;
  ValueList inputs(node.inputs().size());
  for (std::size_t k = 1; k < inputs.size(); ++k) {
    const Tensor* constant = node.input_fact(k).constant();
    if (!constant || constant->size() != 1) return no_change;
    inputs[k] = *constant;
  }
  Patch patch(node);
  OutletIds parts;
  for (const OutletId part : node.producer(0).inputs()) {
    FunctionsOfByte functions(node.model);
    const ValueList values = functions.of(part);
    const OutletId byte = functions.byte();
    const ShapeFact& shape = node.model.fact(part).shape;
    if (values.empty() || byte.is_absent() || shape.is_open() ||
        node.model.fact(byte).shape != shape)
      return no_change;
    inputs[0] = values[0];
    parts.push_back(looked_up(patch, byte, node.op().eval(inputs)[0].tensor(), target));
  }
  patch.shunt(node.output(), patch.wire_one("", *join, parts));
  return patch;
}

}  // namespace strata
