#include "report/page_style.h"

namespace memsizer::report {
namespace {

// line-N and mark-N are the classes of a chart's series (chart.cc).
constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --page: #ffffff; --text: #1c2126; --quiet: #5b6770; --rule: #d9dee3; --panel: #f6f8fa;
  --lost: #fde4d0; --lost-line: #b34700; --new: #d6eaf8; --new-line: #005f96;
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 2rem 1.5rem 3rem; max-width: 76rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, "Segoe UI", Helvetica, Arial, sans-serif; overflow-wrap: anywhere;
}
h1 { margin: 0 0 1.2rem; font-size: 1.7rem; line-height: 1.25; }
h2 { margin: 2.2rem 0 .8rem; padding-bottom: .3rem; border-bottom: 1px solid var(--rule); font-size: 1.15rem; }
table { border-collapse: collapse; }
th, td { padding: .4rem .8rem; border-bottom: 1px solid var(--rule); text-align: left; vertical-align: top; }
th { font-weight: 600; }
.summary th { padding-left: 0; color: var(--quiet); font-weight: 400; min-width: 9rem; }
.summary td { font-variant-numeric: tabular-nums; white-space: pre-wrap; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 28rem), 1fr)); gap: 1rem; }
figure { margin: 0; padding: .6rem; border: 1px solid var(--rule); border-radius: 6px; max-width: 44rem; }
svg { display: block; width: 100%; height: auto; }
.figures { font-variant-numeric: tabular-nums; font-size: .9rem; }
.figures th { color: var(--quiet); vertical-align: bottom; overflow-wrap: normal; }
.figures th:first-child, .figures td:first-child { padding-left: 0; }
.figures .number { text-align: right; white-space: nowrap; }
.wide { overflow-x: auto; }
.samples { width: 100%; table-layout: fixed; }
.samples thead th { color: var(--quiet); font-size: .85rem; }
.samples td { white-space: pre-wrap; }
.samples td:first-child, .samples th:first-child { padding-left: 0; }
.lost, .new { padding: 0 .15em; border-radius: 3px; color: inherit; box-decoration-break: clone; }
.lost { background: var(--lost); border-bottom: 2px dotted var(--lost-line); text-decoration: none; }
.new { background: var(--new); border-bottom: 2px solid var(--new-line); text-decoration: none; }
.quiet { color: var(--quiet); font-style: normal; }
.key { margin: 0 0 .6rem; color: var(--quiet); font-size: .9rem; }
summary { cursor: pointer; }
pre {
  margin: .8rem 0 0; padding: 1rem; overflow-x: auto; background: var(--panel); border: 1px solid var(--rule);
  border-radius: 6px; font: 13px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; overflow-wrap: normal;
}
@media (max-width: 45rem) {
  body { padding: 1.2rem 1rem 2rem; }
  .summary { width: 100%; }
  .samples, .samples tbody, .samples tr, .samples td { display: block; }
  .samples thead { display: none; }
  .samples tr { padding: .6rem 0; border-bottom: 1px solid var(--rule); }
  .samples td { padding: .15rem 0; border: 0; }
  .samples td::before { content: attr(data-label); display: block; color: var(--quiet); font-size: .8rem; }
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --page: #15191d; --text: #e3e8ec; --quiet: #9aa7b2; --rule: #323a42; --panel: #1d2329;
    --lost: #4d2c14; --lost-line: #ff9a56; --new: #12384f; --new-line: #62bdf0;
  }
  .line-0 { stroke: #56b4e9; } .mark-0 { fill: #56b4e9; }
  .line-1 { stroke: #ff8a3d; } .mark-1 { fill: #ff8a3d; }
  .line-2 { stroke: #2fc79a; } .mark-2 { fill: #2fc79a; }
  .line-3 { stroke: #e59ac4; } .mark-3 { fill: #e59ac4; }
  .line-4 { stroke: #e6b422; } .mark-4 { fill: #e6b422; }
  .line-5 { stroke: #a9b7c4; } .mark-5 { fill: #a9b7c4; }
}
@media print {
  @page { margin: 15mm; }
  body { padding: 0; max-width: none; font-size: 10pt; }
  .charts { grid-template-columns: 1fr 1fr; }
  figure, tr { break-inside: avoid; }
  .figures { font-size: 7.5pt; }
  .figures th, .figures td { padding: .2rem .35rem; }
  .wide { overflow-x: visible; }
  h2 { break-after: avoid; }
  .lost, .new { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
}
)css";

}  // namespace

std::string_view page_style() {
  return kStyle;
}

}  // namespace memsizer::report
