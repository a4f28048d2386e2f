#include "strata/opl/dat.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "strata/core/error.h"
#include "strata/core/text.h"

namespace strata::opl {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are");

using Bytes = std::span<const std::byte>;

constexpr std::uint16_t kNnef = 0;
constexpr std::uint16_t kTract = 0x5452;   // "TR"
constexpr std::uint16_t kStrata = 0x5354;  // "ST"
constexpr std::uint32_t kNoFixedSize = 0xFFFFFFFF;

/// The start of a file, byte for byte; dat.h explains the fields.
struct Header {
  static constexpr std::uint16_t kMagic = 0xEF4E;

  std::uint16_t magic = kMagic;
  std::uint8_t major = 1, minor = 0;
  std::uint32_t byte_count = 0;
  std::uint32_t rank = 0;
  std::array<std::uint32_t, 8> first_dims = {};
  std::uint32_t bits = 0;
  std::uint16_t code = 0;
  std::uint16_t vendor = 0;
  std::array<std::uint32_t, 8> item_parameters = {};
  std::array<std::uint32_t, 11> more_dims = {};  ///< padding in NNEF

  static constexpr std::size_t kMaxRank =
      std::tuple_size_v<decltype(first_dims)> + std::tuple_size_v<decltype(more_dims)>;
};
static_assert(sizeof(Header) == 128);

/// The size of an axis, of a header that is read or written.
template <class AnyHeader>
auto& dim_of(AnyHeader& header, std::size_t axis) {
  const std::size_t first = header.first_dims.size();
  return axis < first ? header.first_dims[axis] : header.more_dims[axis - first];
}

struct ItemType {
  DatumType type;
  std::uint16_t vendor;
  std::uint16_t code;
  std::uint32_t bits;
};

/// The first row of a type is the one written.
constexpr std::array kItemTypes = {
    ItemType{DatumType::f16, kNnef, 0, 16},
    ItemType{DatumType::f32, kNnef, 0, 32},
    ItemType{DatumType::f64, kNnef, 0, 64},
    ItemType{DatumType::u8, kNnef, 2, 8},
    ItemType{DatumType::u16, kNnef, 2, 16},
    ItemType{DatumType::u32, kNnef, 2, 32},
    ItemType{DatumType::u64, kNnef, 2, 64},
    ItemType{DatumType::u8, kNnef, 1, 8},
    ItemType{DatumType::u16, kNnef, 1, 16},
    ItemType{DatumType::u32, kNnef, 1, 32},
    ItemType{DatumType::u64, kNnef, 1, 64},
    ItemType{DatumType::i8, kNnef, 3, 8},
    ItemType{DatumType::i16, kNnef, 3, 16},
    ItemType{DatumType::i32, kNnef, 3, 32},
    ItemType{DatumType::i64, kNnef, 3, 64},
    ItemType{DatumType::i8, kNnef, 4, 8},
    ItemType{DatumType::i16, kNnef, 4, 16},
    ItemType{DatumType::i32, kNnef, 4, 32},
    ItemType{DatumType::i64, kNnef, 4, 64},
    ItemType{DatumType::boolean, kNnef, 5, 8},
    ItemType{DatumType::boolean, kNnef, 5, 1},
    ItemType{DatumType::c64, kTract, 0, 64},
    ItemType{DatumType::c128, kTract, 0, 128},
    ItemType{DatumType::string, kTract, 0x1000, kNoFixedSize},
    ItemType{DatumType::bf16, kStrata, 1, 16},
    ItemType{DatumType::u2, kStrata, 2, 2},
    ItemType{DatumType::u4, kStrata, 2, 4},
    ItemType{DatumType::i2, kStrata, 3, 2},
    ItemType{DatumType::i4, kStrata, 3, 4},
    ItemType{DatumType::f4e2m1, kStrata, 4, 4},
    ItemType{DatumType::f8e4m3fn, kStrata, 5, 8},
    ItemType{DatumType::f8e4m3fnuz, kStrata, 6, 8},
    ItemType{DatumType::f8e5m2, kStrata, 7, 8},
    ItemType{DatumType::f8e5m2fnuz, kStrata, 8, 8},
    ItemType{DatumType::f8e8m0, kStrata, 9, 8},
};

template <class T>
T load(Bytes bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

template <class T>
void append(std::string& bytes, const T& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

const ItemType& item_type_of(DatumType type) {
  const auto found = std::find_if(kItemTypes.begin(), kItemTypes.end(),
                                  [type](const ItemType& item) { return item.type == type; });
  require(found != kItemTypes.end(), ErrorKind::unsupported, "elements of type ", type,
          " cannot be stored in a tensor file");
  return *found;
}

std::string string_bytes(std::span<const std::string> items) {
  std::string bytes;
  for (const std::string& item : items) {
    require(item.size() <= std::numeric_limits<std::uint32_t>::max(), ErrorKind::unsupported,
            "a string of ", item.size(), " bytes cannot be stored in a tensor file");
    append(bytes, static_cast<std::uint32_t>(item.size()));
    bytes += item;
  }
  return bytes;
}

/// The parts of a file; every failure names the file.
struct Reader {
  std::string_view name;
  Header header;
  Bytes elements;

  Reader(Bytes file, std::string_view file_name);
  template <class... Parts>
  void check(bool holds, const Parts&... parts) const {
    require(holds, ErrorKind::file, in_quotes(name), " is no tensor file: ", parts...);
  }

  Shape shape() const;
  const ItemType& item_type() const;
  void check_size(std::int64_t count, std::uint32_t bits) const;
  Tensor strings(const Shape& shape) const;
  Tensor bools(const Shape& shape, std::uint32_t bits) const;
};

Reader::Reader(Bytes file, std::string_view file_name) : name(file_name) {
  check(file.size() >= sizeof(Header), "it has ", file.size(), " bytes, a header has ",
        sizeof(Header));
  header = load<Header>(file);
  elements = file.subspan(sizeof(Header));
  check(header.magic == Header::kMagic, "it does not start with the bytes 4e ef");
  check(header.major == 1, "version 1 wanted, ", header.major, " given");
  check(header.rank <= Header::kMaxRank, "rank ", header.rank, " is above ", Header::kMaxRank);
}

Shape Reader::shape() const {
  Shape shape;
  for (std::size_t axis = 0; axis < header.rank; ++axis) shape.push_back(dim_of(header, axis));
  return shape;
}

const ItemType& Reader::item_type() const {
  const auto found = std::find_if(kItemTypes.begin(), kItemTypes.end(), [&](const ItemType& item) {
    return item.vendor == header.vendor && item.code == header.code && item.bits == header.bits;
  });
  require(found != kItemTypes.end(), ErrorKind::unsupported, in_quotes(name),
          " holds elements of vendor ", header.vendor, ", item type ", header.code, " and ",
          header.bits, " bits, which is not known");
  return *found;
}

void Reader::check_size(std::int64_t count, std::uint32_t bits) const {
  const std::size_t given = elements.size();
  const auto items = static_cast<std::uint64_t>(count);
  check(items <= given * 8 / bits, "its shape asks for ", items, " items of ", bits, " bits, ",
        given, " bytes are there");
  const std::uint64_t wanted = (items * bits + 7) / 8;
  check(wanted == given, "its shape asks for ", wanted, " bytes, ", given, " are there");
  check(header.byte_count == static_cast<std::uint32_t>(wanted), "its header announces ",
        header.byte_count, " bytes, its shape asks for ", wanted);
}

Tensor Reader::strings(const Shape& shape) const {
  Bytes left = elements;
  const auto count = static_cast<std::uint64_t>(element_count(shape));
  check(count <= left.size() / 4, "its shape asks for ", count, " strings, ", left.size(),
        " bytes are there");
  MutableTensor out(DatumType::string, shape);
  for (std::string& item : out.as<std::string>()) {
    check(left.size() >= 4, "it ends within the length of a string");
    const auto length = load<std::uint32_t>(left);
    left = left.subspan(4);
    check(length <= left.size(), "a string of ", length, " bytes starts ", left.size(),
          " bytes before its end");
    item.assign(reinterpret_cast<const char*>(left.data()), length);
    left = left.subspan(length);
  }
  check(left.empty(), left.size(), " bytes follow the last string");
  return std::move(out).freeze();
}

/// A bool other than 0 and 1 must not get into memory, so these are never a view.
Tensor Reader::bools(const Shape& shape, std::uint32_t bits) const {
  MutableTensor out(DatumType::boolean, shape);
  const std::span<bool> values = out.as<bool>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::byte mask = bits == 8 ? std::byte{0xFF} : std::byte{0x80} >> (i % 8);
    values[i] = (elements[i * bits / 8] & mask) != std::byte{0};
  }
  return std::move(out).freeze();
}

}  // namespace

std::string write_dat(const Tensor& tensor) {
  const ItemType& item = item_type_of(tensor.dtype());
  require(tensor.rank() <= Header::kMaxRank, ErrorKind::unsupported, "rank ", tensor.rank(),
          " is above the ", Header::kMaxRank, " that a tensor file holds");
  const bool is_string = tensor.dtype() == DatumType::string;
  const std::string strings = is_string ? string_bytes(tensor.as<std::string>()) : std::string();
  const Bytes data = is_string ? std::as_bytes(std::span(strings)) : tensor.bytes();

  Header header;
  header.byte_count = static_cast<std::uint32_t>(data.size());
  header.rank = static_cast<std::uint32_t>(tensor.rank());
  for (std::size_t axis = 0; axis < tensor.rank(); ++axis) {
    const std::int64_t dim = tensor.shape()[axis];
    require(dim <= std::numeric_limits<std::uint32_t>::max(), ErrorKind::unsupported, "a dim of ",
            dim, " cannot be stored in a tensor file");
    dim_of(header, axis) = static_cast<std::uint32_t>(dim);
  }
  header.bits = item.bits;
  header.code = item.code;
  header.vendor = item.vendor;
  std::string file;
  file.reserve(sizeof header + data.size());
  append(file, header);
  file.append(reinterpret_cast<const char*>(data.data()), data.size());
  return file;
}

Tensor read_dat(std::span<const std::byte> bytes, std::string_view file_name,
                std::shared_ptr<const void> owner) {
  const Reader reader{bytes, file_name};
  const Shape shape = reader.shape();
  const ItemType& item = reader.item_type();
  if (item.type == DatumType::string) return reader.strings(shape);
  const std::int64_t count = element_count(shape);
  reader.check_size(count, item.bits);
  if (item.type == DatumType::boolean) return reader.bools(shape, item.bits);
  const Bytes data = reader.elements;
  constexpr std::size_t kAlignment = 16;  // of the widest element
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data.data()) % kAlignment == 0;
  if (owner && is_aligned && !data.empty()) {
    return Tensor::borrowed(item.type, shape, data.data(), std::move(owner));
  }
  MutableTensor out(item.type, shape);
  std::copy(data.begin(), data.end(), out.bytes().begin());
  return std::move(out).freeze();
}

