#include "strata/core/ops/sequence_construct.h"

#include "ops/sequence_support.h"

namespace strata {

FactList SequenceConstruct::output_facts(Facts in) const {
  check(in.size() >= 1, "(C1) SequenceConstruct has no input");
  Fact element = in[0].without_value();
  for (std::size_t i = 1; i < in.size(); ++i) {
    check(in[i].type() == element.type(), "(C2) a ", in[i].type(), " joins a sequence of ",
          element.type());
    element = join(element, in[i].without_value());
  }
  return {Fact::sequence(std::move(element), Dim(in.size()))};
}

ValueList SequenceConstruct::eval(Values in) const {
  return {Sequence{in[0].type(), ValueList(in.begin(), in.end())}};
}

}  // namespace strata
