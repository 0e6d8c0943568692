#include "reordering.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "counting.h"
#include "hashing.h"

namespace nlmt::decoder {

ReorderingType::ReorderingType(const std::string& name) {
  std::istringstream parts(name);
  std::string part;
  bool condition = false;
  while (std::getline(parts, part, '-')) {
    if (part == "wbe" || part == "phrase") {
      // They differ in training alone, and old types have neither.
    } else if (part == "msd") {
      orientation = {0, 1, 2, 2};
      orientations = 3;
    } else if (part == "mslr") {
      orientation = {0, 1, 3, 2};  // columns: monotone, swap, left, right
      orientations = 4;
    } else if (part == "monotonicity") {
      orientation = {0, 1, 1, 1};
      orientations = 2;
    } else if (part == "leftright") {
      orientation = {0, 1, 0, 1};
      orientations = 2;
    } else if (part == "backward" || part == "unidirectional") {
      backward = true;
      forward = false;
    } else if (part == "forward") {
      backward = false;
      forward = true;
    } else if (part == "bidirectional") {
      backward = forward = true;
    } else if (part == "f" || part == "fe") {
      by_target = part == "fe";
      condition = true;
    } else if (part == "allff" || part == "collapseff") {
      collapse = part == "collapseff";
    } else if (part == "hier") {
      throw InputError("hierarchical reordering models (hier) are not supported: " + name, "", 0,
                       "use a wbe or phrase model");
    } else {
      throw InputError("unknown part '" + part + "' of the reordering type " + name);
    }
  }
  if (!orientations || !condition) {
    throw InputError("the reordering type " + name + " is not complete", "", 0,
                     "for example wbe-msd-bidirectional-fe-allff");
  }
}

ReorderingTable::ReorderingTable(const std::string& path, const std::string& label,
                                 const ReorderingType& type,
                                 const std::vector<const PhraseTable*>& tables,
                                 Vocabulary& vocabulary, int threads,
                                 std::vector<std::string>& warnings)
    : type_(type), cursor_(tables.size(), 0) {
  const auto mapped = [](const PhraseTable* table) { return table->binary() != nullptr; };
  if (std::any_of(tables.begin(), tables.end(), mapped) || BinaryTable::recognises(path)) {
    map(path, label, tables);
    return;
  }
  for (const PhraseTable* table : tables) rows_.emplace_back(table->size(), kNone);
  const TableFormat format{path, label, type.table_width(), type.by_target, false};
  parse_table(format, threads, warnings,
              [&](TableBlock&& block) { append(std::move(block), path, tables, vocabulary); });
  if (type_.by_target) {
    for (std::size_t t = 0; t < tables.size(); ++t) share(*tables[t], rows_[t]);
  }
}

// A binary table has the reordering scores of its own phrase pairs.
void ReorderingTable::map(const std::string& path, const std::string& label,
                          const std::vector<const PhraseTable*>& tables) {
  const BinaryTable* binary = tables.front()->binary();
  if (tables.size() != 1 || !binary || binary->file().path() != path) {
    throw InputError(label + " and the one phrase table must have the same binary table as path",
                     path, 0, "use the text tables, or binarise both together");
  }
  if (binary->reordering_width() != type_.table_width() || binary->by_target() != type_.by_target) {
    throw InputError("the binary table has " + std::to_string(binary->reordering_width()) +
                         " reordering scores, but the type of " + label + " needs " +
                         std::to_string(type_.table_width()),
                     path, 0, "correct the type in moses.ini, or binarise with this table");
  }
  mapped_ = binary->file().data<float>(kReordering);
}

void ReorderingTable::append(TableBlock&& block, const std::string& path,
                             const std::vector<const PhraseTable*>& tables,
                             Vocabulary& vocabulary) {
  renumber_words(block, vocabulary, false);
  const std::size_t width = type_.table_width();
  // Each table may use each line.
  check_numbered(scores_.size() / width + tables.size() * block.lines.size(),
                 "over 2^32 reordering scores are in use",
                 "filter the table to the text, or binarise both tables", path);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const PhraseTable& table = *tables[t];
    std::uint32_t last_source = kNone;
    std::pair<std::size_t, std::size_t> range;
    for (std::size_t l = 0; l < block.lines.size(); ++l) {
      const TableBlock::Line& line = block.lines[l];
      if (line.source != last_source) {
        last_source = line.source;
        const std::uint32_t node = table.sources().find(block.sources[line.source]);
        range = node == PhraseTrie::kNone ? decltype(range)() : table.entries(node);
      }
      if (range.first == range.second) continue;
      const std::uint32_t row = static_cast<std::uint32_t>(scores_.size() / width);
      bool used = false;
      // Both tables mostly have the same order: look first after the last match.
      const std::size_t count = range.second - range.first;
      const std::size_t from =
          cursor_[t] >= range.first && cursor_[t] < range.second ? cursor_[t] : range.first;
      const WordId* target = block.target_words.data() + line.target_begin;
      for (std::size_t step = 0; step < count; ++step) {
        const std::size_t number = range.first + (from - range.first + step) % count;
        const TableEntry& entry = table.entry(number);
        if (type_.by_target && (entry.length != line.target_length ||
                                !std::equal(target, target + entry.length, table.words(entry)))) {
          continue;
        }
        rows_[t][number] = row;
        used = true;
        cursor_[t] = number + 1;
        if (type_.by_target) break;
      }
      if (used) {
        const auto scores = block.scores.begin() + l * width;
        scores_.insert(scores_.end(), scores, scores + width);
      }
    }
  }
}

// Where a phrase pair stands more than once, gives each copy the last scores of the pair, which are
// what Moses finds by its words.
void ReorderingTable::share(const PhraseTable& table, std::vector<std::uint32_t>& rows) const {
  using Copy = std::pair<std::uint64_t, std::size_t>;  // hash of the target, entry
  const auto before = [&](const Copy& a, const Copy& b) {
    if (a.first != b.first) return a.first < b.first;
    const TableEntry &one = table.entry(a.second), &other = table.entry(b.second);
    const WordId *ones = table.words(one), *others = table.words(other);
    return std::lexicographical_compare(ones, ones + one.length, others, others + other.length);
  };
  std::vector<Copy> copies;
  for (std::uint32_t source = 0; source < table.sources().size(); ++source) {
    const auto [first, last] = table.entries(source);
    copies.clear();
    for (std::size_t number = first; number < last; ++number) {
      const TableEntry& entry = table.entry(number);
      const WordId* words = table.words(entry);
      copies.emplace_back(std::accumulate(words, words + entry.length, std::uint64_t{0}, combine),
                          number);
    }
    std::sort(copies.begin(), copies.end(), before);
    for (std::size_t begin = 0, end; begin < copies.size(); begin = end) {
      std::uint32_t row = kNone;
      for (end = begin; end < copies.size() && !before(copies[begin], copies[end]); ++end) {
        const std::uint32_t own = rows[copies[end].second];
        if (row == kNone || (own != kNone && own > row)) row = own;
      }
      for (std::size_t i = begin; i < end; ++i) rows[copies[i].second] = row;
    }
  }
}

}  // namespace nlmt::decoder
