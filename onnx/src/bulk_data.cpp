#include "bulk_data.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace strata::onnx {
namespace {

enum class Message { model, training, graph, node, attribute, function, sparse, tensor };

/// A field that holds a message.
struct Child {
  Message of;
  std::uint32_t field;
  Message message;
  bool may_repeat = true;
};

/// All fields that lead to tensors.
constexpr std::array kChildren = {
    Child{Message::model, 7, Message::graph},
    Child{Message::model, 20, Message::training},
    Child{Message::model, 25, Message::function},
    Child{Message::training, 1, Message::graph},
    Child{Message::training, 2, Message::graph},
    Child{Message::graph, 1, Message::node},
    Child{Message::graph, 5, Message::tensor},
    Child{Message::graph, 15, Message::sparse},
    Child{Message::node, 5, Message::attribute},
    Child{Message::attribute, 5, Message::tensor, false},
    Child{Message::attribute, 6, Message::graph},
    Child{Message::attribute, 10, Message::tensor},
    Child{Message::attribute, 11, Message::graph},
    Child{Message::attribute, 22, Message::sparse, false},
    Child{Message::attribute, 23, Message::sparse},
    Child{Message::function, 7, Message::node},
    Child{Message::function, 11, Message::attribute},
    Child{Message::sparse, 1, Message::tensor, false},
    Child{Message::sparse, 2, Message::tensor, false},
};
constexpr std::uint32_t kSegment = 3, kRawData = 9;  // of a tensor

constexpr std::size_t kMessages = 8, kFields = 26;

/// Places in that list by message and field, from 1; 0 for other fields.
constexpr auto kPlaces = [] {
  std::array<std::array<std::uint8_t, kFields>, kMessages> places{};
  for (std::size_t i = 0; i < kChildren.size(); ++i)
    places[static_cast<std::size_t>(kChildren[i].of)][kChildren[i].field] = i + 1;
  return places;
}();
constexpr int kNesting = 200;

/// The file is not one to be taken apart.
struct Declined {};

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
  return out;
}

std::string segment(std::size_t begin, std::size_t end) {
  const std::string content = "\x08" + varint(begin) + "\x10" + varint(end);
  return "\x1a" + varint(content.size()) + content;
}

/// Finds what to change in a file so that its large raw data is left out.
class Scan {
 public:
  explicit Scan(std::string_view file) : file_(file) { message(Message::model, file.size(), 0); }

  /// All large raw data.
  const std::vector<Stretch>& taken() const { return taken_; }
  std::string changed() const {
    std::size_t size = file_.size();
    for (const Change& change : changes_) size -= change.saved();
    std::string out;
    out.reserve(size);
    std::size_t at = 0;
    for (const Change& change : changes_) {
      out += file_.substr(at, change.begin - at);
      out += change.text;
      at = change.end;
    }
    out += file_.substr(at);
    return out;
  }

 private:
  /// What takes the place of the bytes [begin, end).
  struct Change {
    std::size_t begin;
    std::size_t end;
    std::string text;
    std::size_t saved() const { return end - begin - text.size(); }  // wraps where it is more
  };

  std::uint64_t read_varint(std::size_t end) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && at_ < end; shift += 7) {
      const auto byte = static_cast<unsigned char>(file_[at_++]);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    throw Declined{};
  }
  std::size_t read_length(std::size_t end) {
    const std::uint64_t length = read_varint(end);
    if (length > end - at_) throw Declined{};
    return static_cast<std::size_t>(length);
  }

  /// Reads the fields up to `end`. Returns the bytes that are saved in them.
  std::size_t message(Message kind, std::size_t end, int depth) {
    if (depth > kNesting) throw Declined{};
    std::size_t saved = 0;
    std::uint32_t seen = 0;  // fields of this message that may come once
    while (at_ < end) {
      const std::size_t begin = at_;
      const std::uint64_t tag = read_varint(end);
      if (tag > UINT32_MAX) throw Declined{};  // the parser ignores some of the bits
      const auto field = static_cast<std::uint32_t>(tag >> 3);
      if (tag % 8 != 2) {
        skip(tag % 8, end);
      } else if (const Child* child = child_of(kind, field)) {
        if (!child->may_repeat) check_once(field, seen);
        saved += inner(child->message, end, depth);
      } else {
        const std::size_t length = read_length(end);
        at_ += length;
        if (kind == Message::tensor) saved += tensor_field(field, begin, length, seen);
      }
    }
    return saved;
  }

  /// Reads a message within another, from its length on.
  std::size_t inner(Message kind, std::size_t end, int depth) {
    const std::size_t begin = at_, length = read_length(end), place = changes_.size();
    if (length < kBulkBytes) {
      at_ += length;
      return 0;
    }
    changes_.push_back({begin, at_, {}});
    const std::size_t saved = message(kind, at_ + length, depth + 1);
    if (changes_.size() == place + 1) {
      changes_.pop_back();
      return 0;
    }
    changes_[place].text = varint(length - saved);
    return saved + changes_[place].saved();
  }

  std::size_t tensor_field(std::uint32_t field, std::size_t begin, std::size_t length,
                           std::uint32_t& seen) {
    if (field == kSegment) throw Declined{};
    if (field != kRawData) return 0;
    check_once(field, seen);
    if (length < kBulkBytes) return 0;
    taken_.push_back({at_ - length, at_});
    changes_.push_back({begin, at_, segment(at_ - length, at_)});
    return changes_.back().saved();
  }

  void skip(std::uint64_t wire_type, std::size_t end) {
    constexpr std::uint64_t kVarint = 0, kFixed64 = 1, kFixed32 = 5;
    if (wire_type == kVarint) {
      read_varint(end);
      return;
    }
    if (wire_type != kFixed64 && wire_type != kFixed32) throw Declined{};
    const std::size_t size = wire_type == kFixed64 ? 8 : 4;
    if (end - at_ < size) throw Declined{};
    at_ += size;
  }

  static const Child* child_of(Message kind, std::uint32_t field) {
    if (field >= kFields) return nullptr;
    const std::size_t place = kPlaces[static_cast<std::size_t>(kind)][field];
    return place == 0 ? nullptr : &kChildren[place - 1];
  }
  /// Of two the parser makes one, in ways that are left to it.
  static void check_once(std::uint32_t field, std::uint32_t& seen) {
    if ((seen >> field & 1) != 0) throw Declined{};
    seen |= 1U << field;
  }

  std::string_view file_;
  std::size_t at_ = 0;
  std::vector<Change> changes_;
  std::vector<Stretch> taken_;
};

}  // namespace

std::optional<SlimModel> without_bulk_data(std::span<const std::byte> file) {
  try {
    const Scan scan({reinterpret_cast<const char*>(file.data()), file.size()});
    if (scan.taken().empty()) return std::nullopt;
    return SlimModel{scan.changed(), scan.taken()};
  } catch (const Declined&) {
    return std::nullopt;
  }
}

}  // namespace strata::onnx
