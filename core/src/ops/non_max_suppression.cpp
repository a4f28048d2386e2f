#include "strata/core/ops/non_max_suppression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <optional>

#include "ops/operand_kinds.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

struct Box {
  float x1, y1, x2, y2;
  float area = (x2 - x1) * (y2 - y1);
};

Box read_box(const float* b, bool by_centre) {
  if (by_centre) return {b[0] - b[2] / 2, b[1] - b[3] / 2, b[0] + b[2] / 2, b[1] + b[3] / 2};
  return {std::min(b[1], b[3]), std::min(b[0], b[2]), std::max(b[1], b[3]), std::max(b[0], b[2])};
}

bool meet(const Box& a, const Box& b) {
  return std::min(a.x2, b.x2) > std::max(a.x1, b.x1) && std::min(a.y2, b.y2) > std::max(a.y1, b.y1);
}

/// Whether intersection over union of boxes that meet is above the threshold.
bool overlap(const Box& a, const Box& b, float threshold) {
  const float shared =
      (std::min(a.x2, b.x2) - std::max(a.x1, b.x1)) * (std::min(a.y2, b.y2) - std::max(a.y1, b.y1));
  return shared / (a.area + b.area - shared) > threshold;
}

struct Thresholds {
  std::int64_t most;
  float iou;
  float score;
};

bool any_overlaps(const std::vector<Box>& kept, const Box& box, float iou) {
  return std::ranges::any_of(
      kept, [&](const Box& each) { return meet(each, box) && overlap(each, box, iou); });
}

/// The boxes of an item, read when they are asked for.
class Boxes {
 public:
  Boxes(const float* numbers, std::int64_t count, bool by_centre)
      : numbers_(numbers), count_(count), by_centre_(by_centre) {}
  std::int64_t count() const { return count_; }
  Box operator[](std::int64_t i) const { return read_box(numbers_ + i * 4, by_centre_); }

 private:
  const float* numbers_;
  std::int64_t count_;
  bool by_centre_;
};

float centre(const Box& box) { return (box.x1 + box.x2) / 2; }

/// Boxes in strips of the x axis, by their centres. Two that overlap by more than a part t of their
/// union meet, and neither is wider than the other's width / t: both lie near.
class Strips {
 public:
  /// For some `count` of the boxes.
  Strips(const Boxes& boxes, std::size_t count, float iou)
      : iou_(iou), strips_(std::clamp<std::size_t>(count / 16, 1, 1024)) {
    float low = HUGE_VALF, high = -HUGE_VALF;
    for (std::int64_t i = 0; i < boxes.count(); ++i) {
      const float at = centre(boxes[i]);
      low = std::min(low, at);
      high = std::max(high, at);
    }
    low_ = low;
    per_unit_ = static_cast<float>(strips_.size()) / (high - low);
  }

  void add(const Box& box) {
    strips_[static_cast<std::size_t>(strip_at(centre(box)))].push_back(box);
  }

  bool any_overlaps(const Box& box) const {
    if (!(box.x2 > box.x1)) return false;
    const auto begin = strips_.begin();
    return std::any_of(begin + first_near(box), begin + last_near(box) + 1,
                       [&](const auto& strip) { return strata::any_overlaps(strip, box, iou_); });
  }

 private:
  float reach(const Box& box) const {
    return iou_ > 0 ? (box.x2 - box.x1) * (1 + 1 / iou_) / 2 : HUGE_VALF;
  }
  /// One strip more to either side is for what rounding moves.
  std::ptrdiff_t first_near(const Box& box) const {
    return std::max<std::ptrdiff_t>(strip_at(centre(box) - reach(box)) - 1, 0);
  }
  std::ptrdiff_t last_near(const Box& box) const {
    return std::min(strip_at(centre(box) + reach(box)) + 1, std::ssize(strips_) - 1);
  }
  /// Boxes at places that are no numbers overlap none, in whichever strip they are.
  std::ptrdiff_t strip_at(float x) const {
    const float at = (x - low_) * per_unit_;
    const std::ptrdiff_t last = std::ssize(strips_) - 1;
    if (!(at > 0)) return 0;
    return at < static_cast<float>(last) ? static_cast<std::ptrdiff_t>(at) : last;
  }

  float iou_;
  std::vector<std::vector<Box>> strips_;
  float low_ = 0;
  float per_unit_ = 0;
};

/// The boxes that are picked so far: in a row, and in strips once they are many.
class Picked {
 public:
  Picked(const Boxes& boxes, std::size_t candidates, float iou)
      : boxes_(boxes), candidates_(candidates), iou_(iou) {}

