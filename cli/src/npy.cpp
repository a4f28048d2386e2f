#include "npy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "npy_header.h"
#include "strata/core/limits.h"
#include "utf8.h"

namespace strata::cli {
namespace {

using Bytes = std::span<const std::byte>;

/// Bytes of one element of the file.
std::int64_t item_size(const NpyHeader& header) {
  return header.kind == 'U' ? 4 * header.digits : header.digits;
}

/// How numpy names a type: the letter of its kind and its bytes.
struct TypeRow {
  char kind;
  std::int64_t bytes;
  DatumType type;
};

/// The first row of a type is what it is written as; the others are read, too.
constexpr TypeRow kTypes[] = {
    {'b', 1, DatumType::boolean}, {'u', 1, DatumType::u8},   {'u', 2, DatumType::u16},
    {'u', 4, DatumType::u32},     {'u', 8, DatumType::u64},  {'i', 1, DatumType::i8},
    {'i', 2, DatumType::i16},     {'i', 4, DatumType::i32},  {'i', 8, DatumType::i64},
    {'f', 1, DatumType::u8},      {'f', 2, DatumType::f16},  {'f', 4, DatumType::f32},
    {'f', 8, DatumType::f64},     {'c', 8, DatumType::c64},  {'c', 16, DatumType::c128},
    {'V', 1, DatumType::u8},      {'V', 2, DatumType::bf16},
};

std::optional<DatumType> number_type(char kind, std::int64_t bytes) {
  const auto row = std::ranges::find_if(
      kTypes, [&](const TypeRow& each) { return each.kind == kind && each.bytes == bytes; });
  return row == std::end(kTypes) ? std::nullopt : std::optional(row->type);
}

/// What write_npy writes a tensor of `type` as, once it is unpacked.
std::string descr_of(DatumType type) {
  if (is_float(type) && bit_width(type) <= 8) return "|V1";
  const auto row = std::ranges::find(kTypes, type, &TypeRow::type);
  require(row != std::end(kTypes), ErrorKind::internal, "type ", type, " has no numpy name");
  return cat(row->bytes == 1 ? '|' : '<', row->kind, row->bytes);
}

/// The elements of a Fortran-ordered array in row-major order.
std::vector<std::byte> row_major(Bytes data, const Shape& shape, std::size_t item) {
  std::vector<std::byte> out(data.size());
  Shape strides(shape.size(), 1);
  for (std::size_t axis = 1; axis < shape.size(); ++axis) {
    strides[axis] = strides[axis - 1] * shape[axis - 1];
  }
  Shape index(shape.size(), 0);
  std::int64_t from = 0;
  for (std::size_t to = 0; to < out.size(); to += item) {
    std::memcpy(out.data() + to, data.data() + static_cast<std::size_t>(from) * item, item);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return out;
}

Tensor read_numbers(Bytes data, const NpyHeader& header, DatumType type) {
  MutableTensor out(type, header.shape);
  const auto bytes = out.bytes();
  std::copy(data.begin(), data.end(), bytes.begin());
  const auto item = static_cast<std::size_t>(header.digits);
  const std::size_t unit = is_complex(type) ? item / 2 : item;
  if (header.order == '>') {
    for (std::size_t i = 0; i < bytes.size(); i += unit) {
      std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                   bytes.begin() + static_cast<std::ptrdiff_t>(i + unit));
    }
  }
  if (type == DatumType::boolean) {
    std::ranges::transform(bytes, bytes.begin(),
                           [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
  }
  return std::move(out).freeze();
}

std::string bytes_text(Bytes item) {
  std::string text(reinterpret_cast<const char*>(item.data()), item.size());
  text.erase(text.find_last_not_of('\0') + 1);
  return text;
}

std::string unicode_text(Bytes item, char order, std::string_view file) {
  std::string text;
  std::size_t kept = 0;  // bytes up to the last character that is not NUL
  for (std::size_t i = 0; i < item.size(); i += 4) {
    char32_t code = 0;
    for (std::size_t b = 0; b < 4; ++b) {
      const std::size_t at = order == '>' ? b : 3 - b;
      code = code << 8 | std::to_integer<char32_t>(item[i + at]);
    }
    require(append_utf8(text, code), ErrorKind::file, in_quotes(file), " has a string with ",
            static_cast<std::uint32_t>(code), ", which is no Unicode character");
    if (code != 0) kept = text.size();
  }
  text.resize(kept);
  return text;
}

Tensor read_strings(Bytes data, const NpyHeader& header, std::string_view file) {
  MutableTensor out(DatumType::string, header.shape);
  const auto item = static_cast<std::size_t>(item_size(header));
  std::size_t at = 0;
  for (std::string& text : out.as<std::string>()) {
    const Bytes one = data.subspan(at, item);
    text = header.kind == 'S' ? bytes_text(one) : unicode_text(one, header.order, file);
    at += item;
  }
  return std::move(out).freeze();
}

/// The bytes of the array. Throws: file when there are fewer or more than the shape takes.
Bytes array_bytes(Bytes bytes, const NpyHeader& header, std::string_view file) {
  const Bytes data = bytes.subspan(header.data_offset);
  const std::int64_t item = item_size(header);
  const bool is_empty = std::ranges::find(header.shape, 0) != header.shape.end();
  require(item > 0 || is_empty, ErrorKind::file, in_quotes(file), " has elements of 0 bytes");
  std::int64_t wanted = is_empty ? 0 : item;
  bool overflows = false;
  for (const std::int64_t dim : header.shape) {
    overflows = overflows || __builtin_mul_overflow(wanted, dim, &wanted);
  }
  require(!overflows && static_cast<std::size_t>(wanted) == data.size(), ErrorKind::file,
          in_quotes(file), " holds ", data.size(), " bytes of data, not shape ",
          std::span<const std::int64_t>(header.shape), " of elements of ", item, " bytes");
  return data;
}

std::string padded(std::string text, std::size_t size) {
  text.resize(size, '\0');
  return text;
}

std::string little_endian(const std::u32string& codes) {
  std::string out;
  for (const char32_t code : codes) {
    for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(code >> shift & 0xff);
  }
  return out;
}

std::string write_strings(const Tensor& tensor) {
  const auto texts = tensor.as<std::string>();
  const bool unicode =
      std::ranges::all_of(texts, [](const auto& t) { return utf32(t).has_value(); });
  std::size_t longest = 1;
  for (const std::string& text : texts) {
    require(!text.ends_with('\0'), ErrorKind::invalid_argument, "the string ", in_quotes(text),
            " ends in NUL, which npy cannot hold");
    longest = std::max(longest, unicode ? utf32(text)->size() : text.size());
  }
  const std::size_t item = unicode ? 4 * longest : longest;
  const auto most = static_cast<std::size_t>(Limits{}.tensor_bytes);
  require(texts.empty() || item <= most / texts.size(), ErrorKind::limit, texts.size(),
          " strings padded to ", item, " bytes exceed the limit tensor_bytes of ", most);
  std::string out = npy_header(cat(unicode ? "<U" : "|S", longest), tensor.shape());
  for (const std::string& text : texts) {
    out += padded(unicode ? little_endian(*utf32(text)) : text, item);
  }
  return out;
}

bool fits(const Tensor& bytes, DatumType type) {
  const bool is_negative_allowed = is_signed_integer(type);
  const double end = 1 << (bit_width(type) - (is_negative_allowed ? 1 : 0));
  for (std::int64_t i = 0; i < bytes.size(); ++i) {
    const double value = number_at(bytes, i);
    if (value >= end || value < (is_negative_allowed ? -end : 0)) return false;
  }
  return true;
}

}  // namespace

Tensor read_npy(std::span<const std::byte> bytes, std::string_view file) {
  NpyHeader header = read_npy_header(bytes, file);
  const bool is_text = header.kind == 'U' || header.kind == 'S';
  const auto type = number_type(header.kind, header.digits);
  require(is_text || type, ErrorKind::file, in_quotes(file), " holds elements of numpy type ",
          header.kind, header.digits, ", which Strata has no type for");
  require(header.kind != 'U' || header.digits <= INT64_MAX / 4, ErrorKind::file, in_quotes(file),
          " holds strings of ", header.digits, " characters");
  Bytes data = array_bytes(bytes, header, file);
  std::vector<std::byte> reordered;
  if (header.fortran_order && header.shape.size() > 1 && !data.empty()) {
    reordered = row_major(data, header.shape, static_cast<std::size_t>(item_size(header)));
    data = reordered;
  }
  return is_text ? read_strings(data, header, file) : read_numbers(data, header, *type);
}

std::string write_npy(const Tensor& tensor) {
  const DatumType type = tensor.dtype();
  if (type == DatumType::string) return write_strings(tensor);
  if (type == DatumType::dim) return write_npy(cast(tensor, DatumType::i64));
  const Tensor plain = unpacked(tensor);
  const DatumType written = type == DatumType::f4e2m1 ? type : plain.dtype();
  std::string out = npy_header(descr_of(written), tensor.shape());
  const Bytes bytes = plain.bytes();
  return out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Tensor restored(const Tensor& read, DatumType wanted) {
  const DatumType type = read.dtype();
  if (type == wanted) return read;
  const bool is_byte = type == DatumType::u8 || type == DatumType::i8;
  const bool is_float8 = is_float(wanted) && bit_width(wanted) == 8;
  if (type == DatumType::u8 && is_float8) return read.reinterpreted(wanted);
  if (type == DatumType::bf16 && bit_width(wanted) == 16) return read.reinterpreted(wanted);
  if (is_byte && is_packed(wanted)) {
    require(fits(read, wanted), ErrorKind::invalid_argument, "bytes of type ", type,
            " hold values beyond type ", wanted);
    return packed(read, wanted);
  }
  fail(ErrorKind::invalid_argument, "an array of type ", type, " is given where ", wanted,
       " is wanted");
}

}  // namespace strata::cli
