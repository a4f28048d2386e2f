#include "strata/core/ops/sequence_erase.h"

#include "ops/sequence_support.h"

namespace strata {

FactList SequenceErase::output_facts(Facts in) const {
  check_arity(name, in, 1, 2);
  check_sequence(in[0]);
  if (in.has(1)) check_position(in[1], "(C2)");
  check(in[0].length != Dim(0), "(C3) an empty sequence has nothing to erase");
  std::optional<Dim> length;
  if (in[0].length) length = *in[0].length - Dim(1);
  return {Fact::sequence(in[0].element->without_value(), length)};
}

ValueList SequenceErase::eval(Values in) const {
  Sequence out = in[0].sequence();
  const std::int64_t length = length_of(out);
  check_data(length > 0, "(C3) an empty sequence has nothing to erase");
  const std::size_t place = in.size() > 1 ? place_of(in[1], length, length, "(C3)")
                                          : static_cast<std::size_t>(length - 1);
  out.items.erase(place);
  return {std::move(out)};
}

}  // namespace strata
