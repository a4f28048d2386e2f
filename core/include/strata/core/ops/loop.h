#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strata/core/typed_op.h"

namespace strata {

/// How one input of a Loop reaches its body.
struct LoopInput {
  enum class Kind : std::uint8_t {
    invariant,  ///< the same value in every iteration
    carried,    ///< the initial value, then what the body gave in the iteration before
    scanned,  ///< `chunk` rows along `axis` in each iteration; the axis stays, with extent `chunk`
  };
  Kind kind = Kind::invariant;
  std::int64_t axis = 0;
  std::int64_t chunk = 1;
  bool reversed = false;  ///< iteration n of N takes slice N-1-n
  bool operator==(const LoopInput&) const = default;
  std::string to_string() const;
};

/// What one output of a Loop is made of.
struct LoopOutput {
  enum class Kind : std::uint8_t {
    last,     ///< the final value of carried input number `index` (counted among the carried)
    stacked,  ///< body output `index` of all iterations joined along `axis`
  };
  Kind kind = Kind::last;
  std::int64_t index = 0;
  std::int64_t axis = 0;
  bool reversed = false;  ///< the first iteration's part comes last
  /// The sizes of a part that the model declares, -1 where it declares none: those of a stack of no
  /// parts, where neither the body nor its inputs tell. Empty where the model declares nothing at
  /// all.
  Shape declared = {};
  bool operator==(const LoopOutput&) const = default;
  std::string to_string() const;
};

AttrValue to_attr(const std::vector<LoopInput>& inputs);
AttrValue to_attr(const std::vector<LoopOutput>& outputs);
void from_attr(const AttrValue& value, std::vector<LoopInput>& inputs);
void from_attr(const AttrValue& value, std::vector<LoopOutput>& outputs);

/// Runs a body again and again: ONNX Loop and Scan in every version, and what recurrent layers
/// expand to.
///
/// Semantics.
///   outer inputs   the trip count M (i64, one element) if `has_trip_count`; then one for each
///                  entry of `inputs`
///   body inputs    the iteration number (i64 scalar, from 0) if `numbered`; then one for each
///                  entry of `inputs`
///   body outputs   the next value of each carried input, in order; then whatever `outputs` stacks
///   outer outputs  one for each entry of `outputs`
///
/// The loop ends when M iterations are done, when the scanned inputs are used up, or when the
/// carried bool named by `condition` is false before an iteration; with none of the three it ends
/// at the iteration limit. With zero trips, `last` gives the initial value and `stacked` an extent
/// of 0; a size that is then unknown is 0 as well. A negative M counts as 0.
///
///   source   ONNX Loop-25, Scan-25
///
///   (C1) a body input for each entry, which fits  (C2) a body output for each carried input
///   (C3) M is one integer                         (C4) the condition is a carried bool
///   (C5) scanned extents agree with each other    (C6) an output names something that is there
///   (C7) a carried value keeps its type, and the shape that the body takes it for
struct Loop {
  static constexpr std::string_view name = "Loop";
  Body body;
  std::vector<LoopInput> inputs;
  std::vector<LoopOutput> outputs;
  bool has_trip_count = false;
  bool numbered = false;
  std::optional<std::int64_t> condition;  ///< number of the bool among the carried inputs

  static constexpr auto attributes() {
    return std::tuple{
        attr("body", &Loop::body),         attr("inputs", &Loop::inputs),
        attr("outputs", &Loop::outputs),   attr("has_trip_count", &Loop::has_trip_count),
        attr("numbered", &Loop::numbered), attr("condition", &Loop::condition)};
  }

  FactList output_facts(Facts in) const;
  std::unique_ptr<OpState> state(StateContext& context) const;
  Cost cost(Facts in, Facts out) const;

  /// Places in `inputs` of the carried ones.
  std::vector<std::size_t> carried() const;
  /// The number of iterations, when it is known and nothing else ends the loop.
  std::optional<Dim> trip_count(Facts in) const;
  /// By how much an axis of carried value `k` grows in each iteration; nothing where the body does
  /// not tell, or where it varies.
  std::optional<std::int64_t> growth(std::size_t k, std::size_t axis) const;
};
static_assert(OpDef<Loop>);

}  // namespace strata
