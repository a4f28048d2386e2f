#include "strata/core/ops/sequence_insert.h"

#include "ops/sequence_support.h"

namespace strata {

FactList SequenceInsert::output_facts(Facts in) const {
  check_arity(name, in, 2, 3);
  check_sequence(in[0]);
  check(in[1].type() == in[0].element->type(), "(C2) a ", in[1].type(), " joins a sequence of ",
        in[0].element->type());
  if (in.has(2)) check_position(in[2], "(C3)");
  const Fact item = in[1].without_value();
  if (in[0].length == Dim(0)) return {Fact::sequence(item, Dim(1))};
  std::optional<Dim> length;
  if (in[0].length) length = *in[0].length + Dim(1);
  return {Fact::sequence(join(*in[0].element, item), length)};
}

ValueList SequenceInsert::eval(Values in) const {
  Sequence out = in[0].sequence();
  check_data(in[1].type() == out.element, "(C2) a ", in[1].type(), " joins a sequence of ",
             out.element);
  const std::int64_t length = length_of(out);
  const std::size_t place = in.size() > 2 ? place_of(in[2], length, length + 1, "(C4)")
                                          : static_cast<std::size_t>(length);
  out.items.insert(place, in[1]);
  return {std::move(out)};
}

}  // namespace strata
