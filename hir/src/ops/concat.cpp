#include "strata/hir/ops/concat.h"

#include "strata/core/ops/concat.h"

namespace strata::hir {

void Concat::rules(Rules& r) const {
  const auto out = r.output(0, "concat_result");
  for (std::size_t i = 0; i < r.input_count(); ++i) {
    const auto in = r.input(i, "inputs");
    r.require(out.dtype == in.dtype);
    r.require(out.rank == in.rank);

    const auto rank = out.rank.known();
    if (!rank) continue;
    const auto joined =
        static_cast<std::int64_t>(normalized_axis(axis, static_cast<std::size_t>(*rank)));
    for (std::int64_t a = 0; a < *rank; ++a)
      if (a != joined) r.require(out.shape[a] == in.shape[a]);
  }
}

OutletIds Concat::wire(Builder& b, const OutletIds& in) const {
  const auto rank = b.rank(in[0]);
  return b.wire(
      strata::Concat{rank ? static_cast<std::int64_t>(normalized_axis(axis, *rank)) : axis}, in);
}

}  // namespace strata::hir
