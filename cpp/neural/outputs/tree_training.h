// The objective of a tree-factored output, and the layer for Python.
#pragma once

#include "bindings.h"
#include "outputs/tree_likelihood.h"

namespace nlmt::neural {

template <class Real>
std::unique_ptr<Objective<Real>> TreeOutput<Real>::objective(const ObjectiveSettings& settings,
                                                             const StepSettings& steps) {
  check(settings.name == "likelihood" && settings.alpha == 0, "a tree is trained for likelihood");
  return std::make_unique<TreeLikelihood<Real>>(*this, steps);
}

template <class Real>
void bind_tree_output(nb::module_& m, const std::string& bits) {
  using Bound = TreeOutput<Real>;
  nb::class_<Bound, Output<Real>>(m, ("TreeOutput" + bits).c_str())
      .def(
          "__init__",
          [](Bound* self, Array<int64_t, 1> starts, Array<int32_t, 1> nodes, Array<int8_t, 1> signs,
             int64_t node_count, int64_t dim) {
            check(starts.shape(0) > 1 && nodes.shape(0) == signs.shape(0) && dim > 0);
            new (self) Bound({{starts.data(), starts.data() + starts.size()},
                              {nodes.data(), nodes.data() + nodes.size()},
                              {signs.data(), signs.data() + signs.size()},
                              node_count},
                             node_count, dim);
          },
          "starts"_a, "nodes"_a, "signs"_a, "node_count"_a, "dim"_a);
}

}  // namespace nlmt::neural
