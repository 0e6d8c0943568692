// nlmt.io._links: the word alignments of many sentence pairs, from text to arrays.
#include <nanobind/stl/string.h>

#include "affiliation.h"
#include "links.h"
#include "python.h"
#include "text.h"

namespace nlmt::io {
namespace {

constexpr int64_t kPollRows = 1 << 15;

// The text after the last `|||`, or the whole text if there is none.
std::string_view last_column(std::string_view text) {
  const size_t bars = text.rfind("|||");
  return bars == std::string_view::npos ? text : text.substr(bars + 3);
}

// Row i is text[starts[i]:starts[i + 1]], on line `first_line` + i of the file at `path`.
nb::object parse(nb::bytes text, Array1<int64_t> starts, Array1<int64_t> source_lengths,
                 Array1<int64_t> target_lengths, const std::string& path, int64_t first_line) {
  const size_t rows = source_lengths.size();
  if (starts.size() != rows + 1 || target_lengths.size() != rows) {
    throw std::invalid_argument("one text, source length and target length a row");
  }
  std::vector<Link> links;
  std::vector<int64_t> offsets(1, 0);
  {
    const std::string_view all(text.c_str(), text.size());
    nb::gil_scoped_release release;
    for (size_t row = 0; row < rows; ++row) {
      const int64_t begin = starts(row), end = starts(row + 1);
      if (begin < 0 || begin > end || end > static_cast<int64_t>(all.size())) {
        throw std::invalid_argument("a row outside the text");
      }
      try {
        const std::string_view column = last_column(all.substr(begin, end - begin));
        if (double score; column.size() < static_cast<size_t>(end - begin) &&
                          parse_number(trimmed(column), score)) {
          throw InputError("a column of scores behind the links, as by fast_align -s", path,
                           first_line + static_cast<int64_t>(row), "align again without -s");
        }
        const bool phrases = column.find('=') != column.npos;
        (phrases ? parse_phrases : parse_links)(column, static_cast<uint32_t>(source_lengths(row)),
                                                static_cast<uint32_t>(target_lengths(row)), links);
      } catch (const std::invalid_argument& error) {
        throw InputError(error.what(), path, first_line + static_cast<int64_t>(row),
                         "links are source-target, positions from 0: 0-0 1-2");
      }
      offsets.push_back(static_cast<int64_t>(links.size()));
      if (row % kPollRows == 0) poll_signals();
    }
  }
  std::vector<int32_t> positions;
  positions.reserve(2 * links.size());
  for (const Link& link : links) {
    positions.push_back(static_cast<int32_t>(link.source));
    positions.push_back(static_cast<int32_t>(link.target));
  }
  return nb::make_tuple(to_numpy(std::move(positions), {links.size(), 2}),
                        to_numpy(std::move(offsets)));
}

// Positions of the words of target sentences and of their ends, by the links
// positions[offsets[i]:offsets[i + 1]] of each pair of sentences, in the order of the targets.
nb::object affiliate_all(Array2<int32_t> positions, Array1<int64_t> offsets,
                         Array1<int64_t> source_lengths, Array1<int64_t> target_lengths) {
  const size_t pairs = source_lengths.size();
  check_offsets(offsets, positions.shape(0));
  if (positions.shape(1) != 2 || target_lengths.size() != pairs || offsets.size() != pairs + 1) {
    throw std::invalid_argument("links, a source length and a target length for each pair");
  }
  int64_t events = 0;
  for (size_t i = 0; i < pairs; ++i) {
    bool good = target_lengths(i) >= 0 && source_lengths(i) >= 0;
    for (int64_t k = offsets(i); good && k < offsets(i + 1); ++k) {
      const int32_t before = k > offsets(i) ? positions(k - 1, 1) : 0;
      good = positions(k, 1) >= before && positions(k, 1) < target_lengths(i);
    }
    if (!good) throw std::invalid_argument("links out of range or order");
    events += target_lengths(i) + 1;
  }
  std::vector<int32_t> affiliated(static_cast<size_t>(events));
  {
    nb::gil_scoped_release release;
    int32_t* to = affiliated.data();
    for (size_t i = 0; i < pairs; ++i) {
      affiliate(positions.data() + 2 * offsets(i), offsets(i + 1) - offsets(i), source_lengths(i),
                target_lengths(i), to);
      to += target_lengths(i) + 1;
    }
  }
  return to_numpy(std::move(affiliated));
}

}  // namespace
}  // namespace nlmt::io

NB_MODULE(_links, m) {
  using namespace nlmt;
  nb::register_exception_translator(translate_errors);
  m.def("parse", io::parse, "text"_a, "starts"_a, "source_lengths"_a, "target_lengths"_a, "path"_a,
        "first_line"_a);
  m.def("affiliate", io::affiliate_all, "positions"_a, "offsets"_a, "source_lengths"_a,
        "target_lengths"_a);
}
