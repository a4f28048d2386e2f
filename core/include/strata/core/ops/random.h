#pragma once

#include "strata/core/typed_op.h"

namespace strata {

/// How the numbers of Random are distributed.
enum class RandomDistribution { normal, uniform };
constexpr auto enumerators(RandomDistribution) {
  using enum RandomDistribution;
  return std::array<std::pair<RandomDistribution, std::string_view>, 2>{
      {{normal, "normal"}, {uniform, "uniform"}}};
}

/// A tensor of random numbers; each turn of a session draws new ones.
///
///   input    shape            integers[n]
///   output   dtype[shape]: normal with mean `location` and deviation `scale`, or uniform from
///            `location` to `location + scale`
///   source   ONNX RandomNormal-1, RandomUniform-1; tract_core_random
///
///   (C1) the shape is a vector of integers, none negative     (C2) dtype is a float
struct Random {
  static constexpr std::string_view name = "Random";
  RandomDistribution distribution = RandomDistribution::uniform;
  double location = 0;
  double scale = 1;
  DatumType dtype = DatumType::f32;
  std::optional<double> seed;  ///< absent: differs from session to session

  static constexpr auto attributes() {
    return std::tuple{attr("distribution", &Random::distribution),
                      attr("location", &Random::location), attr("scale", &Random::scale),
                      attr("dtype", &Random::dtype), attr("seed", &Random::seed)};
  }
  FactList output_facts(Facts in) const;
  std::unique_ptr<OpState> state(StateContext& context) const;
};
static_assert(OpDef<Random>);

}  // namespace strata
