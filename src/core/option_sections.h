#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"

namespace memsizer {

// Options whose type is known only to those who use them: a named section of a configuration.
class OptionSection {
 public:
  virtual ~OptionSection() = default;

  virtual std::string_view name() const = 0;
  virtual std::unique_ptr<OptionSection> clone() const = 0;
  // Appends its options, with paths that start with the section's name under `prefix`.
  virtual void collect(const std::string& prefix, std::vector<OptionRef>& into) = 0;
  // Sets the options to what they are in a model file that does not name them.
  virtual void set_unnamed() = 0;
};

// The section of an options struct, which names it: `static constexpr std::string_view kSection`. If it has
// `static constexpr size_t kFirstOptions`, the options after so many came later than the format of model
// files: they are written only where they differ from their defaults, so that older programs read what needs
// none of them. If it has a base `Unnamed`, a file that does not name one of its options means that of an
// `Unnamed`: the defaults of such a struct may change, and files name every option that it had.
template <typename Options>
class TypedOptionSection final : public OptionSection {
 public:
  std::string_view name() const override { return Options::kSection; }
  std::unique_ptr<OptionSection> clone() const override {
    return std::make_unique<TypedOptionSection>(*this);
  }
  void collect(const std::string& prefix, std::vector<OptionRef>& into) override {
    const std::string section(name());
    const size_t first = into.size();
    options_detail::collect(options, prefix.empty() ? section : prefix + "." + section, into);
    if constexpr (requires { Options::kFirstOptions; }) {
      Options standard;
      const std::vector<OptionRef> defaults = collect_options(standard, "");
      for (size_t i = Options::kFirstOptions; i < defaults.size(); ++i) {
        OptionRef& option = into[first + i];
        option.left_out = [get = option.get, value = defaults[i].get()] { return get() == value; };
      }
    }
  }

  void set_unnamed() override {
    if constexpr (requires { typename Options::Unnamed; }) {
      static_cast<typename Options::Unnamed&>(options) = typename Options::Unnamed();
    }
  }

  Options options;
};

// Sections side by side, each found by its type; a value.
class OptionSections {
 public:
  OptionSections() = default;
  OptionSections(const OptionSections& other) {
    for (const auto& section : other.sections_) sections_.push_back(section->clone());
  }
  OptionSections& operator=(const OptionSections& other) {
    OptionSections copy(other);
    sections_ = std::move(copy.sections_);
    return *this;
  }
  OptionSections(OptionSections&&) = default;
  OptionSections& operator=(OptionSections&&) = default;
  ~OptionSections() = default;

  // A section of a name that is present already is left out: mechanisms may share one.
  void add(std::unique_ptr<OptionSection> section) {
    if (!find(section->name())) sections_.push_back(std::move(section));
  }

  template <typename Options>
  Options& get() {
    return typed<Options>().options;
  }
  template <typename Options>
  const Options& get() const {
    return typed<Options>().options;
  }

  void collect(const std::string& prefix, std::vector<OptionRef>& into) {
    for (const auto& section : sections_) section->collect(prefix, into);
  }
  // For the sections that a file's configuration has.
  void set_unnamed(const nlohmann::json& configuration) {
    for (const auto& section : sections_) {
      if (configuration.contains(section->name())) section->set_unnamed();
    }
  }

 private:
  OptionSection* find(std::string_view name) const {
    for (const auto& section : sections_) {
      if (section->name() == name) return section.get();
    }
    return nullptr;
  }

  template <typename Options>
  TypedOptionSection<Options>& typed() const {
    auto* section = dynamic_cast<TypedOptionSection<Options>*>(find(Options::kSection));
    if (!section) throw std::logic_error("no options named " + std::string(Options::kSection));
    return *section;
  }

  std::vector<std::unique_ptr<OptionSection>> sections_;
};

}  // namespace memsizer
