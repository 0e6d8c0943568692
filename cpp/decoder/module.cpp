// nlmt.decoder._decoder: the model and its batches, for Python.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cmath>
#include <future>
#include <thread>
#include <tuple>

#include "binary_builder.h"
#include "binary_table.h"
#include "model.h"
#include "python.h"
#include "translate.h"
#include "writer.h"

namespace nlmt::decoder {
namespace {

constexpr auto kSignalPeriod = std::chrono::milliseconds(50);

using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

// The arrays of a Python object of type nlmt.neural.arrays.NetworkArrays, which live as long as
// this.
struct NeuralArraysOf {
  NeuralArrays arrays;

  explicit NeuralArraysOf(const nb::object& from) {
    arrays.projection = nb::cast<std::string>(from.attr("projection"));
    arrays.activation = nb::cast<std::string>(from.attr("activation"));
    arrays.context = nb::cast<std::int64_t>(from.attr("context"));
    arrays.embeddings = view(from.attr("embeddings"));
    arrays.context_weight = view(from.attr("context_weight"));
    for (const nb::handle layer : from.attr("hidden")) {
      arrays.hidden.emplace_back(view(layer[0]), view(layer[1]));
    }
    arrays.unit_weight = view(from.attr("unit_weight"));
    arrays.unit_bias = view(from.attr("unit_bias"));
    arrays.class_of = to_vector(nb::cast<Array1<std::int32_t>>(from.attr("class_of")));
    arrays.class_weight = view(from.attr("class_weight"));
    arrays.class_bias = view(from.attr("class_bias"));
    arrays.path_starts = to_vector(nb::cast<Array1<std::int64_t>>(from.attr("path_starts")));
    arrays.path_nodes = to_vector(nb::cast<Array1<std::int32_t>>(from.attr("path_nodes")));
    arrays.path_signs = to_vector(nb::cast<Array1<float>>(from.attr("path_signs")));
  }

 private:
  // The last dimension as columns, all others as rows.
  NeuralArray view(const nb::object& array) {
    const Floats& floats = held_.emplace_back(nb::cast<Floats>(array));
    const auto columns = static_cast<std::int64_t>(floats.shape(floats.ndim() - 1));
    const auto size = static_cast<std::int64_t>(floats.size());
    return {floats.data(), columns == 0 ? 0 : size / columns, columns, columns};
  }

  std::vector<Floats> held_;
};

// Loads in a separate thread, which an interruption abandons, as KenLM cannot be stopped. Its
// results are freed when it is done, or with the process.
std::unique_ptr<Model> load_model(const std::vector<FeatureSpec>& specs, int threads,
                                  const std::string& ini) {
  const nb::gil_scoped_release release;
  std::packaged_task<std::unique_ptr<Model>()> task(
      [specs, threads] { return std::make_unique<Model>(specs, threads); });
  std::future<std::unique_ptr<Model>> model = task.get_future();
  std::thread(std::move(task)).detach();
  while (model.wait_for(kSignalPeriod) != std::future_status::ready) poll_signals();
  try {
    return model.get();
  } catch (InputError& error) {
    if (error.path.empty()) error.path = ini;
    throw;
  }
}

std::vector<BestTranslation> run(const Model& model, const std::vector<std::string>& lines,
                                 const BatchOptions& options, const Outputs& outputs) {
  const nb::gil_scoped_release release;
  return translate(model, lines, options, outputs, poll_signals);
}

BinaryTableCounts build_binary(const std::string& phrase_table, const std::string& reordering_table,
                               const std::string& output, const std::string& folder,
                               std::size_t memory, int threads) {
  const nb::gil_scoped_release release;
  return build_binary_table(phrase_table, reordering_table, output, folder, memory, threads,
                            poll_signals);
}

void check_binary(const std::string& path) {
  const nb::gil_scoped_release release;
  BinaryTable(path).check_all(poll_signals);
}

}  // namespace
}  // namespace nlmt::decoder

