#include "kernel_ops/byte_table.h"

#include "kernel_ops/kernel_choice.h"
#include "kernel_ops/shared_work.h"
#include "strata/core/ops/cast.h"

namespace strata {

FactList ByteTable::output_facts(Facts in) const {
  check_arity(name, in, 2, 2);
  const Fact* const x = &in[0];
  return Cast{in[1].dtype}.output_facts(Facts({&x, 1}));
}

void ByteTable::run(const KernelIo& io) const {
  constexpr double kSteps = 16;  // for each byte
  const auto look_up = kernels::kernels(isa).look_up;
  const auto* table = io.inputs[1].as<std::uint8_t>();
  const auto* x = io.inputs[0].as<std::uint8_t>();
  auto* y = io.outputs[0].as<std::uint8_t>();
  const std::int64_t n = volume(io.outputs[0].shape);
  share_range(io, work_on(n, kSteps), n, kElementStep, [&](kernels::Range part) {
    look_up(table, x + part.begin, y + part.begin, part.end - part.begin);
  });
}

std::string ByteTable::explain(Facts, Facts) const {
  return explain_vectors("table of 256 bytes", isa, "");
}

}  // namespace strata
