#include "translate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "gzip.h"
#include "nbest.h"

namespace nlmt::decoder {
namespace {

constexpr std::size_t kSentencesAhead = 64;  // sentences a thread may be ahead of the writer
constexpr auto kPatience = std::chrono::milliseconds(100);

struct Finished {
  BestTranslation best;
  std::string nbest, search_graph, extended_graph, hypergraph, slf;
  io::LatticeRecord lattice;
  WordTable words;  // of the lattice
  std::exception_ptr error;
  bool done = false;
};

void drop_last_space(std::string& text) {
  if (!text.empty()) text.pop_back();
}

class Worker {
 public:
  Worker(const Model& model, const BatchOptions& options, const Outputs& outputs,
         const std::atomic<bool>& stop)
      : options_(options),
        outputs_(outputs),
        searcher_(model, options.search, stop),
        extractor_(searcher_) {}

  void translate(const std::string& line, std::size_t number, Finished& finished) {
    const std::size_t sentence = options_.first_sentence + number;
    const bool marked = options_.search.options.markup != MarkupPolicy::kPassThrough &&
                        line.find('<') != std::string::npos;
    Markup markup;
    const std::size_t place = options_.first_line + number;
    if (marked) markup = parse_markup(line, options_.source, place);
    if (options_.search.options.markup == MarkupPolicy::kIgnore) markup.spans.clear();
    const std::vector<std::string_view> tokens = split_words(marked ? markup.text : line);
    check(tokens, place);
    if (options_.search.monotone_at_punctuation) add_punctuation_walls(tokens, markup.walls);
    const std::uint32_t best = tokens.empty() ? kNone : searcher_.search(tokens, markup);
    finished.best.found = tokens.empty() || best != kNone;
    if (best == kNone) {
      if (options_.nbest) {
        append_empty_nbest_line(searcher_.model(), sentence, options_.output, finished.nbest);
      }
      describe_empty_graph(sentence, finished);
    } else {
      const std::size_t count = std::max<std::size_t>(options_.nbest, 1);
      const std::vector<Translation> list =
          extractor_.extract(best, count, options_.distinct && count > 1);
      describe(options_.risk.size ? least_risk(best) : list.front(), tokens, finished.best);
      for (std::size_t i = 0; i < list.size() && options_.nbest; ++i) {
        append_nbest_line(searcher_, list[i], sentence, options_.output, finished.nbest);
      }
      if (outputs_.graphs()) describe_graph(best, tokens, sentence, finished);
    }
    finished.best.words = tokens.size();
    if (best != kNone) {
      finished.best.options = searcher_.options().size();
      finished.best.hypotheses = searcher_.made();
    }
    compress(outputs_.nbest, finished.nbest);
    compress(outputs_.search_graph, finished.search_graph);
    compress(outputs_.extended_graph, finished.extended_graph);
    if (!outputs_.hypergraphs.empty() && outputs_.hypergraph_suffix == ".gz") {
      finished.hypergraph = gzip(finished.hypergraph);
    }
  }

 private:
  void check(const std::vector<std::string_view>& tokens, std::size_t line) const {
    if (tokens.size() > SentenceOptions::kMaxWords) {
      throw InputError("a sentence of " + std::to_string(tokens.size()) + " words", options_.source,
                       line, "at most " + std::to_string(SentenceOptions::kMaxWords));
    }
    if (std::find(tokens.begin(), tokens.end(), "|||") != tokens.end()) {
      throw InputError(
          "'|||' inside a sentence; it separates the fields of tables and n-best lists",
          options_.source, line, "remove or escape it");
    }
  }

  Translation least_risk(std::uint32_t best) {
    std::vector<Translation> list = extractor_.extract(best, options_.risk.size, true);
    if (options_.risk.thetas.empty()) {
      return std::move(list[choose_by_bleu(searcher_, list, options_.risk)]);
    }
    return std::move(list[choose_by_lattice(searcher_, best, list, options_.risk)]);
  }

  static void compress(const Writer* writer, std::string& piece) {
    if (writer && writer->compressed && !piece.empty()) piece = gzip(piece);
  }

  void describe_graph(std::uint32_t best, const std::vector<std::string_view>& tokens,
                      std::size_t sentence, Finished& finished) const {
    if (outputs_.texts()) {
      WordTable words;
      const io::Lattice whole = make_lattice(searcher_, best, tokens, sentence, {}, words);
      append_texts(whole, words, finished);
    }
    if (outputs_.lattices) {
      pack(make_lattice(searcher_, best, tokens, sentence, options_.lattice, finished.words),
           finished);
    }
  }

  void describe_empty_graph(std::size_t sentence, Finished& finished) const {
    const io::Lattice lattice = empty_lattice(searcher_.model(), sentence);
    append_texts(lattice, {}, finished);
    if (outputs_.lattices) pack(lattice, finished);
  }

  void append_texts(const io::Lattice& lattice, const WordTable& words, Finished& finished) const {
    const io::LatticeMeaning meaning = lattice_meaning(searcher_.model(), words);
    if (outputs_.search_graph)
      io::append_search_graph(lattice, meaning, false, finished.search_graph);
    if (outputs_.extended_graph) {
      io::append_search_graph(lattice, meaning, true, finished.extended_graph);
    }
    if (!outputs_.hypergraphs.empty()) io::append_hypergraph(lattice, meaning, finished.hypergraph);
    if (!outputs_.slf.empty()) io::append_slf(lattice, meaning, finished.slf);
  }

