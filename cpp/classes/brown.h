// Words in classes, and the classes in a tree: see cluster and arrange.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace nlmt::classes {

struct Neighbour {
  int32_t id;
  uint32_t count;
};

// Bigram counts of words 0 .. V-1 in order of falling frequency. Id V is the sentence boundary: a
// context like any other, but never merged with a word.
struct Bigrams {
  std::vector<int64_t> unigram;               // (V + 1)
  std::vector<std::vector<Neighbour>> right;  // (V + 1): followers of a word, without itself
  std::vector<std::vector<Neighbour>> left;   // (V + 1): predecessors of a word, without itself
  std::vector<uint32_t> self;                 // (V + 1): how often a word follows itself
  int64_t total = 0;                          // sum of all counts

  int words() const { return static_cast<int>(unigram.size()) - 1; }
};

struct Options {
  bool refine = true;      // let words move to better classes (Exchange)
  double penalty = 0;      // nats for each word that a class is expected to have
  bool word_tree = false;  // the tree goes down to the words
};

struct Clusters {
  std::vector<int32_t> start;    // (V): classes before words moved
  std::vector<int32_t> classes;  // (V): after the exchange
  // (K - 1) larger class, class merged into it; (V - 1) likewise of words, with `word_tree`.
  std::vector<std::pair<int32_t, int32_t>> merges;
};

// Clusters the words into `classes` classes that preserve much of the average mutual information of
// neighbouring words, and merges the classes into a binary tree.
//
// Brown et al. 1992, section 3: the K most frequent words are classes of their own; each further
// word, by frequency, becomes class K + 1, and the two classes are merged whose merge loses least.
// The rest is as in arrange. `poll` is called now and then; it may throw to stop.
//
// With a penalty the objective is
//
//     N (mutual information) - penalty sum over classes c of P_c |c|
//
// for N bigrams, in window and exchange: P_c / N |c|, summed, is the size that the class of a word
// of the text is expected to have.
Clusters cluster(const Bigrams& bigrams, int classes, const Options& options,
                 const std::function<void()>& poll);

// Starts from given, non-empty classes 0 .. K - 1 (V). The tree comes from K - 1 merges of
// the classes, each of which loses least mutual information; with `word_tree` the words of each
// class are merged in the same way, beside all other classes, of a large class as in the window.
Clusters arrange(const Bigrams& bigrams, std::vector<int32_t> start, int classes,
                 const Options& options, const std::function<void()>& poll);

}  // namespace nlmt::classes
