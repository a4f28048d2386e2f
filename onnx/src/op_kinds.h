#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strata/core/hash_index.h"
#include "strata/hir/inference_model.h"
#include "strata/onnx/registry.h"

namespace strata::onnx {

/// What nodes of one op type, domain and opset have in common.
struct OpKind {
  std::string op_type;
  std::string domain;
  int opset;                     ///< 0 when the domain is not imported
  const Registry::Entry* entry;  ///< null when the registry does not have it
  int version;                   ///< of the op in that opset; 0 when it came later
  std::shared_ptr<const hir::Origin> origin;
};

/// The kinds of nodes met in a file.
class OpKinds {
 public:
  /// Ops of `own` come before those of the build; null for none.
  explicit OpKinds(const Registry* own) : own_(own) {}

  /// `opset` is 0 when the domain is not imported.
  const OpKind& of(std::string_view op_type, std::string_view domain, int opset);

 private:
  const Registry::Entry* entry_of(std::string_view op_type, std::string_view domain) const;

  const Registry* own_;
  std::vector<std::unique_ptr<const OpKind>> kinds_;
  HashIndex index_;  ///< by op type
};

}  // namespace strata::onnx
