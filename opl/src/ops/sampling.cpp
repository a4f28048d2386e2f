#include "ops/all.h"
#include "ops/support.h"
#include "strata/core/ops/grid_sample.h"
#include "strata/core/ops/resize.h"

// Ops that read an image at places between its elements.

namespace strata::opl {
namespace {

/// Whether tract's core knows this way of resizing; its other ways are those of an importer.
bool is_of_tracts_core(const Resize& op) {
  const bool known_rounding = op.mode != ResizeMode::nearest || op.nearest == NearestMode::floor ||
                              op.nearest == NearestMode::round_prefer_ceil;
  const bool known_kernel = op.mode != ResizeMode::cubic || op.cubic_a == -0.75;
  return known_rounding && known_kernel && !op.exclude_outside && !op.antialias &&
         op.coordinates != ResizeCoordinates::tf_crop_and_resize &&
         op.aspect_ratio == AspectRatio::stretch;
}

Standard write_resize(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<Resize>();
  const auto rank = input_rank(node, 0);
  const bool takes_all_axes = !op.axes || (rank && *op.axes == sequence_of(0, *rank));
  if (!is_of_tracts_core(op) || !takes_all_axes || node.input_fact(0).dtype != DatumType::f32)
    return std::nullopt;
  const bool by_sizes = node.input_fact(1).dtype == DatumType::i64;
  const NearestMode nearest = op.mode == ResizeMode::nearest ? op.nearest : NearestMode::floor;
  return call("tract_core_resize", {positional(writer.input(node, 0)),
                                    named(by_sizes ? "sizes" : "scales", writer.input(node, 1)),
                                    named("coord_transformer", enumerator(op.coordinates)),
                                    named("interpolator", enumerator(op.mode)),
                                    named("nearest_mode", enumerator(nearest))});
}

Resize resize_of(const Invocation& call) {
  Resize op;
  op.coordinates = call.choice("coord_transformer", ResizeCoordinates::half_pixel);
  op.mode = call.choice("interpolator", ResizeMode::nearest);
  op.nearest = call.choice("nearest_mode", NearestMode::floor);
  return op;
}

OutletIds read_core_resize(Invocation& call) {
  const bool by_scales = call.has_tensor("scales");
  if (by_scales == call.has_tensor("sizes")) call.fail("either scales or sizes must be given");
  const std::string_view name = by_scales ? "scales" : "sizes";
  const DatumType type =
      by_scales ? DatumType::f32 : DatumType::i64;  // which tells the op what they are
  return call.make(resize_of(call),
                   {call.wire("input"), as_type(call, name, call.wire(name, type), type)});
}

OutletIds read_onnx_resize(Invocation& call) {
  Resize op = resize_of(call);
  op.cubic_a = call.number("cubic_coeff_a", -0.75);
  op.exclude_outside = call.logical("exclude_outside", false);
  op.antialias = call.logical("antialias", false);
  op.extrapolation = call.number("extrapolation_value", 0);
  OutletIds inputs{call.wire("input"), call.wire("scales", DatumType::f32)};
  if (call.has_tensor("roi")) inputs.push_back(call.wire("roi", DatumType::f32));
  return call.make(op, inputs);
}

/// Makes the last axes `factor` times as long.
OutletIds upsampled(Invocation& call, const Resize& op) {
  const OutletId input = call.wire("input");
  const Shape factors = call.integers("factor");
  const std::size_t rank = call.rank(input);
  if (factors.size() > rank) call.fail(cat(factors.size(), " factors for ", rank, " axes"));
  std::vector<float> scales(rank, 1);
  std::copy(factors.begin(), factors.end(),
            scales.end() - static_cast<std::ptrdiff_t>(factors.size()));
  return call.make(op, {input, call.constant("scales", Tensor::vector<float>(scales))});
}

OutletIds read_nearest_upsample(Invocation& call) {
  Resize op{ResizeMode::nearest, ResizeCoordinates::asymmetric};
  op.nearest = NearestMode::floor;
  return upsampled(call, op);
}

OutletIds read_multilinear_upsample(Invocation& call) {
  const std::string method = call.string("method", "symmetric");
  const std::string border = call.string("border", "replicate");
  Resize op{ResizeMode::linear};
  if (method == "aligned")
    op.coordinates = ResizeCoordinates::align_corners;
  else if (method == "asymmetric")
    op.coordinates = ResizeCoordinates::asymmetric;
  else if (method != "symmetric")
    call.fail(cat("the method must be symmetric, asymmetric or aligned, not ", in_quotes(method)));
  if (border != "replicate") call.unsupported(cat("the border ", in_quotes(border)));
  return upsampled(call, op);
}

/// tract says bilinear where ONNX has linear since version 20.
std::string_view tracts_name(GridMode mode) {
  return mode == GridMode::linear ? "bilinear" : name_of(mode);
}

Standard write_grid_sample(const NodeView& node, GraphWriter& writer) {
  const auto& op = *node.op().as<GridSample>();
  if (op.mode == GridMode::cubic || node.input_fact(0).dtype != DatumType::f32) return std::nullopt;
  return call("tract_core_grid_sample",
              {positional(writer.input(node, 0)), positional(writer.input(node, 1)),
               named("mode", string(std::string(tracts_name(op.mode)))),
               named("padding_mode", enumerator(op.padding)),
               named("align_corners", logical(op.align_corners))});
}

OutletIds read_grid_sample(Invocation& call) {
  GridSample op;
  const std::string mode = call.string("mode", "bilinear");
  if (mode == "bicubic")
    op.mode = GridMode::cubic;
  else if (mode != "bilinear")
    op.mode = call.choice("mode", GridMode::linear);
  op.padding = call.choice("padding_mode", GridPadding::zeros);
  op.align_corners = call.logical("align_corners", false);
  return call.make(op, {call.wire("input"), call.wire("grid")});
}

}  // namespace

void register_sampling(Writers& writers) {
  writers.add("Resize", write_resize);
  writers.add("GridSample", write_grid_sample);
}

void register_sampling(Readers& readers) {
  constexpr std::string_view kGrid = "input, grid, mode, padding_mode, align_corners";
  readers.add("tract_core_resize",
              "input, scales, sizes, coord_transformer, interpolator, nearest_mode",
              read_core_resize);
  readers.add("tract_onnx_resize",
              "input, scales, roi, coord_transformer, interpolator, nearest_mode, cubic_coeff_a, "
              "exclude_outside, antialias, extrapolation_value",
              read_onnx_resize);
  readers.add("nearest_upsample", "input, factor", read_nearest_upsample);
  readers.add("multilinear_upsample", "input, factor, method, border", read_multilinear_upsample);
  readers.add("tract_core_grid_sample", kGrid, read_grid_sample);
  readers.add("tract_onnx_grid_sample", kGrid, read_grid_sample);
}

}  // namespace strata::opl
