// SPDX-License-Identifier: Apache-2.0
#include "roofbeam/report/text_width.h"

#include <algorithm>
#include <array>

namespace roofbeam {
namespace {

constexpr char32_t kReplacement = 0xFFFD;
constexpr int kGluedColumns = 16;  // longer pairs would leave holes at the ends of lines

struct Range {
  char32_t first;
  char32_t last;
};
// After Unicode's East Asian Width (W and F) and General Category (Mn, Me, Cf), whole blocks where
// nearly all of a block agrees.
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x23E9, 0x23EC},
    Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},
    Range{0x4E00, 0xA4CF},   Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},
    Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
    Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF},
    Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD}};
constexpr std::array kNoWidth = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489},  Range{0x0591, 0x05BD}, Range{0x0610, 0x061A},
    Range{0x064B, 0x065F}, Range{0x0E34, 0x0E3A},  Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
    Range{0x200B, 0x200D}, Range{0x20D0, 0x20FF},  Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F},
    Range{0xFEFF, 0xFEFF}, Range{0xE0100, 0xE01EF}};
// Controls, marks that turn the direction of text, and separators that begin a line of their own.
constexpr std::array kSteering = {Range{0x00, 0x1F},     Range{0x7F, 0x9F},
                                  Range{0x061C, 0x061C}, Range{0x200E, 0x200F},
                                  Range{0x2028, 0x202E}, Range{0x2060, 0x206F}};

struct Spelling {
  char32_t sign;
  const char* text;
};
constexpr std::array kSpellings = {
    Spelling{0xA0, " "},    Spelling{0xB0, "deg"},    Spelling{0xB1, "+-"},
    Spelling{0xB2, "^2"},   Spelling{0xB3, "^3"},     Spelling{0xB5, "u"},
    Spelling{0x3BC, "u"},   Spelling{0xB7, "."},      Spelling{0xD7, "x"},
    Spelling{0xF7, "/"},    Spelling{0x2010, "-"},    Spelling{0x2011, "-"},
    Spelling{0x2012, "-"},  Spelling{0x2013, "-"},    Spelling{0x2014, "-"},
    Spelling{0x2018, "'"},  Spelling{0x2019, "'"},    Spelling{0x201C, "\""},
    Spelling{0x201D, "\""}, Spelling{0x2022, "*"},    Spelling{0x2026, "..."},
    Spelling{0x202F, " "},  Spelling{0x2190, "<-"},   Spelling{0x2192, "->"},
    Spelling{0x2212, "-"},  Spelling{0x221A, "sqrt"}, Spelling{0x2248, "~"},
    Spelling{0x2260, "!="}, Spelling{0x2264, "<="},   Spelling{0x2265, ">="}};

template <std::size_t N>
bool lies_in(char32_t value, const std::array<Range, N>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [value](Range r) { return value >= r.first && value <= r.last; });
}

int width_of(char32_t value) {
  if (value < 0x300) return 1;
  if (lies_in(value, kNoWidth)) return 0;
  return lies_in(value, kWide) ? 2 : 1;
}

void append_ascii(std::string& text, char32_t value) {
  for (const Spelling& spelling : kSpellings) {
    if (spelling.sign == value) {
      text += spelling.text;
      return;
    }
  }
  if (width_of(value) > 0) text += '?';
}

// How many bytes of `word` fill a line of `width`; at least one code point.
std::size_t bytes_that_fit(std::string_view word, int width) {
  std::size_t end = 0;
  std::size_t nice = 0;  // behind the last sign at which a reader expects a break
  int used = 0;
  while (end < word.size()) {
    const CodePoint next = decode(word, end);
    if (used + width_of(next.value) > width && end > 0) break;
    used += width_of(next.value);
    end += next.bytes;
    if (next.value < 0x80 &&
        std::string_view("/._-,:=").find(static_cast<char>(next.value)) != std::string_view::npos) {
      nice = end;
    }
  }
  return end < word.size() && nice * 2 > end ? nice : end;
}

