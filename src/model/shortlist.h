#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/safetensors.h"
#include "model/model_config.h"

namespace memsizer {

// Which target tokens a source makes likely, so that a step of generation need not compute the scores of all
// others: for each source token its likeliest translations, and what any output may need.
class Shortlist {
 public:
  // `frequent` is likely whatever the source, to which the special tokens are added; `likely` has a list per
  // source token. Any order.
  Shortlist(std::vector<int32_t> frequent, std::span<const std::vector<int32_t>> likely);

  // That of a model file. Throws UserError unless its tokens are those of the configuration.
  static Shortlist read(const SafetensorsFile& file, const ModelConfig& config);
  // As a model file has it; the data are the object's.
  std::vector<NamedTensor> tensors() const;

  std::span<const int32_t> frequent() const { return frequent_; }
  // Tokens in the lists of all source tokens together.
  int64_t entries() const { return static_cast<int64_t>(tokens_.size()); }

  // What the outputs for a source choose among: rising, the special tokens first.
  std::vector<int32_t> candidates(std::span<const int32_t> source) const;

 private:
  Shortlist() = default;
  void find_begins();

  std::vector<int32_t> frequent_;  // rising
  std::vector<int32_t> counts_;    // of the tokens that each source token makes likely
  std::vector<int32_t> tokens_;    // those, one source token after the other, rising for each
  std::vector<size_t> begins_;     // of each source token in them
};

// Whether a tensor of a model file belongs to its shortlist.
bool is_shortlist_tensor(std::string_view name);

// Throws UserError if models of this configuration choose their tokens otherwise; `name` opens the message.
void require_shortlist_fits(const ModelConfig& config, std::string_view name);

}  // namespace memsizer
