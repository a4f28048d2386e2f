#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "strata/hir/inference_fact.h"

namespace onnx {
class TypeProto;
class TypeProto_Map;
class ValueInfoProto;
}  // namespace onnx

namespace strata::onnx {

/// The symbols that a model's dim_params stand for: one name means one size throughout the model.
class DimNames {
 public:
  explicit DimNames(std::shared_ptr<SymbolScope> symbols) : symbols_(std::move(symbols)) {}

  /// The symbol of a dim_param: of the same name where that can be one, of a similar name nobody
  /// else has otherwise.
  Dim symbol(const std::string& dim_param);
  bool knows(const std::string& dim_param) const { return dims_.contains(dim_param); }

 private:
  std::shared_ptr<SymbolScope> symbols_;
  std::map<std::string, Dim> dims_;
  std::set<std::string> taken_;
};

/// Throws: invalid_model when the type is incomplete, unsupported for maps, sparse tensors and
/// opaque types.
ValueType value_type_of(const ::onnx::TypeProto& proto);

/// What becomes of a dim_param that nobody has named yet: a symbol, or a size that stays unknown.
enum class NewName { symbol, unknown };

/// What `proto` tells; parts it leaves open stay unknown. Throws: invalid_model for sizes that are
/// negative or overflow.
hir::InferenceFact fact_of(const ::onnx::TypeProto& proto, DimNames& names,
                           NewName new_name = NewName::symbol);

/// What is known of the two wires of a map: keys K[n] and values V[n].
struct MapFacts {
  hir::InferenceFact keys;
  hir::InferenceFact values;
};

/// Throws: unsupported when the values are no tensors' elements.
MapFacts facts_of_map(const ::onnx::TypeProto_Map& proto, SymbolScope& symbols);

/// The part of `fact` that a TypeProto can hold: the element type, and the shape where it is known.
::onnx::TypeProto to_type_proto(const hir::InferenceFact& fact);

}  // namespace strata::onnx
