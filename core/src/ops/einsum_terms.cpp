#include <algorithm>
#include <map>

#include "ops/einsum_labels.h"

namespace strata {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::vector<int> parse_term(std::string_view text, std::string_view equation) {
  std::vector<int> labels;
  while (!text.empty()) {
    if (text.starts_with("...")) {
      check(std::count(labels.begin(), labels.end(), EinsumTerms::kEllipsis) == 0,
            "(C3) a term of ", in_quotes(equation), " has two ellipses");
      labels.push_back(EinsumTerms::kEllipsis);
      text.remove_prefix(3);
    } else {
      check(is_letter(text[0]), "(C3) ", in_quotes(text.substr(0, 1)), " in ", in_quotes(equation),
            " is no label");
      labels.push_back(text[0]);
      text.remove_prefix(1);
    }
  }
  return labels;
}

/// The labels that occur once, sorted, after the ellipsis if there is one.
std::vector<int> implicit_output(const std::vector<std::vector<int>>& inputs) {
  std::map<int, int> counts;
  for (const auto& term : inputs)
    for (const int label : term) ++counts[label];
  std::vector<int> output;
  for (const auto& [label, count] : counts)
    if (count == 1 || label == EinsumTerms::kEllipsis) output.push_back(label);
  return output;
}

}  // namespace

EinsumTerms parse_einsum(std::string_view equation) {
  std::string text(equation);
  std::erase(text, ' ');
  const std::size_t arrow = text.find("->");
  EinsumTerms terms;
  std::string_view left = std::string_view(text).substr(0, arrow);
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = left.find(',');
    terms.inputs.push_back(parse_term(left.substr(0, comma), equation));
    if (comma != std::string_view::npos) left.remove_prefix(comma + 1);
  }
  terms.output = arrow == std::string::npos
                     ? implicit_output(terms.inputs)
                     : parse_term(std::string_view(text).substr(arrow + 2), equation);
  for (const int label : terms.output) {
    const bool known = std::any_of(terms.inputs.begin(), terms.inputs.end(), [&](const auto& term) {
      return std::count(term.begin(), term.end(), label) > 0;
    });
    check(std::count(terms.output.begin(), terms.output.end(), label) == 1 &&
              (known || label == EinsumTerms::kEllipsis),
          "(C6) output labels of ", in_quotes(equation), " do not occur once, or in no input");
  }
  return terms;
}

Labels joined(Labels first, const Labels& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool has_twice(const Labels& labels) {
  return std::ranges::any_of(labels,
                             [&](int label) { return std::ranges::count(labels, label) > 1; });
}

Labels expanded(const Labels& term, std::size_t axes) {
  Labels out;
  for (const int label : term) {
    if (label != EinsumTerms::kEllipsis)
      out.push_back(label);
    else
      for (std::size_t i = axes; i-- > 0;) out.push_back(-1 - static_cast<int>(i));
  }
  return out;
}

PairLabels classify(const Labels& left, const Labels& right, const Labels& kept) {
  PairLabels out;
  const auto add = [](Labels& labels, int label) {
    if (!contains(labels, label)) labels.push_back(label);
  };
  for (const int label : left) {
    const bool is_kept = contains(kept, label);
    if (contains(right, label))
      add(is_kept ? out.batch : out.summed, label);
    else if (is_kept)
      add(out.left, label);
  }
  for (const int label : right)
    if (!contains(left, label) && contains(kept, label)) add(out.right, label);
  return out;
}

}  // namespace strata