  bool any_overlaps(const Box& box) const {
    return strips_ ? strips_->any_overlaps(box) : strata::any_overlaps(row_, box, iou_);
  }
  void add(const Box& box) {
    constexpr std::size_t kRow = 128;
    if (strips_) return strips_->add(box);
    row_.push_back(box);
    if (row_.size() < kRow) return;
    strips_.emplace(boxes_, candidates_, iou_);
    for (const Box& each : row_) strips_->add(each);
  }

 private:
  const Boxes& boxes_;
  std::size_t candidates_;
  float iou_;
  std::vector<Box> row_;
  std::optional<Strips> strips_;
};

/// A box and its score as one number, the greater the better: the score's bits, changed so that
/// they order as the score does, and then the box counted from the end, since the first box is the
/// better one of two with equal scores.
struct Candidate {
  std::uint64_t key;

  Candidate(float score, std::int64_t box) {
    constexpr std::uint32_t kSign = 0x80000000;
    const auto bits = std::bit_cast<std::uint32_t>(score + 0.0f);  // -0 is 0
    const std::uint32_t ordered = (bits & kSign) != 0 ? ~bits : bits | kSign;
    key = std::uint64_t{ordered} << 32 | ~static_cast<std::uint32_t>(box);
  }
  std::int64_t box() const { return ~static_cast<std::uint32_t>(key); }
  bool operator<(const Candidate& other) const { return key < other.key; }
};

/// The boxes picked for one class, best first.
std::vector<std::int64_t> pick(const Boxes& boxes, const float* scores, const Thresholds& t) {
  std::vector<Candidate> candidates;
  candidates.reserve(static_cast<std::size_t>(boxes.count()));
  for (std::int64_t i = 0; i < boxes.count(); ++i)
    if (scores[i] > t.score) candidates.emplace_back(scores[i], i);
  std::make_heap(candidates.begin(), candidates.end());  // not sorted: most are never looked at
  std::vector<std::int64_t> out;
  Picked picked(boxes, candidates.size(), t.iou);
  for (; !candidates.empty() && std::ssize(out) < t.most; candidates.pop_back()) {
    std::pop_heap(candidates.begin(), candidates.end());
    const std::int64_t each = candidates.back().box();
    const Box box = boxes[each];
    if (picked.any_overlaps(box)) continue;
    out.push_back(each);
    picked.add(box);
  }
  return out;
}

}  // namespace

FactList NonMaxSuppression::output_facts(Facts in) const {
  check_arity("(C1) NonMaxSuppression", in, 5, 5);
  const ShapeFact &boxes = in[0].shape, &scores = in[1].shape;
  for (std::size_t i = 0; i < 2; ++i)
    check(in[i].dtype == DatumType::f32 && may_have_rank(in[i].shape, 3), "(C2) ", in[i],
          " is no f32 of rank 3");
  for (std::size_t i = 2; i < in.size(); ++i)
    check(in[i].dtype == (i == 2 ? DatumType::i64 : DatumType::f32) && may_be_single(in[i].shape),
          "(C2) a limit is ", in[i]);
  if (boxes.is_known()) check(may_be_equal(boxes[2], 4), "(C3) boxes of shape ", boxes);
  if (boxes.is_known() && scores.is_known())
    check(may_be_equal(boxes[0], scores[0]) && may_be_equal(boxes[1], scores[2]),
          "(C3) boxes of shape ", boxes, " for scores of shape ", scores);
  return {Fact::tensor(DatumType::i64, std::vector<Dim>{fresh_dim(), 3})};
}

TensorList NonMaxSuppression::eval(Tensors in) const {
  const Shape &b = in[0].shape(), &s = in[1].shape();
  check_data(b.size() == 3 && s.size() == 3 && b[0] == s[0] && b[1] == s[2] && b[2] == 4,
             "(C3) boxes of shape ", Span(b), " for scores of shape ", Span(s));
  check_data(b[1] <= UINT32_MAX, "(C3) ", b[1], " boxes are too many to count in 32 bits");
  const Thresholds thresholds{in[2].item<std::int64_t>(), in[3].item<float>(), in[4].item<float>()};
  std::vector<std::int64_t> out;
  for (std::int64_t n = 0; n < s[0]; ++n) {
    const Boxes boxes(in[0].as<float>().data() + n * b[1] * 4, b[1], by_centre);
    for (std::int64_t c = 0; c < s[1]; ++c)
      for (const std::int64_t i :
           pick(boxes, in[1].as<float>().data() + (n * s[1] + c) * s[2], thresholds))
        out.insert(out.end(), {n, c, i});
  }
  return {Tensor::of<std::int64_t>({static_cast<std::int64_t>(out.size() / 3), 3},
                                   std::span<const std::int64_t>(out))};
}

}  // namespace strata
