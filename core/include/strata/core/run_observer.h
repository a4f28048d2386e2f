#pragma once

#include <span>

#include "strata/core/kernel_io.h"
#include "strata/core/typed_model.h"

namespace strata {

/// Is notified of what the runs of a session do, node by node, on the thread that calls `run`;
/// profiles are made in this way. It must not throw, and its time adds to that of the run.
///
/// A node is one of the plan that runs: of the lowered model, or of the model specialised for the
/// present shapes. It lives as long as the session. Ops that only reshape a value are left out.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// A node begins; the nodes of its bodies follow before it ends.
  virtual void begin(const TypedNode& node) = 0;
  /// The node that began last, and has not ended yet, ends; not called when it fails. The views
  /// have types and shapes; a value other than a tensor has no elements here.
  virtual void end(const TypedNode& node, std::span<const TensorView> inputs,
                   std::span<const MutableTensorView> outputs) = 0;
  /// The last loop begun that has not ended yet starts an iteration.
  virtual void iteration() = 0;
};

}  // namespace strata
