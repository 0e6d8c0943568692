// The compiled parts of models.
#pragma once

#include "networks/attention_bindings.h"
#include "networks/recurrent_bindings.h"
#include "networks/window_bindings.h"
#include "outputs/class_training.h"
#include "outputs/output_bindings.h"
#include "outputs/tree_output.h"

namespace nlmt::neural {

template <class Real>
void bind_parts(nb::module_& m, const std::string& bits) {
  bind_output<Real>(m, bits);
  bind_class_output<Real>(m, bits);
  bind_tree_output<Real>(m, bits);
  bind_window_layers<Real>(m, bits);
  bind_window_trainer<Real>(m, bits);
  bind_recurrent_layers<Real>(m, bits);
  bind_recurrent_trainer<Real>(m, bits);
  bind_attention<Real>(m, bits);
}

// Compiled apart, as this takes long.
void bind_double_parts(nb::module_& m);

}  // namespace nlmt::neural
