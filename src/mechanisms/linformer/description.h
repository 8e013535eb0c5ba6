#pragma once

#include "mechanisms/description.h"

// Linformer: softmax attention over keys and values compressed along time to a fixed number of slots, by
// matrices E and F of one row per slot and one column per position:
//
//   out = W_o softmax(Q (E K)^T / sqrt(h)) (F V)        for each head of h channels
//
// Each compressed slot mixes all positions, so it serves the encoder only; the longest sequence is built in.
namespace memsizer {

enum class LinformerForm { Fairseq, Lucid };

template <>
std::span<const std::pair<LinformerForm, std::string_view>> enum_names<LinformerForm>();

struct LinformerOptions {
  static constexpr std::string_view kSection = "linformer";

  LinformerForm form = LinformerForm::Fairseq;
  int64_t slots = 32;
  int64_t max_length = 1024;
  bool shared = false;

  template <typename Self, typename Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("form", self.form, "fairseq compresses before the projections, lucid after them");
    visit("slots", self.slots, "compressed length");
    visit("max_length", self.max_length, "longest sequence, built into the parameters");
    visit("shared", self.shared,
          "one compression for keys and values; lucid also drops the value projection");
  }
};

}  // namespace memsizer
