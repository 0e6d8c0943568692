// nlmt.tuning._mert: the hot loops of MERT and MIRA, and the reader of Moses' feature and score
// files.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "coordinate_ascent.h"
#include "interruptible.h"
#include "lattice_mira.h"
#include "line_search.h"
#include "lists.h"
#include "mira.h"
#include "moses_data.h"
#include "python.h"
#include "winning_paths.h"

namespace nlmt::tuning {
namespace {

void check_magnitudes(const Array2<double>& numbers, const char* what) {
  const auto small = [](double number) { return std::abs(number) < kTooLarge; };
  if (!std::all_of(numbers.data(), numbers.data() + numbers.size(), small)) {
    throw InputError(std::string(what) + " must be finite and below 1e30");
  }
}

Lists* make_lists(Array2<double> features, Array1<int64_t> offsets, Array2<int32_t> statistics,
                  const std::string& objective_name) {
  auto objective = make_objective(objective_name);
  const int64_t rows = static_cast<int64_t>(features.shape(0));
  check_offsets(offsets, features.shape(0));
  if (rows >= INT32_MAX / 2) throw std::invalid_argument("too many hypotheses");
  if (static_cast<int64_t>(statistics.shape(0)) != rows ||
      static_cast<int>(statistics.shape(1)) != objective->width()) {
    throw std::invalid_argument("statistics must be (rows, " + std::to_string(objective->width()) +
                                ") for " + objective_name);
  }
  check_magnitudes(features, "features");
  nb::gil_scoped_release release;
  return new Lists(features.data(), static_cast<int>(features.shape(1)), offsets.data(),
                   static_cast<int64_t>(offsets.size()) - 1, statistics.data(),
                   std::move(objective));
}

void check_width(const Lists& lists, size_t width) {
  if (static_cast<int64_t>(width) != lists.width()) {
    throw std::invalid_argument("one weight is needed for each feature");
  }
}

double value(const Lists& lists, Array1<double> weights) {
  check_width(lists, weights.size());
  return without_gil([&] { return lists.value(weights.data()); });
}

nb::object winners(const Lists& lists, Array1<double> weights) {
  check_width(lists, weights.size());
  std::vector<double> scores;
  std::vector<int64_t> places;
  lists.scores(weights.data(), &scores);
  for (int64_t s = 0; s < lists.sentences(); ++s) places.push_back(lists.best(scores.data(), s));
  return to_numpy(std::move(places));
}

std::pair<double, double> line_search(const Lists& lists, Array1<double> point,
                                      Array1<double> direction) {
  check_width(lists, point.size());
  check_width(lists, direction.size());
  std::vector<double> scores, slopes;
  lists.scores(point.data(), &scores);
  slopes.resize(lists.rows());
  lists.slopes(direction.data(), 1, slopes.data());
  const Step step =
      LineSearch(lists).find(scores.data(), slopes.data(), SlopeRange(lists, slopes.data()));
  return {step.length, step.value};
}

std::pair<nb::object, double> optimise(const Lists& lists, Array2<double> starts, uint64_t seed,
                                       int threads) {
  check_width(lists, starts.shape(1));
  if (starts.shape(0) == 0) throw std::invalid_argument("at least one start is needed");
  Optimum optimum = interruptibly([&](const std::atomic<bool>& stop) {
    return CoordinateAscent(lists, seed, stop)
        .run(starts.data(), static_cast<int>(starts.shape(0)), threads);
  });
  return {to_numpy(std::move(optimum.weights)), optimum.value};
}

nb::object learn_margins(const Lists& lists, Array1<double> start, uint64_t seed,
                         double largest_step, double decay, int epochs) {
  check_width(lists, start.size());
  const MiraOptions options{largest_step, decay, epochs};
  return to_numpy(interruptibly([&](const std::atomic<bool>& stop) {
    return mira(lists, start.data(), seed, options, stop);
  }));
}

nb::object find_distinct(Array1<int32_t> sentence, Array2<double> features) {
  const int64_t rows = static_cast<int64_t>(features.shape(0));
  if (static_cast<int64_t>(sentence.size()) != rows) {
    throw std::invalid_argument("one sentence number is needed for each row");
  }
  return to_numpy(distinct_rows(sentence.data(), features.data(), rows,
                                static_cast<int64_t>(features.shape(1))));
}

// Throws unless these are arcs that lead upwards, sorted by start, and the phrase of each.
void check_lattice(int32_t nodes, size_t arcs, const Array1<int32_t>& from,
                   const Array1<int32_t>& to, const Array1<int32_t>& phrase,
                   const Array1<int64_t>& word_offsets, const Array1<int32_t>& words) {
  check_offsets(word_offsets, words.size());
  if (nodes < 1 || from.size() != arcs || to.size() != arcs || phrase.size() != arcs) {
    throw std::invalid_argument("the arrays of a lattice do not fit together");
  }
  const int64_t phrases = static_cast<int64_t>(word_offsets.size()) - 1;
  for (size_t a = 0; a < arcs; ++a) {
    if (from(a) < 0 || to(a) <= from(a) || to(a) >= nodes || (a > 0 && from(a) < from(a - 1))) {
      throw std::invalid_argument("arcs must lead upwards and be sorted");
    }
    if (phrase(a) < 0 || phrase(a) >= phrases) throw std::invalid_argument("no such phrase");
  }
}

nb::tuple find_winning_paths(int32_t nodes, Array1<int32_t> from, Array1<int32_t> to,
                             Array1<int32_t> phrase, Array2<float> features,
                             Array1<int64_t> word_offsets, Array1<int32_t> words,
                             Array2<double> points, Array2<double> directions) {
  const size_t arcs = features.shape(0), width = features.shape(1);
  check_lattice(nodes, arcs, from, to, phrase, word_offsets, words);
  if (points.shape(1) != width || directions.shape(1) != width) {
    throw std::invalid_argument("one weight is needed for each feature");
  }
  check_magnitudes(points, "weights");
  check_magnitudes(directions, "weights");
  WinningPaths found = without_gil([&] {
    return winning_paths({nodes, arcs, from.data(), to.data()},
                         {phrase.data(), word_offsets.data(), words.data()}, features.data(),
                         static_cast<int>(width), points.data(),
                         static_cast<int64_t>(points.shape(0)), directions.data(),
                         static_cast<int64_t>(directions.shape(0)));
  });
  const size_t paths = found.offsets.size() - 1;
  return nb::make_tuple(to_numpy(std::move(found.features), {paths, width}),
                        to_numpy(std::move(found.words)), to_numpy(std::move(found.offsets)));
}

// The lattices of a tuning set.
struct Lattices {
  std::vector<LatticeSentence> sentences;
};

void add_lattice(Lattices& lattices, int32_t nodes, Array1<int32_t> from, Array1<int32_t> to,
                 Array1<int32_t> phrase, Array1<int64_t> word_offsets, Array1<int32_t> words,
                 Array2<double> features, const std::vector<std::vector<int32_t>>& references,
                 int64_t known) {
  check_lattice(nodes, features.shape(0), from, to, phrase, word_offsets, words);
  io::Lattice lattice;
  lattice.nodes = nodes;
  lattice.from = to_vector(from);
  lattice.to = to_vector(to);
  lattice.phrase = to_vector(phrase);
  lattice.word_offsets = to_vector(word_offsets);
  lattice.words = to_vector(words);
  lattices.sentences.push_back(
      {std::move(lattice), to_vector(features), ReferenceNgrams(references), known});
}

// Weights, their value, and the hope and fear paths: number of the lattice of each, where its arcs
// begin, arcs.
nb::tuple learn_margins_on_lattices(const Lattices& lattices, const Lists& known,
                                    Array1<double> start, uint64_t seed, double largest_step,
                                    double decay, int epochs) {
  check_width(known, start.size());
  if (known.objective().width() != static_cast<int>(BleuStatistics().size())) {
    throw std::invalid_argument("MIRA on lattices is for BLEU");
  }
  for (const LatticeSentence& sentence : lattices.sentences) {
    if (sentence.features.size() != sentence.lattice.arcs() * static_cast<size_t>(known.width()) ||
        sentence.known >= known.sentences()) {
      throw std::invalid_argument("the known paths are of other lattices");
    }
  }
  const MiraOptions options{largest_step, decay, epochs};
  auto found = interruptibly([&](const std::atomic<bool>& stop) {
    return lattice_mira(lattices.sentences, known, start.data(), seed, options, stop);
  });
  std::vector<int32_t> numbers, arcs;
  std::vector<int64_t> offsets{0};
  for (size_t s = 0; s < found.paths.size(); ++s) {
    for (const auto& path : found.paths[s]) {
      numbers.push_back(static_cast<int32_t>(s));
      arcs.insert(arcs.end(), path.begin(), path.end());
      offsets.push_back(static_cast<int64_t>(arcs.size()));
    }
  }
  return nb::make_tuple(to_numpy(std::move(found.weights)), found.value,
                        to_numpy(std::move(numbers)), to_numpy(std::move(offsets)),
                        to_numpy(std::move(arcs)));
}

// The best path of a lattice by scores of its arcs and linear gains, word first, then by order.
nb::object find_path(const Lattices& lattices, int64_t number, Array1<double> arc_scores,
                     Array1<double> gains) {
  const LatticeSentence& sentence = lattices.sentences.at(number);
  if (arc_scores.size() != sentence.lattice.arcs() || gains.size() != kBleuOrder + 1) {
    throw std::invalid_argument("one score an arc and five gains are needed");
  }
  Gains given{gains(0)};
  for (int n = 0; n < kBleuOrder; ++n) given.match[n] = gains(n + 1);
  return to_numpy(
      PathSearch().find(sentence.lattice, sentence.references, arc_scores.data(), given));
}

// The gains of find_path that approximate quality, BLEU times the length of the references.
nb::object find_gains(Array1<double> sums) {
  const auto bleu = make_objective("bleu");
  if (static_cast<int>(sums.size()) != bleu->width()) {
    throw std::invalid_argument("BLEU has nine statistics");
  }
  Sums given{};
  std::copy_n(sums.data(), sums.size(), given.begin());
  const Gains gains = linear_gains(*bleu, given);
  std::vector<double> values{gains.word};
  values.insert(values.end(), gains.match.begin(), gains.match.end());
  return to_numpy(std::move(values));
}

nb::tuple parse(nb::bytes text, const std::string& kind, const std::string& path) {
  const std::string_view view(text.c_str(), text.size());
  MosesData data = without_gil([&] { return parse_moses_data(view, kind, path); });
  const size_t columns = static_cast<size_t>(data.columns);
  const size_t rows = static_cast<size_t>(data.offsets.back());
  return nb::make_tuple(data.names, to_numpy(std::move(data.sentence)),
                        to_numpy(std::move(data.offsets)),
                        to_numpy(std::move(data.values), {rows, columns}));
}

}  // namespace
}  // namespace nlmt::tuning

