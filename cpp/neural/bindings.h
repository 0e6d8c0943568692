// Common parts of all networks' bindings: parameters by name, objectives, optimisers' memories.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "arrays.h"
#include "outputs/output_layer.h"

namespace nlmt::neural {

template <class Real>
void copy_in(const Parameter<Real>& parameter, Matrix<Real>& to, Array<Real, 2> from) {
  check(static_cast<int64_t>(from.shape(0)) == to.rows &&
        static_cast<int64_t>(from.shape(1)) == to.columns);
  parameter.copy_in(from.data(), to);
}

template <class Real>
nb::ndarray<nb::numpy, Real> copy_out(const Parameter<Real>& parameter, const Matrix<Real>& from) {
  std::unique_ptr<Real[]> data(new Real[std::max<int64_t>(1, from.rows * from.columns)]);
  parameter.copy_out(from, data.get());
  return give(std::move(data), {static_cast<size_t>(from.rows), static_cast<size_t>(from.columns)});
}

// The values of a layer's parameters by name.
template <class Real, class Bound>
void bind_parameters(nb::class_<Bound>& layer) {
  layer
      .def(
          "set",
          [](Bound& self, const std::string& name, Array<Real, 2> values) {
            Parameter<Real>& parameter = self.parameters[self.find(name)];
            copy_in<Real>(parameter, parameter.values, values);
          },
          "name"_a, "values"_a)
      .def(
          "get",
          [](const Bound& self, const std::string& name) {
            const Parameter<Real>& parameter = self.parameters[self.find(name)];
            return copy_out<Real>(parameter, parameter.values);
          },
          "name"_a);
}

// Rows of `side` numbers, and the row beside each of n words; both are unused if there are no
// numbers.
template <class Real>
void check_vectors(Array<Real, 2> vectors, const int32_t* of, size_t given, int64_t n,
                   int64_t side) {
  if (side == 0) return;
  check(static_cast<int64_t>(vectors.shape(1)) == side && static_cast<int64_t>(given) == n);
  for (size_t i = 0; i < given; ++i) {
    check(of[i] >= 0 && static_cast<size_t>(of[i]) < vectors.shape(0), "vector out of range");
  }
}

// `decay` is that of one example, `counts` are those of each word as a target in an epoch.
inline StepSettings step_settings(const std::string& optimiser, double clip, double decay,
                                  Array<double, 1> counts) {
  const double examples = std::accumulate(counts.data(), counts.data() + counts.size(), 0.0);
  check(clip > 0 && decay >= 0 && examples > 0);
  return {rule_named(optimiser), clip, decay, examples};
}

template <class Real>
std::unique_ptr<Objective<Real>> make_objective(Output<Real>& output, const StepSettings& steps,
                                                const std::string& objective, double alpha,
                                                int noise, Array<double, 1> counts) {
  check(static_cast<int64_t>(counts.shape(0)) == output.words && noise >= 1 && alpha >= 0);
  check(objective == "nce" || objective == "likelihood", "unknown objective");
  return output.objective({objective, alpha, noise, counts.data()}, steps);
}

// An optimiser's memory of a parameter: ("squares" or "moments", name).
template <class Real>
std::pair<const Parameter<Real>*, Matrix<Real>*> state_named(
    const std::vector<Trained<Real>>& layers, const std::string& state, const std::string& name) {
  check(state == "squares" || state == "moments", "unknown state");
  for (const auto& [layer, optimiser] : layers) {
    for (std::size_t p = 0; p < layer->parameters.size(); ++p) {
      if (layer->parameters[p].name != name) continue;
      return {&layer->parameters[p],
              &(state == "squares" ? optimiser->squares : optimiser->moments)[p]};
    }
  }
  throw std::invalid_argument("unknown part " + name);
}

// Gets and sets memories, and rehearses, for a learner with `trained()` and `team()`.
template <class Real, class Learner>
void bind_states(nb::class_<Learner>& learner) {
  learner
      .def(
          "set",
          [](Learner& self, const std::string& state, const std::string& name,
             Array<Real, 2> values) {
            const auto [parameter, to] = state_named<Real>(self.trained(), state, name);
            copy_in<Real>(*parameter, *to, values);
          },
          "state"_a, "name"_a, "values"_a)
      .def(
          "get",
          [](Learner& self, const std::string& state, const std::string& name) {
            const auto [parameter, from] = state_named<Real>(self.trained(), state, name);
            return copy_out<Real>(*parameter, *from);
          },
          "state"_a, "name"_a)
      .def("rehearse", [](Learner& self) {
        const Rehearsal counted = self.team().rehearse();
        return std::tuple(counted.rounds, counted.tasks, counted.dealt);
      });
}

}  // namespace nlmt::neural
