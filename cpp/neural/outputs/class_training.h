// The objectives of a class-factored or full softmax, and the layer for Python.
#pragma once

#include "bindings.h"
#include "outputs/class_likelihood.h"
#include "outputs/class_nce.h"

namespace nlmt::neural {

template <class Real>
std::unique_ptr<Objective<Real>> ClassOutput<Real>::objective(const ObjectiveSettings& settings,
                                                              const StepSettings& steps) {
  if (settings.name == "likelihood") {
    return std::make_unique<ClassLikelihood<Real>>(*this, steps, settings.alpha);
  }
  return std::make_unique<ClassNce<Real>>(*this, steps,
                                          ClassNoise(classes, settings.noise, settings.counts));
}

template <class Real>
void bind_class_output(nb::module_& m, const std::string& bits) {
  using Bound = ClassOutput<Real>;
  nb::class_<Bound, Output<Real>>(m, ("ClassOutput" + bits).c_str())
      .def(
          "__init__",
          [](Bound* self, Array<int32_t, 1> classes, int64_t class_count, int64_t dim, bool flat) {
            check(classes.shape(0) > 0 && class_count > 0 && dim > 0);
            new (self) Bound(classes.data(), static_cast<int64_t>(classes.shape(0)), class_count,
                             dim, flat);
          },
          "classes"_a, "class_count"_a, "dim"_a, "flat"_a);
}

}  // namespace nlmt::neural