NB_MODULE(_mert, m) {
  using namespace nlmt;
  using namespace nlmt::tuning;
  nb::register_exception_translator(translate_errors);
  m.def("parse", &parse, "text"_a, "kind"_a, "path"_a);
  m.def("winning_paths", &find_winning_paths, "nodes"_a, "from_node"_a, "to_node"_a, "phrase"_a,
        "features"_a, "word_offsets"_a, "word_ids"_a, "points"_a, "directions"_a);
  m.def("distinct", &find_distinct, "sentence"_a, "features"_a);
  m.def("linear_gains", &find_gains, "sums"_a);
  nb::class_<Lattices>(m, "Lattices")
      .def(nb::init<>())
      .def("add", &add_lattice, "nodes"_a, "from_node"_a, "to_node"_a, "phrase"_a, "word_offsets"_a,
           "words"_a, "features"_a, "references"_a, "known"_a)
      .def("best_path", &find_path, "number"_a, "arc_scores"_a, "gains"_a)
      .def("mira", &learn_margins_on_lattices, "known"_a, "start"_a, "seed"_a, "largest_step"_a,
           "decay"_a, "epochs"_a);
  nb::class_<Lists>(m, "Lists")
      .def(nb::new_(&make_lists), "features"_a, "offsets"_a, "statistics"_a, "objective"_a)
      .def("value", &value, "weights"_a)
      .def("winners", &winners, "weights"_a)
      .def("line_search", &line_search, "point"_a, "direction"_a)
      .def("optimise", &optimise, "starts"_a, "seed"_a, "threads"_a)
      .def("mira", &learn_margins, "start"_a, "seed"_a, "largest_step"_a, "decay"_a, "epochs"_a);
}
