#include "strata/core/ops/label_encoder.h"

#include "ops/key_places.h"
#include "strata/core/ops/concat.h"
#include "strata/core/ops/gather.h"
#include "strata/core/ops/support.h"

namespace strata {

/// Behind the values lies what all other keys have.
struct LabelEncoder::Table {
  KeyPlaces places;
  Tensor values;
};

FactList LabelEncoder::output_facts(Facts in) const {
  check_arity(name, in, 1, 1);
  check(in[0].dtype == keys.dtype() && !is_complex(keys.dtype()) && !is_packed(keys.dtype()),
        "(C1) data are ", in[0].dtype, ", keys ", keys.dtype());
  check(keys.size() == values.size(), "(C2) ", keys.size(), " keys and ", values.size(), " values");
  check(otherwise.size() == 1 && otherwise.dtype() == values.dtype(), "(C3) otherwise is ",
        otherwise, " beside ", values.dtype());
  return {Fact::tensor(values.dtype(), in[0].shape)};
}

TensorList LabelEncoder::eval(Tensors in) const {
  const Table& all = table.get([this] {
    const Tensor last = otherwise.reshaped({1});
    return Table{KeyPlaces(keys), Concat{0}.eval(std::vector{values, last})[0]};
  });
  const std::vector<std::int64_t> places = all.places.of(in[0]);  // -1 counts from the end
  const Tensor picks = Tensor::vector<std::int64_t>(places).reshaped(in[0].shape());
  return Gather{0}.eval(std::vector{all.values, picks});
}

}  // namespace strata