NB_MODULE(_decoder, m) {
  using namespace nlmt;
  using namespace nlmt::decoder;
  nb::register_exception_translator(translate_errors);

  nb::class_<ShortList>(m, "ShortList")
      .def(
          "__init__",
          [](ShortList* list, const Array1<std::int32_t>& units, float log_mass,
             const std::vector<std::tuple<Array1<std::int64_t>, Array1<float>, Array1<float>,
                                          Array1<float>>>& levels) {
            std::vector<BackoffArrays> arrays;
            for (const auto& [keys, log_p, log_backoff, mass] : levels) {
              arrays.push_back(
                  {to_vector(keys), to_vector(log_p), to_vector(log_backoff), to_vector(mass)});
            }
            new (list) ShortList(to_vector(units), log_mass, std::move(arrays));
          },
          nb::kw_only(), "units"_a, "log_mass"_a, "levels"_a);

  nb::class_<NeuralModel>(m, "NeuralModel")
      .def(
          "__init__",
          [](NeuralModel* model, const nb::object& arrays, bool normalised, bool eight_bits,
             bool keep_products, const ShortList* short_list) {
            new (model) NeuralModel{
                make_scorer(NeuralArraysOf(arrays).arrays, normalised, eight_bits, keep_products),
                nb::cast<std::vector<std::string>>(arrays.attr("words")),
                short_list ? std::make_shared<const ShortList>(*short_list) : nullptr};
          },
          "arrays"_a, nb::kw_only(), "normalised"_a, "eight_bits"_a, "keep_products"_a,
          "short_list"_a.none());

  nb::class_<ClassTable>(m, "ClassTable")
      .def(
          "__init__",
          [](ClassTable* table, std::vector<std::string> words, std::vector<std::string> classes,
             const Array1<float>& log_p) {
            new (table) ClassTable{std::move(words), std::move(classes), to_vector(log_p)};
          },
          nb::kw_only(), "words"_a, "classes"_a, "log_p"_a);

  nb::class_<FeatureSpec>(m, "FeatureSpec")
      .def(
          "__init__",
          [](FeatureSpec* spec, std::string kind, std::string label, std::string path,
             std::string type, bool tuples, std::size_t width, std::size_t table_limit,
             const NeuralModel* neural, const ClassTable* classes) {
            new (spec) FeatureSpec{std::move(kind),
                                   std::move(label),
                                   std::move(path),
                                   std::move(type),
                                   tuples,
                                   width,
                                   table_limit,
                                   neural ? *neural : NeuralModel(),
                                   classes ? *classes : ClassTable()};
          },
          nb::kw_only(), "kind"_a, "label"_a, "path"_a, "type"_a, "tuples"_a, "width"_a,
          "table_limit"_a, "neural"_a.none(), "classes"_a.none());

  nb::enum_<MarkupPolicy>(m, "MarkupPolicy")
      .value("PASS_THROUGH", MarkupPolicy::kPassThrough)
      .value("IGNORE", MarkupPolicy::kIgnore)
      .value("EXCLUSIVE", MarkupPolicy::kExclusive)
      .value("INCLUSIVE", MarkupPolicy::kInclusive)
      .value("CONSTRAINT", MarkupPolicy::kConstraint);

  nb::class_<RiskOptions>(m, "RiskOptions")
      .def(
          "__init__",
          [](RiskOptions* options, std::size_t size, double scale, std::vector<double> thetas,
             double density, double map_weight) {
            new (options) RiskOptions{size, scale, std::move(thetas), density, map_weight};
          },
          nb::kw_only(), "size"_a, "scale"_a, "thetas"_a, "density"_a, "map_weight"_a);

  nb::class_<BatchOptions>(m, "BatchOptions")
      .def(
          "__init__",
          [](BatchOptions* options, bool cube_pruning, std::size_t stack, std::size_t pop_limit,
             double beam_threshold, int distortion_limit,
             const std::vector<std::pair<std::size_t, std::size_t>>& paths, std::size_t span_limit,
             bool drop_unknown, MarkupPolicy markup, bool monotone_at_punctuation,
             std::size_t recombination_context, int threads, std::size_t nbest, bool distinct,
             bool segmentation, bool alignment, bool labels, bool keep_alternatives,
             double lattice_beam, double lattice_density, const RiskOptions& risk,
             std::size_t first_sentence, std::size_t first_line, std::string source) {
            new (options) BatchOptions();
            options->search = {cube_pruning,
                               stack,
                               pop_limit,
                               static_cast<float>(std::log(beam_threshold)),
                               distortion_limit,
                               keep_alternatives,
                               monotone_at_punctuation,
                               recombination_context,
                               {{}, span_limit, drop_unknown, markup}};
            for (const auto& [table, backoff] : paths) {
              options->search.options.paths.push_back({table, backoff});
            }
            options->output = {segmentation, alignment, labels};
            options->threads = threads;
            options->nbest = nbest;
            options->distinct = distinct;
            options->lattice = {lattice_beam, lattice_density};
            options->risk = risk;
            options->first_sentence = first_sentence;
            options->first_line = first_line;
            options->source = std::move(source);
          },
          nb::kw_only(), "cube_pruning"_a, "stack"_a, "pop_limit"_a, "beam_threshold"_a,
          "distortion_limit"_a, "paths"_a, "span_limit"_a, "drop_unknown"_a, "markup"_a,
          "monotone_at_punctuation"_a, "recombination_context"_a, "threads"_a, "nbest"_a,
          "distinct"_a, "segmentation"_a, "alignment"_a, "labels"_a, "keep_alternatives"_a,
          "lattice_beam"_a, "lattice_density"_a, "risk"_a, "first_sentence"_a, "first_line"_a,
          "source"_a);

  nb::class_<BestTranslation>(m, "BestTranslation")
      .def_ro("text", &BestTranslation::text)
      .def_ro("traced", &BestTranslation::traced)
      .def_ro("alignment", &BestTranslation::alignment)
      .def_ro("unknown", &BestTranslation::unknown)
      .def_ro("score", &BestTranslation::score)
      .def_ro("words", &BestTranslation::words)
      .def_ro("options", &BestTranslation::options)
      .def_ro("hypotheses", &BestTranslation::hypotheses)
      .def_ro("found", &BestTranslation::found);

  nb::class_<Writer>(m, "Writer")
      .def(nb::init<std::string, bool>(), "path"_a, "compressed"_a)
      .def("close", &Writer::close);

  nb::class_<Outputs>(m, "Outputs")
      .def(
          "__init__",
          [](Outputs* outputs, Writer* nbest, Writer* search_graph, Writer* extended_graph,
             io::LatticeWriter* lattices, std::string hypergraphs, std::string hypergraph_suffix,
             std::string slf) {
            new (outputs)
                Outputs{nbest,         search_graph,           extended_graph,
                        lattices,      std::move(hypergraphs), std::move(hypergraph_suffix),
                        std::move(slf)};
          },
          nb::kw_only(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>(),
          nb::keep_alive<1, 5>(), "nbest"_a.none(), "search_graph"_a.none(),
          "extended_graph"_a.none(), "lattices"_a.none(), "hypergraphs"_a, "hypergraph_suffix"_a,
          "slf"_a);

  nb::class_<Model>(m, "Model")
      .def(nb::new_(&load_model), "specs"_a, "threads"_a, "ini"_a)
      .def("set_weights", &Model::set_weights, "weights"_a)
      .def("set_printed", &Model::set_printed, "values"_a)
      .def_prop_ro("weights", &Model::weights)
      .def_prop_ro("warnings", &Model::warnings)
      .def_prop_ro("features",
                   [](const Model& model) {
                     std::vector<std::tuple<std::string, std::string, std::size_t>> features;
                     for (const Feature& feature : model.features()) {
                       features.emplace_back(feature.kind, feature.label, feature.width);
                     }
                     return features;
                   })
      .def_prop_ro("printed",
                   [](const Model& model) {
                     std::vector<std::pair<std::string, std::size_t>> features;
                     for (const Printed& feature : model.printed()) {
                       features.emplace_back(feature.label, feature.offsets.size());
                     }
                     return features;
                   })
      .def("translate", &run, "lines"_a, "options"_a, "outputs"_a)
      .def(
          "kept_scores",
          [](const Model& model, std::size_t number) {
            const std::string kept = model.neural_lms().at(number)->kept_scores();
            return nb::bytes(kept.data(), kept.size());
          },
          "number"_a)
      .def(
          "take_scores",
          [](Model& model, std::size_t number, const nb::bytes& kept) {
            model.neural_lms().at(number)->take_scores({kept.c_str(), kept.size()});
          },
          "number"_a, "kept"_a);

  nb::class_<BinaryTableCounts>(m, "BinaryTableCounts")
      .def_ro("sources", &BinaryTableCounts::sources)
      .def_ro("entries", &BinaryTableCounts::entries)
      .def_ro("words", &BinaryTableCounts::words)
      .def_ro("without_reordering", &BinaryTableCounts::without_reordering)
      .def_ro("warnings", &BinaryTableCounts::warnings);

  m.def("build_binary_table", &build_binary, "phrase_table"_a, "reordering_table"_a, "output"_a,
        "folder"_a, "memory"_a, "threads"_a);
  m.def("check_binary_table", &check_binary, "path"_a);
}
