#include "profile_text.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "strata/core/text.h"

namespace strata::cli {
namespace {

constexpr std::string_view kNumbersHead = "   time, µs   share   calls  FLOP/s     B/s  of bound  ";

std::string right(const std::string& text, std::size_t width) {
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

/// The numbers in a line of a table, summed over the runs.
struct Totals {
  std::size_t calls = 0;
  double seconds = 0, flops = 0, bytes = 0;
  double least = 0;  ///< least seconds for the work, as far as it is known
};

class Tables {
 public:
  Tables(const ProfiledNode& runs, const MachinePeak& peak, const Style& style)
      : runs_(runs), peak_(peak), style_(style) {}

  std::string ops() const {
    std::map<std::string, Totals> by_op;
    add_ops(runs_, by_op);
    std::vector<std::pair<std::string, Totals>> lines(by_op.begin(), by_op.end());
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
      return a.second.seconds > b.second.seconds;
    });
    std::string out = cat(style_.title(cat(kNumbersHead, "op, without its bodies")), '\n');
    for (const auto& [op, totals] : lines) out += cat(numbers(totals), "  ", style_.op(op), '\n');
    return out;
  }

  std::string nodes() const {
    return cat(style_.title(cat(kNumbersHead, "node, with its bodies")), '\n', nodes_in(runs_, 0));
  }

 private:
  void add_ops(const ProfiledNode& node, std::map<std::string, Totals>& by_op) const {
    Totals& totals = by_op[node.op.empty() ? "between nodes" : node.op];
    totals.calls += node.calls;
    totals.seconds += node.own_seconds();
    totals.flops += node.flops;
    totals.bytes += node.bytes;
    totals.least += own_least(node);
    for (const auto& inner : node.inner) add_ops(*inner, by_op);
  }

  std::string nodes_in(const ProfiledNode& outer, std::size_t depth) const {
    std::string out;
    for (const auto& node : outer.inner) {
      out +=
          cat(numbers({node->calls, node->seconds, node->flops, node->bytes, least(*node)}), "  ",
              std::string(2 * depth, ' '), style_.name(node->name), "  ", style_.op(node->op));
      if (node->iterations > 0)
        out += cat(": ", plain(static_cast<double>(node->iterations) / runs()), " iterations, ",
                   three_digits(node->seconds / static_cast<double>(node->iterations) * 1e6),
                   " µs each");
      out += '\n' + nodes_in(*node, depth + 1);
    }
    return out;
  }

  std::string numbers(const Totals& totals) const {
    const auto rate = [&](double work) {
      return work > 0 && totals.seconds > 0 ? short_number(work / totals.seconds) : std::string();
    };
    return right(three_digits(totals.seconds / runs() * 1e6), 11) +
           right(percent(totals.seconds / runs_.seconds), 8) +
           right(plain(static_cast<double>(totals.calls) / runs()), 8) +
           right(rate(totals.flops), 8) + right(rate(totals.bytes), 8) +
           right(totals.least > 0 ? percent(totals.least / totals.seconds) : std::string(), 10);
  }

  /// The least seconds that a node's own work takes; 0 where its operations are of another kind
  /// than those of the peak.
  double own_least(const ProfiledNode& node) const {
    if (node.calls == 0 || node.bytes == 0 || (node.flops > 0 && !node.is_f32)) return 0;
    const auto calls = static_cast<double>(node.calls);
    return calls * peak_.least_seconds(node.flops / calls, node.bytes / calls);
  }
  /// The same with its bodies.
  double least(const ProfiledNode& node) const {
    double out = own_least(node);
    for (const auto& inner : node.inner) out += least(*inner);
    return out;
  }

  double runs() const { return static_cast<double>(runs_.calls); }

  static std::string percent(double part) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * part);
    return text;
  }

  /// A count for one run, which need not be the same in each.
  static std::string plain(double count) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", count);
    return text;
  }

  const ProfiledNode& runs_;
  const MachinePeak& peak_;
  const Style& style_;
};

}  // namespace

std::string profile_text(const ProfiledNode& runs, std::size_t threads, const MachinePeak& peak,
                         const Style& style) {
  const Tables tables(runs, peak, style);
  const double each = runs.seconds / static_cast<double>(runs.calls);
  return cat("profile of ", counted(runs.calls, "run"), ", ", three_digits(each * 1e6),
             " µs each, on ", counted(threads, "thread"), "\n\n", tables.ops(), '\n',
             tables.nodes());
}

}  // namespace strata::cli
