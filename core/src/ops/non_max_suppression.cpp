#include "strata/core/ops/non_max_suppression.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

float centre(const Box& box) { return (box.x1 + box.x2) / 2; }

/// The boxes of an item, and between which places along the x axis their centres are.
struct Boxes {
  std::vector<Box> all;
  float low = HUGE_VALF, high = -HUGE_VALF;

  void add(const Box& box) {
    all.push_back(box);
    low = std::min(low, centre(box)), high = std::max(high, centre(box));
  }
};

/// Boxes in strips of the x axis, by their centres. Two that overlap by more than a part t of their
/// union meet, and neither is wider than the other's width / t: both lie near.
class Strips {
 public:
  /// For some `count` of the boxes.
  Strips(const Boxes& boxes, std::size_t count, float iou)
      : iou_(iou),
        low_(boxes.low),
        strips_(std::clamp<std::size_t>(count / 16, 1, 1024)),
        per_unit_(static_cast<float>(strips_.size()) / (boxes.high - low_)) {}

  void add(const Box& box) {
    strips_[static_cast<std::size_t>(strip_at(centre(box)))].push_back(box);
  }

  bool any_overlaps(const Box& box) const {
    if (!(box.x2 > box.x1)) return false;
    const auto begin = strips_.begin();
    return std::any_of(begin + first_near(box), begin + last_near(box) + 1, [&](const auto& strip) {
      return std::any_of(strip.begin(), strip.end(), [&](const Box& each) {
        return meet(each, box) && overlap(each, box, iou_);
      });
    });
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
  float low_;
  std::vector<std::vector<Box>> strips_;
  float per_unit_;
};

struct Candidate {
  float score;
  std::int64_t box;
  /// Whether the other one is better; of equal scores the first box is.
  bool operator<(const Candidate& other) const {
    return score != other.score ? score < other.score : box > other.box;
  }
};

/// The boxes picked for one class, best first.
std::vector<std::int64_t> pick(const Boxes& boxes, const float* scores, const Thresholds& t) {
  std::vector<Candidate> candidates(boxes.all.size());
  std::size_t count = 0;
  for (std::int64_t i = 0; i < std::ssize(boxes.all); ++i) {
    candidates[count] = {scores[i], i};
    count += scores[i] > t.score ? 1 : 0;
  }
  candidates.resize(count);
  std::make_heap(candidates.begin(), candidates.end());  // most are seldom looked at
  std::vector<std::int64_t> picked;
  Strips kept(boxes, candidates.size(), t.iou);
  for (; !candidates.empty() && std::ssize(picked) < t.most; candidates.pop_back()) {
    std::pop_heap(candidates.begin(), candidates.end());
    const std::int64_t each = candidates.back().box;
    const Box& box = boxes.all[static_cast<std::size_t>(each)];
    if (kept.any_overlaps(box)) continue;
    picked.push_back(each);
    kept.add(box);
  }
  return picked;
}

}  // namespace

FactList NonMaxSuppression::output_facts(Facts in) const {
  check(in.size() == 5, "(C1) NonMaxSuppression takes 5 inputs, ", in.size(), " given");
  const ShapeFact &boxes = in[0].shape, &scores = in[1].shape;
  for (std::size_t i = 0; i < 2; ++i)
    check(in[i].dtype == DatumType::f32 && (in[i].shape.is_open() || in[i].shape.rank() == 3),
          "(C2) ", in[i], " is no f32 of rank 3");
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
  const Thresholds thresholds{in[2].item<std::int64_t>(), in[3].item<float>(), in[4].item<float>()};
  std::vector<std::int64_t> out;
  for (std::int64_t n = 0; n < s[0]; ++n) {
    Boxes boxes;
    boxes.all.reserve(static_cast<std::size_t>(b[1]));
    for (std::int64_t i = 0; i < b[1]; ++i)
      boxes.add(read_box(in[0].as<float>().data() + (n * b[1] + i) * 4, by_centre));
    for (std::int64_t c = 0; c < s[1]; ++c)
      for (const std::int64_t i :
           pick(boxes, in[1].as<float>().data() + (n * s[1] + c) * s[2], thresholds))
        out.insert(out.end(), {n, c, i});
  }
  return {Tensor::of<std::int64_t>({static_cast<std::int64_t>(out.size() / 3), 3},
                                   std::span<const std::int64_t>(out))};
}

}  // namespace strata
