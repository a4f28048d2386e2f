// The smallest program that deploys OPL: it links core and opl, and nothing that knows ONNX.

#include <cstdio>
#include <exception>

#include "strata/core/session.h"
#include "strata/core/transform.h"
#include "strata/opl/model.h"

namespace {

/// A zero for each element of an input; symbolic sizes count as 1.
strata::Value zeros(const strata::Fact& fact) {
  strata::Shape shape;
  for (const strata::Dim& dim : fact.shape.dims()) shape.push_back(dim.constant().value_or(1));
  return strata::MutableTensor::zeros(fact.dtype, shape);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || argv[1][0] == '-') {
    std::fputs(
        "usage: strata_opl_run MODEL.opl\n\nRuns an OPL model once on zeros and prints its "
        "outputs.\n",
        stderr);
    return 2;
  }
  try {
    strata::TypedModel model = strata::opl::load(argv[1]);
    strata::optimise(model);
    strata::ValueList inputs;
    for (std::size_t i = 0; i < model.inputs().size(); ++i)
      inputs.push_back(zeros(model.input_fact(i)));
    for (const strata::Value& output : strata::run_model(model, inputs))
      std::printf("%s\n", output.to_string().c_str());
    if (std::fflush(stdout) == 0) return 0;
    std::perror("error: cannot write the outputs");
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}