std::optional<Blocks> read_blocks(std::span<const std::byte> bytes, std::string_view file_name) {
  // Q4_0 now and in an older tract: a byte holds numbers of both halves of a block, or neighbours.
  constexpr std::uint16_t kHalves = 0x3040, kNeighbours = 0x2040;
  constexpr std::size_t kScaleBytes = 2, kNumberBytes = Blocks::kSize / 2;
  const Reader reader{bytes, file_name};
  Shape shape = reader.shape();
  const std::uint16_t code = reader.header.code;
  if (reader.header.vendor != kTract || (code != kHalves && code != kNeighbours))
    return std::nullopt;
  constexpr std::size_t kBytes = kScaleBytes + kNumberBytes;
  const auto blocks = static_cast<std::size_t>(element_count(shape) / Blocks::kSize);
  const Bytes data = reader.elements;
  reader.check(!shape.empty() && shape.back() % Blocks::kSize == 0 && data.size() % kBytes == 0 &&
                   data.size() / kBytes == blocks,
               "its shape is no whole blocks of ", Blocks::kSize, ", or not those of its ",
               data.size(), " bytes");
  MutableTensor numbers(DatumType::i4, shape);
  shape.back() /= Blocks::kSize;
  MutableTensor scales(DatumType::f16, shape);
  for (std::size_t block = 0; block < blocks; ++block) {
    const Bytes from = data.subspan(block * kBytes, kBytes);
    std::memcpy(scales.bytes().data() + block * kScaleBytes, from.data(), kScaleBytes);
    const auto number = [&](std::size_t i) {
      const std::size_t byte = code == kHalves ? i % kNumberBytes : i / 2;
      const bool is_high = code == kHalves ? i >= kNumberBytes : i % 2 == 1;
      return from[kScaleBytes + byte] >> (is_high ? 4 : 0) & std::byte{0xF};
    };
    // A number n is stored as n + 8, which is n in i4 once its highest bit is turned.
    for (std::size_t i = 0; i < kNumberBytes; ++i)
      numbers.bytes()[block * kNumberBytes + i] =
          (number(2 * i) | number(2 * i + 1) << 4) ^ std::byte{0x88};
  }
  return Blocks{std::move(numbers).freeze(), cast(std::move(scales).freeze(), DatumType::f32)};
}

}  // namespace strata::opl
