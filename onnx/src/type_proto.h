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

  /// The symbol of a dim_param of an input: of the same name where that can be one, of a similar
  /// name nobody else has otherwise.
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

/// What becomes of a dim_param that nobody has named yet: a symbol, or a size that stays unknown.
enum class NewName { symbol, unknown };

/// What `proto` tells; parts it leaves open, and sizes of -1, stay unknown. Throws: invalid_model
/// for sizes that are less or overflow.
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
