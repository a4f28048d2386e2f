#include "dims.h"
#include "literals.h"
#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/expand.h"
#include "strata/core/ops/quantize.h"

// Inputs, variables and constants; GraphWriter writes them.

namespace strata::opl {
namespace {

/// `external<integer>` is i64, and so on; without a type it is f32.
DatumType generic_type(const Invocation& call) {
  if (call.type() == "integer") return DatumType::i64;
  if (call.type() == "logical") return DatumType::boolean;
  return call.type() == "string" ? DatumType::string : DatumType::f32;
}

OutletIds read_external(Invocation& call) {
  return call.make_source(Fact::tensor(generic_type(call), call.dims("shape")));
}

OutletIds read_core_external(Invocation& call) {
  return call.make_source(Fact::tensor(call.datum_type("datum_type"), call.dims("shape")));
}

Fact read_fact(Invocation& call) {
  try {
    return parse_fact(call.string("type"));
  } catch (const Error& error) {
    call.fail_at(call.item("type").position, error.message());
  }
}

/// The tensor with axes of size 1 in front, as many as `rank` wants.
Tensor with_leading_ones(const Tensor& tensor, std::size_t rank) {
  Shape shape(std::max(rank, tensor.rank()) - tensor.rank(), 1);
  shape.insert(shape.end(), tensor.shape().begin(), tensor.shape().end());
  return tensor.reshaped(shape);
}

/// Files of blocks, which tract writes, may lack the first axes of the variable: it multiplies by
/// them as matrices.
OutletIds read_variable(Invocation& call) {
  const std::string label = call.string("label");
  const auto blocks = call.blocks(label);
  const Shape shape = call.integers("shape");
  Tensor tensor = blocks ? with_leading_ones(blocks->numbers, shape.size()) : call.variable(label);
  if (!(shape == tensor.shape()))
    call.fail(cat("the shape ", std::span<const std::int64_t>(shape), " is not that of the file, ",
                  std::span<const std::int64_t>(tensor.shape())));
  if (!blocks) return call.make_constant(std::move(tensor));
  return call.make(Dequantize{DatumType::f32, -1, Blocks::kSize},
                   {call.constant("numbers", std::move(tensor)),
                    call.constant("scales", with_leading_ones(blocks->scales, shape.size()))});
}

OutletIds read_constant_of(Invocation& call) {
  const ValueType type = read_fact(call).type();
  std::vector<Value> items;
  for (const OutletId item : call.wires("items")) {
    if (!call.fact(item).value) call.fail("an item of a constant must be a constant");
    items.push_back(*call.fact(item).value);
  }
  if (type.kind == ValueType::Kind::sequence)
    return call.make_constant(Sequence{*type.element, std::move(items)});
  if (type.kind == ValueType::Kind::tensor || items.size() > 1)
    call.fail("a constant of this type has other items");
  Optional optional{*type.element, nullptr};
  if (!items.empty()) optional.value = std::make_shared<const Value>(std::move(items[0]));
  return call.make_constant(std::move(optional));
}

/// NNEF's `constant(shape, value)`, where one value stands for all.
OutletIds read_nnef_constant(Invocation& call) {
  const auto flat = literal_tensor(call.item("value"));
  if (!flat || flat->dtype() == DatumType::dim)
    call.fail("the values of a constant must be numbers");
  const Shape shape = call.integers("shape");
  const std::int64_t count = element_count(shape);
  if (flat->size() != 1 && flat->size() != count)
    call.fail(cat(flat->size(), " values for ", count, " elements"));
  const DatumType type = generic_type(call);
  const Tensor values = cast(*flat, type).reshaped(flat->size() == count ? shape : Shape{});
  const Tensor sizes = Tensor::vector<std::int64_t>(std::span<const std::int64_t>(shape));
  return call.make_constant(Expand{}.eval(TensorList{values, sizes})[0]);
}

}  // namespace

void register_sources(Readers& readers) {
  readers.add("external", "shape", read_external);
  readers.add("tract_core_external", "shape, datum_type", read_core_external);
  readers.add("strata_external", "type",
              [](Invocation& call) { return call.make_source(read_fact(call)); });
  readers.add("variable", "shape, label", read_variable);
  readers.add("constant", "shape, value", read_nnef_constant);
  readers.add("strata_constant", "values, shape, type",
              [](Invocation& call) { return call.make_constant(read_constant_text(call)); });
  readers.add("strata_constant_of", "type, items", read_constant_of);
  readers.add("copy", "x", [](Invocation& call) { return OutletIds{call.wire("x")}; });
}

}  // namespace strata::opl
