#include "translate.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include "errors.h"
#include "nbest.h"

namespace nlmt::decoder {
namespace {

constexpr std::size_t kSentencesAhead = 64;  // sentences a thread may be ahead of the writer
constexpr auto kPatience = std::chrono::milliseconds(100);

struct Finished {
  BestTranslation best;
  std::string nbest;
  std::exception_ptr error;
  bool done = false;
};

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> tokens;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return tokens;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    tokens.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

void drop_last_space(std::string& text) {
  if (!text.empty()) text.pop_back();
}

class Worker {
 public:
  Worker(const Model& model, const BatchOptions& options, bool compress)
      : options_(options),
        compress_(compress),
        searcher_(model, options.search),
        extractor_(searcher_) {}

  void translate(const std::string& line, std::size_t number, Finished& finished) {
    const std::vector<std::string_view> tokens = split(line);
    const std::size_t sentence = options_.first_sentence + number;
    check(tokens, sentence);
    if (tokens.empty()) {
      if (options_.nbest) {
        append_empty_nbest_line(searcher_.model(), sentence, options_.output, finished.nbest);
      }
    } else {
      const std::uint32_t best = searcher_.search(tokens);
      const std::size_t count = std::max<std::size_t>(options_.nbest, 1);
      const std::vector<Translation> list =
          extractor_.extract(best, count, options_.distinct && count > 1);
      describe(list.front(), tokens, finished.best);
      for (std::size_t i = 0; i < list.size() && options_.nbest; ++i) {
        append_nbest_line(searcher_, list[i], sentence, options_.output, finished.nbest);
      }
    }
    if (compress_ && !finished.nbest.empty()) finished.nbest = gzip(finished.nbest);
  }

 private:
  void check(const std::vector<std::string_view>& tokens, std::size_t sentence) const {
    if (tokens.size() > SentenceOptions::kMaxWords) {
      throw InputError("a sentence of " + std::to_string(tokens.size()) + " words", options_.source,
                       sentence + 1, "at most " + std::to_string(SentenceOptions::kMaxWords));
    }
    if (std::find(tokens.begin(), tokens.end(), "|||") != tokens.end()) {
      throw InputError(
          "'|||' inside a sentence; it separates the fields of tables and n-best lists",
          options_.source, sentence + 1, "remove or escape it");
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
  bool compress_;
  Searcher searcher_;
  NbestExtractor extractor_;
};

// Threads that take one sentence after the other, and the caller who gathers what they made.
class Batch {
 public:
  Batch(const Model& model, const std::vector<std::string>& lines, const BatchOptions& options,
        Writer* nbest)
      : model_(model), lines_(lines), options_(options), nbest_(nbest), finished_(lines.size()) {}

  std::vector<BestTranslation> run(const std::function<void()>& interrupted) {
    const std::size_t threads = std::min<std::size_t>(std::max(options_.threads, 1),
                                                      std::max<std::size_t>(lines_.size(), 1));
    ahead_ = kSentencesAhead * threads;
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < threads; ++i) workers.emplace_back([this] { work(); });
    std::vector<BestTranslation> best;
    std::exception_ptr error;
    try {
      for (std::size_t i = 0; i < lines_.size(); ++i) best.push_back(gather(i, interrupted));
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
  BestTranslation gather(std::size_t number, const std::function<void()>& interrupted) {
    Finished finished;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      while (!finished_[number].done) {
        if (changed_.wait_for(lock, kPatience) == std::cv_status::timeout) {
          lock.unlock();
          interrupted();
          lock.lock();
        }
      }
      finished = std::move(finished_[number]);
      gathered_ = number + 1;
    }
    changed_.notify_all();
    if (number % kSentencesAhead == 0) interrupted();
    if (finished.error) std::rethrow_exception(finished.error);
    if (nbest_) nbest_->write(finished.nbest);
    return std::move(finished.best);
  }

  void work() {
    Worker worker(model_, options_, nbest_ && nbest_->compressed());
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
  Writer* nbest_;
  std::vector<Finished> finished_;
  std::size_t ahead_ = 1;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ = 0, gathered_ = 0;  // guarded by mutex_, as is stop_
  bool stop_ = false;
};

}  // namespace

std::vector<BestTranslation> translate(const Model& model, const std::vector<std::string>& lines,
                                       const BatchOptions& options, Writer* nbest,
                                       const std::function<void()>& interrupted) {
  return Batch(model, lines, options, nbest).run(interrupted);
}

}  // namespace nlmt::decoder
