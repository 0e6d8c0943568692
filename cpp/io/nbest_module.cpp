// Python bindings of the n-best reader and writer: nlmt.io._nbest.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "equal_rows.h"
#include "nbest_reader.h"
#include "nbest_rewriter.h"
#include "python.h"

namespace nlmt::io {
namespace {

using Labels = std::vector<std::pair<std::string, int64_t>>;

Labels labels_of(const NbestReader& reader) {
  Labels labels;
  for (const Label& label : reader.layout().labels) labels.emplace_back(label.name, label.width);
  return labels;
}

nb::object read_block(NbestReader& reader, int64_t bytes, bool whole_sentences) {
  NbestBlock block;
  const bool any =
      without_gil([&] { return reader.read(bytes, whole_sentences, poll_signals, block); });
  if (!any) return nb::none();
  nb::list words;
  for (int32_t id = 0; id < block.words.size(); ++id) {
    const std::string_view word = block.words.word(id);
    words.append(nb::str(word.data(), word.size()));
  }
  const size_t rows = block.sentence.size();
  const size_t width = static_cast<size_t>(reader.layout().width());
  const nb::bytes rest(block.rest.data(), block.rest.size());
  return nb::make_tuple(
      to_numpy(std::move(block.sentence)), words, to_numpy(std::move(block.ids)),
      to_numpy(std::move(block.offsets)), to_numpy(std::move(block.features), {rows, width}),
      to_numpy(std::move(block.totals)), rest, to_numpy(std::move(block.rest_offsets)));
}

int64_t rewrite(const std::vector<std::string>& inputs, const std::string& output,
                const Labels& written, Array2<double> values, std::vector<double> weights,
                int64_t first, bool sorted, int64_t size, bool distinct) {
  Rewriting rewriting;
  int64_t columns = 0;
  for (const auto& [name, width] : written) {
    rewriting.written.push_back({name, width});
    columns += width;
  }
  if (static_cast<int64_t>(values.shape(1)) != columns) {
    throw std::invalid_argument("one column is needed for each new value");
  }
  rewriting.values = values.data();
  rewriting.hypotheses = static_cast<int64_t>(values.shape(0));
  rewriting.weights = std::move(weights);
  rewriting.first = first;
  rewriting.sorted = sorted;
  rewriting.size = size;
  rewriting.distinct = distinct;
  nb::gil_scoped_release release;
  return rewrite_nbest(inputs, output, rewriting, poll_signals);
}

nb::object distinct(Array1<int32_t> ids, Array1<int64_t> offsets) {
  check_offsets(offsets, ids.size());
  const int64_t rows = static_cast<int64_t>(offsets.size()) - 1;
  Distinct result = without_gil([&] { return find_distinct(ids.data(), offsets.data(), rows); });
  return nb::make_tuple(to_numpy(std::move(result.first)), to_numpy(std::move(result.inverse)));
}

nb::tuple row_hashes(Array1<int32_t> ids, Array1<int64_t> offsets) {
  check_offsets(offsets, ids.size());
  const int64_t rows = static_cast<int64_t>(offsets.size()) - 1;
  RowHashes result = without_gil([&] { return hash_rows(ids.data(), offsets.data(), rows); });
  return nb::make_tuple(to_numpy(std::move(result.first)), to_numpy(std::move(result.second)));
}

std::pair<int64_t, int64_t> ngrams(Array1<int32_t> ids, Array1<int64_t> offsets, int order) {
  check_offsets(offsets, ids.size());
  nb::gil_scoped_release release;
  const int64_t rows = static_cast<int64_t>(offsets.size()) - 1;
  const NgramCounts counts = count_ngrams(ids.data(), offsets.data(), rows, order);
  return {counts.ngrams, counts.contexts};
}

}  // namespace
}  // namespace nlmt::io

NB_MODULE(_nbest, m) {
  using namespace nlmt;
  using namespace nlmt::io;
  nb::register_exception_translator(translate_errors);
  nb::class_<NbestReader>(m, "NbestReader")
      .def(nb::init<const std::string&, bool>(), "path"_a, "keep_rest"_a)
      .def_prop_ro("labels", labels_of)
      .def("read", read_block, "bytes"_a, "whole_sentences"_a);
  m.def("rewrite", rewrite, "inputs"_a, "output"_a, "written"_a, "values"_a, "weights"_a, "first"_a,
        "sorted"_a, "size"_a, "distinct"_a);
  m.def("distinct", distinct, "ids"_a, "offsets"_a);
  m.def("row_hashes", row_hashes, "ids"_a, "offsets"_a);
  m.def("count_ngrams", ngrams, "ids"_a, "offsets"_a, "order"_a);
}
