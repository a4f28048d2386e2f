#include <algorithm>
#include <map>

#include "core_rules.h"
#include "strata/core/ops/einsum.h"
#include "strata/core/ops/multinomial.h"

namespace strata::hir {
namespace {

void det(Rules& r, const CoreOp&) {
  require_same_dtype(r);
  r.require(data_of(r).rank == out_of(r).rank + 2);
  const auto rank = data_of(r).rank.known();
  if (!rank || *rank < 2) return;
  r.require(data_of(r).shape[-1] == data_of(r).shape[-2]);
  for (std::int64_t i = 0; i < *rank - 2; ++i) r.require(out_of(r).shape[i] == data_of(r).shape[i]);
}

bool has_ellipsis(const std::vector<int>& term) {
  return std::find(term.begin(), term.end(), EinsumTerms::kEllipsis) != term.end();
}

/// The axis of the label at this place, from the end where it stands behind an ellipsis.
std::int64_t axis_of(const std::vector<int>& term, std::size_t place) {
  const auto at = static_cast<std::int64_t>(place);
  const bool is_behind =
      std::find(term.begin(), term.begin() + at, EinsumTerms::kEllipsis) != term.begin() + at;
  return is_behind ? at - static_cast<std::int64_t>(term.size()) : at;
}

void ranked_as(Rules& r, const PortProxy& port, const std::vector<int>& term) {
  if (!has_ellipsis(term)) r.require(port.rank == static_cast<std::int64_t>(term.size()));
}

/// A label of one axis has the size of the output. One of several may have size 1 in some of them.
void einsum(Rules& r, const CoreOp& core) {
  const EinsumTerms terms = parse_einsum(core.op.as<Einsum>()->equation);
  if (terms.inputs.size() != r.input_count()) return;  // the op itself reports it
  std::map<int, std::size_t> uses;
  for (const auto& term : terms.inputs)
    for (const int label : term) ++uses[label];
  ranked_as(r, out_of(r), terms.output);
  for (std::size_t i = 0; i < terms.inputs.size(); ++i) {
    const auto input = r.input(i, "input");
    const auto& term = terms.inputs[i];
    r.require(out_of(r).dtype == input.dtype);
    ranked_as(r, input, term);
    for (std::size_t a = 0; a < term.size(); ++a) {
      const auto kept = std::find(terms.output.begin(), terms.output.end(), term[a]);
      if (term[a] == EinsumTerms::kEllipsis || uses[term[a]] > 1 || kept == terms.output.end())
        continue;
      const auto place = static_cast<std::size_t>(kept - terms.output.begin());
      r.require(out_of(r).shape[axis_of(terms.output, place)] == input.shape[axis_of(term, a)]);
    }
  }
}

void multinomial(Rules& r, const CoreOp& core) {
  const auto& op = *core.op.as<Multinomial>();
  r.require(data_of(r).rank == 2);
  r.require(out_of(r).rank == 2);
  r.require(out_of(r).dtype == op.dtype);
  r.require(out_of(r).shape[0] == data_of(r).shape[0]);
  r.require(out_of(r).shape[1] == Dim(op.samples));
}

constexpr CoreRules kRows[] = {
    {"Det", det},
    {"Einsum", einsum},
    {"Multinomial", multinomial},
};

}  // namespace

std::span<const CoreRules> number_rules() { return kRows; }

}  // namespace strata::hir