  void pack(const io::Lattice& lattice, Finished& finished) const {
    try {
      finished.lattice = pack_lattice(lattice);
    } catch (const io::LatticeDamage& error) {
      throw InputError("the lattice of sentence " + std::to_string(lattice.sentence) +
                           " cannot be written: " + error.what(),
                       options_.source);
    }
  }

  void describe(const Translation& translation, const std::vector<std::string_view>& tokens,
                BestTranslation& best) const {
    append_words(searcher_, translation, best.text);
    append_traced_words(searcher_, translation, best.traced);
    append_alignment(searcher_, translation, best.alignment);
    drop_last_space(best.text);
    drop_last_space(best.traced);
    drop_last_space(best.alignment);
    best.score = translation.total;
    for (const Translation::Step& step : translation.steps) {
      const Option& option = searcher_.options().option(step.option);
      if (option.prepared->table == PreparedOption::kUnknownWord) {
        best.unknown.emplace_back(tokens[option.begin]);
      }
    }
  }

  const BatchOptions& options_;
  const Outputs& outputs_;
  Searcher searcher_;
  NbestExtractor extractor_;
};

// Threads that translate sentences one by one, and the caller, which collects their results.
class Batch {
 public:
  Batch(const Model& model, const std::vector<std::string>& lines, const BatchOptions& options,
        const Outputs& outputs)
      : model_(model),
        lines_(lines),
        options_(options),
        outputs_(outputs),
        finished_(lines.size()) {}

  std::vector<BestTranslation> run(const std::function<void()>& poll) {
    const std::size_t threads = std::min<std::size_t>(std::max(options_.threads, 1),
                                                      std::max<std::size_t>(lines_.size(), 1));
    ahead_ = kSentencesAhead * threads;
    std::vector<std::thread> workers;
    std::vector<BestTranslation> best;
    std::exception_ptr error;
    try {
      for (std::size_t i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
      for (std::size_t i = 0; i < lines_.size(); ++i) best.push_back(gather(i, poll));
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers) worker.join();
    if (error) std::rethrow_exception(error);
    return best;
  }

 private:
  BestTranslation gather(std::size_t number, const std::function<void()>& poll) {
    Finished finished;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      while (!finished_[number].done) {
        if (failed_) std::rethrow_exception(failed_);
        if (changed_.wait_for(lock, kPatience) == std::cv_status::timeout) {
          lock.unlock();
          poll();
          lock.lock();
        }
      }
      finished = std::move(finished_[number]);
      gathered_ = number + 1;
    }
    changed_.notify_all();
    if (const auto now = std::chrono::steady_clock::now(); now - heard_ > kPatience) {
      heard_ = now;
      poll();
    }
    if (finished.error) std::rethrow_exception(finished.error);
    write(finished, options_.first_sentence + number);
    return std::move(finished.best);
  }

  void write(const Finished& finished, std::size_t sentence) const {
    if (outputs_.nbest) outputs_.nbest->write(finished.nbest);
    if (outputs_.search_graph) outputs_.search_graph->write(finished.search_graph);
    if (outputs_.extended_graph) outputs_.extended_graph->write(finished.extended_graph);
    if (outputs_.lattices) {
      std::vector<std::string_view> spelling;
      for (const std::int32_t id : finished.lattice.words) {
        spelling.push_back(finished.words.word(id));
      }
      outputs_.lattices->add(finished.lattice, spelling);
    }
    const std::string name = std::to_string(sentence);
    if (!outputs_.hypergraphs.empty()) {
      write_file(outputs_.hypergraphs, name + outputs_.hypergraph_suffix, finished.hypergraph);
    }
    if (!outputs_.slf.empty()) {
      write_file(outputs_.slf, name + ".slf", finished.slf);
    }
  }

  void work() {
    try {
      translate_sentences();
    } catch (...) {  // outside of any sentence, for want of memory
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        failed_ = std::current_exception();
      }
      changed_.notify_all();
    }
  }

  void translate_sentences() {
    Worker worker(model_, options_, outputs_, stop_);
    while (true) {
      std::size_t number;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return stop_ || next_ < gathered_ + ahead_; });
        if (stop_ || next_ == lines_.size()) return;
        number = next_++;
      }
      Finished finished;
      try {
        worker.translate(lines_[number], number, finished);
      } catch (InputError& error) {
        if (error.path.empty()) {
          error.path = options_.source;
          error.line = static_cast<std::int64_t>(options_.first_line + number);
        }
        finished.error = std::current_exception();
      } catch (...) {
        finished.error = std::current_exception();
      }
      finished.done = true;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        finished_[number] = std::move(finished);
      }
      changed_.notify_all();
    }
  }

  const Model& model_;
  const std::vector<std::string>& lines_;
  const BatchOptions& options_;
  const Outputs& outputs_;
  std::vector<Finished> finished_;
  std::size_t ahead_ = 1;
  std::chrono::steady_clock::time_point heard_;  // when an interruption was last looked for
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, gathered_ = 0;  // guarded by mutex_
  std::exception_ptr failed_;            // the error of a thread that gave up; guarded by mutex_
  std::atomic<bool> stop_{false};
};

}  // namespace

std::vector<BestTranslation> translate(const Model& model, const std::vector<std::string>& lines,
                                       const BatchOptions& options, const Outputs& outputs,
                                       const std::function<void()>& poll) {
  return Batch(model, lines, options, outputs).run(poll);
}

}  // namespace nlmt::decoder
