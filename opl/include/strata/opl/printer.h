#pragma once

#include <string>

#include "strata/opl/ast.h"

namespace strata::opl {

/// The canonical text of a document: one assignment per line, indented by four spaces, ended by a
/// newline.
///
/// `print(parse(print(d))) == print(d)` to the byte. Comments and layout of a parsed text are not
/// kept; every infix expression is put in parentheses. What tract's reader cannot take as a plain
/// name is written i"…", and the openers of its template language ({{ {% {#) are broken up by a
/// backslash inside quotes.
std::string print(const Document& document);

std::string print(const Expression& expression);

}  // namespace strata::opl
