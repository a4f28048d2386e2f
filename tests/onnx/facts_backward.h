#pragma once

#include "node_facts.h"

/// Rows of nodes whose inputs learn from what is known of outputs and other inputs.
namespace strata::testing {

struct FactRows : std::vector<FactCase> {
  void add(std::initializer_list<FactCase> rows) { insert(end(), rows); }
  void add(const FactRows& rows) { insert(end(), rows.begin(), rows.end()); }
};

FactRows same_type_rows();
FactRows same_shape_rows();
FactRows one_type_rows();
FactRows product_rows();
FactRows convolution_rows();
FactRows image_rows();

FactRows moving_rows();
FactRows picking_rows();
FactRows reduction_rows();
FactRows normalization_rows();
FactRows layer_rows();
FactRows signal_rows();

FactRows container_rows();
FactRows control_flow_rows();
FactRows text_rows();
FactRows tree_rows();
FactRows feature_rows();
FactRows map_rows();
FactRows training_rows();

FactRows contrib_rows();
FactRows contrib_quantized_rows();

/// All of them.
inline FactRows backward_rows() {
  FactRows out;
  for (const auto& rows : {same_type_rows,        same_shape_rows,    one_type_rows, product_rows,
                           convolution_rows,      image_rows,         moving_rows,   picking_rows,
                           reduction_rows,        normalization_rows, layer_rows,    signal_rows,
                           container_rows,        control_flow_rows,  text_rows,     tree_rows,
                           feature_rows,          map_rows,           training_rows, contrib_rows,
                           contrib_quantized_rows})
    out.add(rows());
  return out;
}

}  // namespace strata::testing
