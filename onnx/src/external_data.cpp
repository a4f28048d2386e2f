#include "external_data.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "strata/core/error.h"

namespace strata::onnx {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

std::uint64_t parse_number(Text key, Text text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  check(error == std::errc{} && rest == end, "external data: ", key, ' ', in_quotes(text),
        " is not a number of bytes");
  return value;
}

Place place_of(const TensorProto& proto) {
  Place place;
  for (const auto& entry : proto.external_data) {
    if (entry.key == "location") place.location = entry.value;
    if (entry.key == "offset") place.offset = parse_number("offset", entry.value);
    if (entry.key == "length") place.length = parse_number("length", entry.value);
  }
  check(!place.location.empty(), "external data names no file");
  return place;
}

bool begins_with(const fs::path& path, const fs::path& folder) {
  const auto [at, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return at == folder.end();
}

/// The real path of a file within the folders, links resolved.
fs::path contained(const DataFolders& folders, const std::string& location) {
  const fs::path relative = fs::path(location).lexically_normal();
  const bool climbs = relative.begin() != relative.end() && *relative.begin() == "..";
  check(location.find('\0') == std::string::npos && !relative.is_absolute() && !climbs,
        "external file ", in_quotes(location), " is outside the model's folder");
  std::error_code error;
  const fs::path base = fs::canonical(folders.folder, error);
  require(!error, ErrorKind::file, "cannot read folder ", in_quotes(folders.folder.string()), ": ",
          error.message());
  const fs::path real = fs::canonical(base / relative, error);
  require(!error, ErrorKind::file, "cannot read external file ", in_quotes(location), ": ",
          error.message());
  const bool is_linked = !folders.linked.empty() && begins_with(real, folders.linked);
  check(is_linked || begins_with(real, base), "external file ", in_quotes(location),
        " is a link out of the model's folder");
  return real;
}

}  // namespace

std::shared_ptr<const MappedFile> ExternalData::open(const std::string& location) {
  auto& file = files_[location];
  if (!file) file = std::make_shared<const MappedFile>(contained(folders_, location));
  return file;
}

ExternalBytes ExternalData::read(const TensorProto& proto, std::size_t size) {
  const Place place = place_of(proto);
  require(!folders_.folder.empty(), ErrorKind::file, "external file ", in_quotes(place.location),
          " cannot be looked up: the model has no folder");
  auto file = open(place.location);
  const std::uint64_t available = file->bytes().size();
  check(!place.length || *place.length == size, "external data has ", place.length.value_or(0),
        " bytes, type and shape take ", size);
  check(place.offset <= available && size <= available - place.offset, "external file ",
        in_quotes(place.location), " has ", available, " bytes, the tensor takes ", size, " from ",
        place.offset, " on");
  return {file->bytes().subspan(place.offset, size), file};
}

}  // namespace strata::onnx
