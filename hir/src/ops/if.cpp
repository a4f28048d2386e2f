#include "strata/hir/ops/if.h"

#include "strata/core/ops/if.h"
#include "strata/hir/body.h"

namespace strata::hir {

void If::rules(Rules& r) const { r.require(r.input(0, "cond").dtype == DatumType::boolean); }

OutletIds If::wire(Builder& b, const OutletIds& in) const {
  std::vector<Fact> captured;
  OutletIds wires{in[0]};
  for (std::size_t i = 1; i < in.size(); ++i) {
    captured.push_back(b.fact(in[i]));
    if (!captured.back().constant()) wires.push_back(in[i]);
  }
  const auto expanded = [&](const InferenceBody& body, std::string_view which) {
    try {
      return std::make_shared<const TypedModel>(
          expand_body(*body, captured, b.target().symbol_scope()));
    } catch (Error& error) {
      throw error.in(std::string(which));
    }
  };
  return b.wire(strata::If{expanded(then_body, "then_branch"), expanded(else_body, "else_branch")},
                wires);
}

}  // namespace strata::hir
