// nlmt.rescoring._risk: minimum Bayes risk over the lists of many sentences.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "bleu_risk.h"

namespace nb = nanobind;

namespace {

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Lets Ctrl-C through.
void poll_signals() {
  nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// That `offsets` run from 0 to `size` and never fall.
void check_offsets(const Vector<int64_t>& offsets, size_t size) {
  bool good = offsets.size() > 0 && offsets(0) == 0 &&
              offsets(offsets.size() - 1) == static_cast<int64_t>(size);
  for (size_t i = 1; good && i < offsets.size(); ++i) good = offsets(i - 1) <= offsets(i);
  if (!good) throw std::invalid_argument("offsets must rise from 0 to the number of rows");
}

// Row of the hypothesis of the least risk in each list, of its `size` best by score.
nb::object least_risk(Vector<uint32_t> ids, Vector<int64_t> offsets, Vector<double> scores,
                      Vector<int64_t> starts, int64_t size) {
  check_offsets(offsets, ids.size());
  check_offsets(starts, scores.size());
  if (offsets.size() != scores.size() + 1) throw std::invalid_argument("one score a hypothesis");
  if (size < 1) throw std::invalid_argument("at least one hypothesis to choose from");
  auto* chosen = new std::vector<int64_t>();
  nb::capsule owner(chosen, [](void* p) noexcept { delete static_cast<std::vector<int64_t>*>(p); });
  {
    nb::gil_scoped_release release;
    for (size_t list = 0; list + 1 < starts.size(); ++list) {
      std::vector<int64_t> rows(static_cast<size_t>(starts(list + 1) - starts(list)));
      if (rows.empty()) throw std::invalid_argument("a list without hypotheses");
      std::iota(rows.begin(), rows.end(), starts(list));
      std::stable_sort(rows.begin(), rows.end(),
                       [&](int64_t a, int64_t b) { return scores(a) > scores(b); });
      if (static_cast<int64_t>(rows.size()) > size) rows.resize(static_cast<size_t>(size));
      nlmt::BleuRisk risk;
      for (const int64_t row : rows) {
        const auto words = static_cast<size_t>(offsets(row + 1) - offsets(row));
        risk.add(ids.data() + offsets(row), words, scores(row));
      }
      chosen->push_back(rows[risk.choose(poll_signals)]);
    }
  }
  return nb::cast(nb::ndarray<nb::numpy, int64_t>(chosen->data(), {chosen->size()}, owner));
}

}  // namespace

NB_MODULE(_risk, m) {
  m.def("least_risk", least_risk, nb::arg("ids"), nb::arg("offsets"), nb::arg("scores"),
        nb::arg("starts"), nb::arg("size"));
}
