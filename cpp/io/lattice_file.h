// A file of lattices: written in order, read one by one or in order; src/nlmt/io/lattice_file.py.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files.h"
#include "lattice.h"
#include "lattice_record.h"
#include "word_table.h"

namespace nlmt::io {

// A feature's label and the weights of its values.
using LatticeFeature = std::pair<std::string, std::vector<double>>;

class LatticeWriter {
 public:
  // Raises SystemError, as all of it.
  LatticeWriter(const std::string& path, const std::vector<LatticeFeature>& features);

  // `spelling` are the words that the record names, in its order.
  void add(const LatticeRecord& record, const std::vector<std::string_view>& spelling);
  // Writes words and index; without it the file cannot be read.
  void close();

 private:
  void put(std::string_view bytes);

  OutputFile file_;
  WordTable words_;
  std::vector<std::uint64_t> offsets_;
  std::uint64_t size_ = 0;
};

class LatticeReader {
 public:
  // Reads all but the lattices. Raises InputError and SystemError, as does `read`.
  explicit LatticeReader(std::string path);

  const std::vector<LatticeFeature>& features() const { return features_; }
  const std::vector<std::string>& words() const { return words_; }
  std::size_t size() const { return offsets_.size() - 1; }
  // Lattice `number` of the file; its word ids are places in words().
  Lattice read(std::size_t number) const;

 private:
  std::string bytes(std::uint64_t offset, std::uint64_t size) const;
  void read_tables(std::uint64_t size);
  [[noreturn]] void damaged(const std::string& what) const;

  std::string path_;
  File file_;
  std::size_t width_ = 0;
  std::vector<LatticeFeature> features_;
  std::vector<std::string> words_;
  std::vector<std::uint64_t> offsets_;  // of each lattice, and of the part after the last
};

}  // namespace nlmt::io
