#include "strata/core/ops/cast.h"

#include "ops/all.h"
#include "ops/support.h"

namespace strata::opl {
namespace {

Standard write_cast(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Cast>();
  if (op.overflow != Cast{}.overflow || op.rounding != Cast{}.rounding) return std::nullopt;
  return call("tract_core_cast", {positional(writer.input(node, 0)),
                                  named("to", string(std::string(to_string(op.to))))});
}

/// Of a literal it makes a constant: that is how tract writes small tensors.
OutletIds read_cast(Invocation& call) {
  const DatumType to = call.datum_type("to");
  if (!call.item("input").is_wire()) {
    const auto literal = literal_tensor(call.item("input"));
    if (literal && literal->dtype() != DatumType::dim)
      return call.make_constant(cast(*literal, to));
  }
  return call.make(Cast{to}, {call.wire("input")});
}

}  // namespace

void register_cast(Writers& writers) { writers.add("Cast", write_cast); }

void register_cast(Readers& readers) { readers.add("tract_core_cast", "input, to", read_cast); }

}  // namespace strata::opl
