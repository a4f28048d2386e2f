#include "strata/core/ops/label_encoder.h"

#include <map>

#include "ops/ordering.h"
#include "strata/core/ops/support.h"

namespace strata {
namespace {

/// For each element the place of its key, or -1; of equal keys the first counts.
template <class Key>
std::vector<std::int64_t> places_of(std::span<const Key> keys, std::span<const Key> data) {
  std::map<Key, std::int64_t> known;
  std::int64_t next = 0;
  for (const Key& key : keys) known.emplace(key, next++);
  std::vector<std::int64_t> out;
  for (const Key& key : data) {
    const auto found = known.find(key);
    out.push_back(found == known.end() ? -1 : found->second);
  }
  return out;
}

}  // namespace

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
  const auto places = keys.dtype() == DatumType::string
                          ? places_of<std::string>(keys.as<std::string>(), in[0].as<std::string>())
                          : places_of<std::uint64_t>(order_keys(keys), order_keys(in[0]));
  MutableTensor out(values.dtype(), in[0].shape());
  visit_storage(values.dtype(), [&]<class T>(TypeTag<T>) {
    T* to = out.storage_as<T>().data();
    for (const std::int64_t place : places)
      *to++ = place < 0 ? otherwise.storage_as<T>()[0]
                        : values.storage_as<T>()[static_cast<std::size_t>(place)];
  });
  return {std::move(out).freeze()};
}

}  // namespace strata
