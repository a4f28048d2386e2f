#include "expanded_size.h"

#include <map>

namespace strata::opl {
namespace {

/// Counts assignments as they will be expanded, each fragment once however often it is called.
/// Calls that depend on a condition, or that stand within a subscript, are not counted.
class ExpandedSize {
 public:
  explicit ExpandedSize(const DocumentReader& document) : document_(document) {}

  std::int64_t of(const std::vector<Assignment>& body) {
    std::int64_t count = 0;
    for (const Assignment& assignment : body) count = sum(sum(count, 1), of(assignment.right));
    return count;
  }

 private:
  std::int64_t sum(std::int64_t a, std::int64_t b) const {
    const std::int64_t most = document_.limits().nodes;
    require(b <= most - a, ErrorKind::limit, "more than ", most,
            " assignments once fragments are expanded, the limit of nodes");
    return a + b;
  }
  std::int64_t of(const std::vector<Expression>& parts) {
    std::int64_t count = 0;
    for (const Expression& part : parts) count = sum(count, of(part));
    return count;
  }
  std::int64_t of(const Expression& expression) {
    if (const auto* array = expression.get_if<Array>()) return of(array->items);
    if (const auto* tuple = expression.get_if<Tuple>()) return of(tuple->items);
    if (const auto* unary = expression.get_if<opl::Unary>()) return of(unary->operand);
    if (const auto* binary = expression.get_if<opl::Binary>()) return of(binary->operands);
    const auto* call = expression.get_if<Call>();
    if (call == nullptr) return 0;
    const Fragment* fragment = document_.fragment(call->name);
    std::int64_t count = fragment ? of(*fragment) : 0;
    for (const Argument& argument : call->arguments) count = sum(count, of(argument.value));
    return count;
  }
  /// A fragment that is still being counted calls itself; expanding refuses it, as well as calls
  /// that nest too deeply.
  std::int64_t of(const Fragment& fragment) {
    const auto [known, is_new] = counts_.emplace(fragment.name, 0);
    if (!is_new || nesting_ == kMaxExpansions) return known->second;
    ++nesting_;
    known->second = of(*fragment.body);
    --nesting_;
    return known->second;
  }

  const DocumentReader& document_;
  std::map<std::string, std::int64_t, std::less<>> counts_;  ///< by fragment
  int nesting_ = 0;
};

}  // namespace

void check_expanded_size(const DocumentReader& document) {
  ExpandedSize(document).of(document.document().graph.body);
}

}  // namespace strata::opl
