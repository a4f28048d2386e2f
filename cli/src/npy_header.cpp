#include "npy_header.h"

#include <charconv>

namespace strata::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;
constexpr std::size_t kLargestRank = 64;

[[noreturn]] void refuse(std::string_view file, const std::string& what) {
  fail(ErrorKind::file, in_quotes(file), " is no npy file Strata can read: ", what);
}

/// Reads the header's dictionary, a Python literal with the keys descr, fortran_order and shape.
class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view file) : rest_(text), file_(file) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string_view key = string();
      expect(':');
      value(key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) refuse(file_, cat("text after its header: ", in_quotes(rest_, 20)));
    if (!has_descr_ || !has_order_ || !has_shape_) {
      refuse(file_, "its header lacks one of descr, fortran_order, shape");
    }
    return header_;
  }

 private:
  void value(std::string_view key) {
    if (key == "descr" && !std::exchange(has_descr_, true)) {
      descr(string());
    } else if (key == "fortran_order" && !std::exchange(has_order_, true)) {
      header_.fortran_order = boolean();
    } else if (key == "shape" && !std::exchange(has_shape_, true)) {
      shape();
    } else {
      refuse(file_, cat("its header has ", in_quotes(key), " where it should not"));
    }
  }

  void descr(std::string_view text) {
    const auto bad = [&] { refuse(file_, cat("type ", in_quotes(text), " is not known")); };
    if (text.size() < 2) bad();
    if (std::string_view("<>=|").find(text[0]) != std::string_view::npos) {
      header_.order = text[0];
      text.remove_prefix(1);
    }
    header_.kind = text[0];
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(text.data() + 1, end, header_.digits);
    if (code != std::errc{} || stop != end || header_.digits < 0) bad();
  }

  void shape() {
    expect('(');
    while (!accept(')')) {
      if (header_.shape.size() == kLargestRank) refuse(file_, "its shape has more than 64 axes");
      header_.shape.push_back(dim());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  std::int64_t dim() {
    skip_blanks();
    std::int64_t value = 0;
    const char* end = rest_.data() + rest_.size();
    const auto [stop, code] = std::from_chars(rest_.data(), end, value);
    if (code != std::errc{} || value < 0) refuse(file_, cat("no dim at ", in_quotes(rest_, 20)));
    rest_.remove_prefix(static_cast<std::size_t>(stop - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // long integers of Python 2
    return value;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    refuse(file_, cat("no True or False at ", in_quotes(rest_, 20)));
  }

  std::string_view string() {
    skip_blanks();
    const char quote = rest_.empty() ? '\0' : rest_[0];
    const std::size_t end = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
      refuse(file_, cat("no string at ", in_quotes(rest_, 20)));
    }
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  void skip_blanks() {
    const std::size_t first = rest_.find_first_not_of(" \t\n\r");
    rest_.remove_prefix(first == std::string_view::npos ? rest_.size() : first);
  }
  bool accept(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) refuse(file_, cat("no '", c, "' at ", in_quotes(rest_, 20)));
  }

  std::string_view rest_;
  std::string_view file_;
  NpyHeader header_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

NpyHeader read_npy_header(std::span<const std::byte> bytes, std::string_view file) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) refuse(file, "it does not begin as one");
  const std::size_t prefix = kMagic.size() + 2;
  if (text.size() < prefix + 4) refuse(file, "it ends within its header");
  const int version = static_cast<unsigned char>(text[kMagic.size()]);
  if (version < 1 || version > 3) refuse(file, cat("version ", version, " is not known"));
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(text[prefix + i]);
  }
  const std::size_t start = prefix + length_bytes;
  if (length > kLongestHeader) refuse(file, cat("a header of ", length, " bytes is too long"));
  if (length > text.size() - start) refuse(file, "it ends within its header");
  NpyHeader header = HeaderParser(text.substr(start, length), file).parse();
  header.data_offset = start + length;
  return header;
}

std::string npy_header(std::string_view descr, std::span<const std::int64_t> shape) {
  std::string dict = cat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (");
  for (std::size_t i = 0; i < shape.size(); ++i) dict += cat(i ? ", " : "", shape[i]);
  dict += shape.size() == 1 ? ",), }" : "), }";
  const std::size_t start = kMagic.size() + 4;
  const std::size_t unpadded = start + dict.size() + 1;
  dict.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dict += '\n';
  require(dict.size() < 65536, ErrorKind::invalid_argument, "a shape of rank ", shape.size(),
          " is too long for an npy header");
  std::string out(kMagic);
  out += std::string_view("\x01\x00", 2);
  out += static_cast<char>(dict.size() & 0xff);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict;
}

}  // namespace strata::cli
