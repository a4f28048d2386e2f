#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "strata/core/float_formats.h"

namespace strata {

/// Decimal texts of numbers as Cast writes and reads them: the fewest digits that read back as the
/// same number of the type, positional for 1e-4 <= |x| < 1e16 (`0.1`, `3.0`), with an exponent
/// otherwise (`1e-05`), `nan`, `inf`, `-inf`.
std::string number_text(double number);
std::string number_text(float number);
std::string number_text(f16 number);
std::string number_text(bf16 number);
std::string number_text(f8e4m3fn number);
std::string number_text(f8e4m3fnuz number);
std::string number_text(f8e5m2 number);
std::string number_text(f8e5m2fnuz number);
std::string number_text(f8e8m0 number);

/// The number `text` shows, blanks around it aside: decimal, with or without exponent, or INF, NaN
/// in any case.
std::optional<double> parse_number(std::string_view text);

}  // namespace strata
