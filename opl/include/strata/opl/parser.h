#pragma once

#include <string_view>
#include <vector>

#include "strata/opl/ast.h"

namespace strata::opl {

/// Reads a document: version, extensions, fragments, one graph, in this order.
///
/// `file_name` is for messages: `graph.nnef:12:7: expected ')', got 'x'`.
/// Throws: invalid_model where the text breaks the grammar; limit where it nests deeper than
/// kMaxDepth.
Document parse(std::string_view text, std::string_view file_name);

/// Reads one expression and nothing after it; throws as `parse` does.
Expression parse_expression(std::string_view text, std::string_view file_name);

/// Throws an invalid_model Error that starts with the place in the document, as those of `parse`
/// do.
[[noreturn]] void fail_at(const Document& document, Position position, std::string_view message);

}  // namespace strata::opl
