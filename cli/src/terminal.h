#pragma once

#include <string>
#include <string_view>

namespace strata::cli {

/// `text` where a terminal shows it as it is, else in quotes, with control bytes escaped.
std::string printable(std::string_view text);

/// Colours for text on stdout; none unless it is a terminal that wants them (NO_COLOR and TERM=dumb
/// switch them off). All text is made printable.
class Style {
 public:
  static Style of_stdout();
  explicit Style(bool coloured) : coloured_(coloured) {}

  std::string title(std::string_view text) const { return paint("1", text); }
  std::string name(std::string_view text) const { return paint("36", text); }
  std::string op(std::string_view text) const { return paint("1;33", text); }
  std::string faint(std::string_view text) const { return paint("2", text); }
  std::string good(std::string_view text) const { return paint("32", text); }
  std::string bad(std::string_view text) const { return paint("31", text); }

 private:
  std::string paint(std::string_view code, std::string_view text) const;
  bool coloured_ = false;
};

/// Writes data to stdout. Throws: file when it cannot be written.
void print(std::string_view text);
/// Writes out what is still held back. Throws: file.
void flush_output();

/// A number in three significant digits, without an exponent; whole ones from 100 on.
std::string three_digits(double number);

/// A number with a unit prefix, in three digits: `1.23 M`.
std::string short_number(double number);

}  // namespace strata::cli
