#pragma once

#include "kernels/impl/blocked_direct.h"
#include "kernels/impl/blocked_window.h"
#include "kernels/impl/conv.h"
#include "kernels/impl/winograd.h"
#include "kernels/impl/winograd_pack.h"

/// Convolution to blocked images by the method that the shape names.
namespace strata::kernels {
namespace {

[[gnu::cold]] Index blocked_weights_size(const BlockedShape& shape) noexcept {
  switch (shape.method) {
    case BlockedMethod::depthwise:
    case BlockedMethod::grouped:
      return depthwise_weights_size(shape.conv);
    case BlockedMethod::winograd2:
    case BlockedMethod::winograd4:
      return winograd_weights_size(shape);
    case BlockedMethod::direct:
      break;
  }
  return direct_weights_size(shape);
}

[[gnu::cold]] void pack_blocked_weights(const BlockedShape& shape, const float* weights,
                                        float* packed) noexcept {
  switch (shape.method) {
    case BlockedMethod::depthwise:
    case BlockedMethod::grouped:
      return pack_depthwise(shape, weights, packed);
    case BlockedMethod::winograd2:
    case BlockedMethod::winograd4:
      return pack_winograd(shape, weights, packed);
    case BlockedMethod::direct:
      break;
  }
  pack_direct(shape, weights, packed);
}

[[gnu::cold]] std::size_t blocked_scratch(const BlockedShape& shape) noexcept {
  switch (shape.method) {
    case BlockedMethod::depthwise:
    case BlockedMethod::grouped:
      return 0;
    case BlockedMethod::winograd2:
    case BlockedMethod::winograd4:
      return winograd_scratch(shape);
    case BlockedMethod::direct:
      break;
  }
  return direct_scratch(shape);
}

[[gnu::cold]] Index blocked_tasks(const BlockedShape& shape) noexcept {
  if (is_empty(shape.conv)) return 0;
  switch (shape.method) {
    case BlockedMethod::depthwise:
    case BlockedMethod::grouped:
      return depthwise_tasks(shape.conv);
    case BlockedMethod::winograd2:
    case BlockedMethod::winograd4:
      return winograd_tasks(shape);
    case BlockedMethod::direct:
      break;
  }
  return direct_tasks(shape);
}

void blocked_conv(const BlockedConv& call, Range tasks, void* scratch) noexcept {
  float* floats = static_cast<float*>(scratch);
  switch (call.shape.method) {
    case BlockedMethod::depthwise:
    case BlockedMethod::grouped:
      return blocked_depthwise(call, tasks);
    case BlockedMethod::winograd2:
    case BlockedMethod::winograd4:
      return winograd_conv(call, tasks, floats);
    case BlockedMethod::direct:
      break;
  }
  direct_conv(call, tasks, floats);
}

}  // namespace
}  // namespace strata::kernels
