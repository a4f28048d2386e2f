#pragma once

#include "strata/core/session.h"

namespace strata {

/// The memory that a caller gives for the outputs of one run.
class OutputPlaces {
 public:
  /// Throws: invalid_argument if `memory` is neither empty nor has one span for each output.
  OutputPlaces(const TypedModel& model, Values inputs, OutputMemory memory);

  /// The part of an output's memory that its value takes; null if the caller gives none. Throws:
  /// invalid_argument if the value cannot lie there.
  std::span<std::byte> find(std::size_t output, DatumType type, std::size_t bytes) const;
  /// Whether no input overlaps `place`.
  bool spares_inputs(std::span<const std::byte> place) const;
  /// Whether this input lies where `place` begins, and no other input overlaps `place`.
  bool begins_at_input(std::span<const std::byte> place, std::size_t input) const;
  /// Moves outputs to the memory given for them, unless they lie there already. Throws:
  /// invalid_argument, before any has moved.
  void take(ValueList& outputs) const;

 private:
  void check(std::size_t output, const Value& value) const;
  bool is_there(std::size_t output, const Value& value) const;
  Value kept(std::size_t output, const Value& value) const;
  Tensor moved(std::size_t output, const Tensor& tensor) const;

  const TypedModel& model_;
  Values inputs_;
  OutputMemory memory_;
};

}  // namespace strata
