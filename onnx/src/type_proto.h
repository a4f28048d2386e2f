#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "messages.h"
#include "strata/hir/inference_fact.h"

namespace strata::onnx {

/// The symbols that a model's dim_params stand for: one name means one size throughout the model.
class DimNames {
 public:
  /// `model` must outlive this.
  DimNames(std::shared_ptr<SymbolScope> symbols, const ModelProto& model)
      : symbols_(std::move(symbols)), model_(model) {}

  /// The symbol of a dim_param of an input. It has the same name if that can be a symbol's,
  /// otherwise a similar name that nothing else has.
  Dim symbol(Text dim_param);
  bool knows(Text dim_param) const { return dims_.contains(dim_param); }

 private:
  std::string free_name(const std::string& base);

  std::shared_ptr<SymbolScope> symbols_;
  const ModelProto& model_;
  std::map<std::string, Dim, std::less<>> dims_;
  std::optional<std::set<std::string>> taken_;  ///< where a name could not stay as it is
};

/// Throws: invalid_model when the type is incomplete, unsupported for maps, sparse tensors and
/// opaque types.
ValueType value_type_of(const TypeProto& proto);

/// What a dim_param that no input has used becomes: a symbol, or an unknown size.
enum class NewName { symbol, unknown };

/// The fact that `proto` states; missing parts, and sizes of -1, are unknown. Throws: invalid_model
/// for sizes below -1 or an overflow.
hir::InferenceFact fact_of(const TypeProto& proto, DimNames& names,
                           NewName new_name = NewName::symbol);

/// What is known of the two wires of a map: keys K[n] and values V[n].
struct MapFacts {
  hir::InferenceFact keys;
  hir::InferenceFact values;
};

/// Throws: unsupported when the values are no tensors' elements.
MapFacts facts_of_map(const MapTypeProto& proto, SymbolScope& symbols);

}  // namespace strata::onnx
