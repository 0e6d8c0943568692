// nlmt.rescoring._risk: minimum Bayes risk over the lists of many sentences.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "bleu_risk.h"
#include "python.h"

namespace nlmt::rescoring {
namespace {

using Offsets = Array1<std::int64_t>;

// Row of the hypothesis of least risk in each list, among its `size` best by score.
nb::object least_risk(const Array1<std::uint32_t>& ids, const Offsets& offsets,
                      const Array1<double>& scores, const Offsets& starts, std::int64_t size) {
  check_offsets(offsets, ids.size());
  check_offsets(starts, scores.size());
  if (offsets.size() != scores.size() + 1) throw std::invalid_argument("one score a hypothesis");
  if (size < 1) throw std::invalid_argument("at least one hypothesis to choose from");
  std::vector<std::int64_t> chosen;
  {
    const nb::gil_scoped_release release;
    for (std::size_t list = 0; list + 1 < starts.size(); ++list) {
      std::vector<std::int64_t> rows(static_cast<std::size_t>(starts(list + 1) - starts(list)));
      if (rows.empty()) throw std::invalid_argument("a list without hypotheses");
      std::iota(rows.begin(), rows.end(), starts(list));
      std::stable_sort(rows.begin(), rows.end(),
                       [&](std::int64_t a, std::int64_t b) { return scores(a) > scores(b); });
      if (static_cast<std::int64_t>(rows.size()) > size)
        rows.resize(static_cast<std::size_t>(size));
      BleuRisk risk;
      for (const std::int64_t row : rows) {
        const auto words = static_cast<std::size_t>(offsets(row + 1) - offsets(row));
        risk.add(ids.data() + offsets(row), words, scores(row));
      }
      chosen.push_back(rows[risk.choose(poll_signals)]);
    }
  }
  return to_numpy(std::move(chosen));
}

}  // namespace
}  // namespace nlmt::rescoring

NB_MODULE(_risk, m) {
  using namespace nlmt;
  m.def("least_risk", rescoring::least_risk, "ids"_a, "offsets"_a, "scores"_a, "starts"_a,
        "size"_a);
}
