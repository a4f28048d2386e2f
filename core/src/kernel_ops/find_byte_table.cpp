#include "kernel_ops/byte_table.h"
#include "kernel_ops/integer_operands.h"
#include "kernel_ops/rules.h"
#include "passes/op_traits.h"
#include "strata/core/ops/cast.h"
#include "strata/core/ops/quantize.h"

namespace strata {
namespace {

/// Whether each element of the output depends on those at its place alone, if all inputs but one
/// are a single number, and no value makes the node fail.
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

/// What wires hold for each value of one byte, from which they are computed by functions of
/// elements.
class FunctionsOfByte {
 public:
  explicit FunctionsOfByte(const TypedModel& model) : model_(model) {}

  /// The values of the node's output; none where it needs more than the byte.
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
  /// The same of a wire. The first bytes read that no table makes are the byte.
  ValueList of(OutletId wire) {
    const NodeView node{model_, wire.node};
    const Fact& fact = model_.fact(wire);
    if (!is_bytes(fact) || node.op().as<ByteTable>()) return computed(node);
    if (byte_.is_absent()) byte_ = wire;
    return ValueList(byte_ == wire, all_bytes(fact.dtype));
  }

  const TypedModel& model_;
  OutletId byte_ = kAbsent;
  int nodes_ = 0;
};

}  // namespace

/// Quantize(f(Dequantize(x)))  ->  ByteTable(x, all values), for any f made of functions of
/// elements and single numbers; tables that it reads are joined
Rewrite find_byte_table(const NodeView& node, const Target& target) {
  if (!is_bytes(node.output_fact()) || is_bytes(node.input_fact(0))) return no_change;
  FunctionsOfByte functions(node.model);
  const ValueList values = functions.computed(node);
  const OutletId byte = functions.byte();
  if (values.empty() || byte.is_absent()) return no_change;
  const ShapeFact& shape = node.output_fact().shape;
  if (shape.is_open() || node.model.fact(byte).shape != shape) return no_change;
  Patch patch(node);
  const OutletId table = patch.constant("table", values[0].tensor().reshaped({ByteTable::kSize}));
  patch.shunt(node.output(), patch.wire_one("", ByteTable{target.isa}, {byte, table}));
  return patch;
}

}  // namespace strata