bool is_number(std::string_view word) {
  return word.find_first_not_of("0123456789.,+-") == std::string_view::npos &&
         word.find_first_of("0123456789") != std::string_view::npos;
}

// Where the piece ends that begins at `at` and is kept together: a word, or a number with the word
// behind it ("91 %", "12.4 ms").
std::size_t piece_end(std::string_view text, std::size_t at, int width) {
  const std::size_t end = std::min(text.find(' ', at), text.size());
  if (end + 1 >= text.size() || text[end + 1] == ' ' || !is_number(text.substr(at, end - at))) {
    return end;
  }
  const std::size_t both = std::min(text.find(' ', end + 1), text.size());
  const int wide = display_width(text.substr(at, both - at));
  return wide <= std::min(width, kGluedColumns) ? both : end;
}

// One line's worth of wrap(): `text` holds no line feed.
void wrap_line(std::string_view text, int width, std::vector<std::string>& lines) {
  std::string line;
  int used = 0;
  std::size_t at = 0;
  while (true) {
    at = text.find_first_not_of(' ', at);
    if (at == std::string_view::npos) break;
    const std::size_t end = piece_end(text, at, width);
    std::string_view word = text.substr(at, end - at);
    at = end;
    int wide = display_width(word);
    if (!line.empty() && used + 1 + wide > width) {
      lines.push_back(std::move(line));
      line.clear();
      used = 0;
    }
    while (wide > width) {
      const std::size_t fits = bytes_that_fit(word, width);
      lines.emplace_back(word.substr(0, fits));
      word.remove_prefix(fits);
      wide = display_width(word);
    }
    if (word.empty()) continue;
    if (!line.empty()) {
      line += ' ';
      ++used;
    }
    line += word;
    used += wide;
  }
  if (!line.empty() || lines.empty()) lines.push_back(std::move(line));
}

}  // namespace

CodePoint decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[i]));
  };
  const char32_t lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  constexpr std::array<char32_t, 4> kSmallest = {0, 0x80, 0x800, 0x10000};
  if (lead < 0xC2 || lead > 0xF4 || at + more >= text.size()) return {kReplacement, 1};
  char32_t value = lead & (0x3Fu >> more);
  for (std::size_t i = 1; i <= more; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {kReplacement, 1};
    value = value << 6 | (byte(at + i) & 0x3F);
  }
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest[more] || value > 0x10FFFF || surrogate) return {kReplacement, 1};
  return {value, more + 1};
}

void append(std::string& text, char32_t code_point) {
  const auto tail = [&](int shift) {
    text += static_cast<char>(0x80 | (code_point >> shift & 0x3F));
  };
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    text += static_cast<char>(0xC0 | code_point >> 6);
    tail(0);
  } else if (code_point < 0x10000) {
    text += static_cast<char>(0xE0 | code_point >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xF0 | code_point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

std::string clean(std::string_view text, bool unicode) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode(text, at);
    at += next.bytes;
    if (next.value == '\n') {
      result += '\n';
    } else if (next.value == '\t') {
      result += ' ';
    } else if (next.value == '\r' && at < text.size() && text[at] == '\n') {
      continue;
    } else if (lies_in(next.value, kSteering) || next.value == kReplacement) {
      result += unicode ? "\uFFFD" : "?";
    } else if (next.value >= 0x80 && !unicode) {
      append_ascii(result, next.value);
    } else {
      append(result, next.value);
    }
  }
  return result;
}

std::string clean_line(std::string_view text, bool unicode) {
  std::string line = clean(text, unicode);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint next = decode(text, at);
    width += width_of(next.value);
    at += next.bytes;
  }
  return width;
}

int longest_word(std::string_view text) {
  int longest = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    longest = std::max(longest, display_width(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

std::vector<std::string> wrap(std::string_view text, int width) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::vector<std::string> part;
    wrap_line(text.substr(0, end), width, part);
    lines.insert(lines.end(), part.begin(), part.end());
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

std::string pad(std::string_view text, int width, bool right) {
  const std::string blanks = repeat(" ", width - display_width(text));
  return right ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string repeat(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

}  // namespace roofbeam
