#pragma once

#include "strata/core/ops/activation.h"

namespace strata {

/// A function of a number and the parameters alpha and beta.
using ActivationFunction = double (*)(double x, double alpha, double beta);
ActivationFunction activation_function(ActivationKind op);

}  // namespace strata
