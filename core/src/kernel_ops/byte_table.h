#pragma once

#include "kernel_ops/kernel_op.h"

namespace strata {

/// A function of one byte, given as a table of all its values.
///
///   inputs   x       u8 or i8 [..]
///            table   u8 or i8 [256]: the value for the byte of bits i at place i
///   output   [..] of the table's type
///
/// May write over x.
struct ByteTable {
  static constexpr std::string_view name = "ByteTable";
  static constexpr std::int64_t kSize = 256;
  Isa isa = Isa::baseline;

  static constexpr auto attributes() { return std::tuple{attr("isa", &ByteTable::isa)}; }
  FactList output_facts(Facts in) const;
  void run(const KernelIo& io) const;
  std::string explain(Facts in, Facts out) const;
  std::optional<std::size_t> in_place_input() const { return 0; }
};
static_assert(OpDef<ByteTable>);

}  // namespace strata
