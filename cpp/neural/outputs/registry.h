// The compiled output layers: a header each with the layer, and one with its objectives and its
// class for Python. A further one is a line here.
#pragma once

#include "outputs/class_training.h"
#include "outputs/tree_training.h"

namespace nlmt::neural {

template <class Real>
void bind_outputs(nb::module_& m, const std::string& bits) {
  bind_class_output<Real>(m, bits);
  bind_tree_output<Real>(m, bits);
}

}  // namespace nlmt::neural
