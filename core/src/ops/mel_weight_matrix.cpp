#include "strata/core/ops/mel_weight_matrix.h"

#include <cmath>

#include "strata/core/only_number.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

double mels(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertz(double mels) { return 700 * (std::pow(10, mels / 2595) - 1); }

struct MelBands {
  std::int64_t bands;
  std::int64_t length;
  double rate, low, high;

  /// The spectrum's bin where edge `i` of the triangles lies.
  std::int64_t edge(std::int64_t i) const {
    const double step = (mels(high) - mels(low)) / static_cast<double>(bands + 2);
    const double at = hertz(mels(low) + static_cast<double>(i) * step);
    return static_cast<std::int64_t>(std::floor(static_cast<double>(length + 1) * at / rate));
  }
  std::int64_t bins() const { return length / 2 + 1; }

  /// The weight of a bin in the triangle from `left` over `centre` to `right`.
  static double weight(std::int64_t bin, std::int64_t left, std::int64_t centre,
                       std::int64_t right) {
    if (bin < left || bin > centre + std::max<std::int64_t>(right - centre - 1, 0)) return 0;
    if (bin == centre) return 1;
    return bin < centre ? static_cast<double>(bin - left) / static_cast<double>(centre - left)
                        : static_cast<double>(right - bin) / static_cast<double>(right - centre);
  }
};

}  // namespace

FactList MelWeightMatrix::output_facts(Facts in) const {
  check_arity("(C1) MelWeightMatrix", in, 5, 5);
  for (std::size_t i = 0; i < 5; ++i)
    check(i < 3 ? is_integer(in[i].dtype) : is_float(in[i].dtype), "(C2) input ", i, " is ",
          in[i].dtype);
  const auto size = [&](std::size_t i) {
    const auto known = only_dim(in[i]);
    return known ? *known : fresh_dim();
  };
  return {Fact::tensor(to, std::vector<Dim>{floor_div(size(1), 2) + 1, size(0)})};
}

TensorList MelWeightMatrix::eval(Tensors in) const {
  for (std::size_t i = 0; i < in.size(); ++i)
    check_data(in[i].size() == 1, "(C2) input ", i, " has ", in[i].size(), " elements");
  const MelBands mel{to_integers(in[0])[0], to_integers(in[1])[0], number_at(in[2], 0),
                     number_at(in[3], 0), number_at(in[4], 0)};
  check_data(mel.bands >= 1 && mel.length >= 1 && mel.rate >= 1 && 0 <= mel.low &&
                 mel.low <= mel.high && mel.high <= mel.rate / 2,
             "(C3) ", mel.bands, " bands from ", mel.low, " to ", mel.high, " Hz of ", mel.length,
             " samples at ", mel.rate);
  MutableTensor out(DatumType::f64, {mel.bins(), mel.bands});
  double* weights = out.as<double>().data();
  for (std::int64_t band = 0; band < mel.bands; ++band) {
    const std::int64_t left = mel.edge(band), centre = mel.edge(band + 1),
                       right = mel.edge(band + 2);
    for (std::int64_t bin = 0; bin < mel.bins(); ++bin)
      weights[bin * mel.bands + band] = MelBands::weight(bin, left, centre, right);
  }
  return {cast(std::move(out).freeze(), to)};
}

}  // namespace strata
