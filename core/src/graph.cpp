#include "strata/core/graph.h"

#include "strata/core/typed_model.h"

namespace strata {

template class Graph<Fact, TypedOp>;

}  // namespace strata
