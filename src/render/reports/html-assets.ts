/**
 * The style and the filter script of the report. Neither contains `<` or `&`, which would break
 * XML.
 */

export const style = `
:root {
  --page: #f6f7f9; --card: #fff; --ink: #1b1f27; --soft: #5b6472; --line: #dfe3e9; --code: #f1f3f6;
  --pass: #177245; --pass-tint: #dff3e7; --fail: #b3261e; --fail-tint: #fce4e2;
  --skip: #775300; --skip-tint: #fbefd2; --unrun: #525b69; --unrun-tint: #e7eaef; --focus: #2457d6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12151a; --card: #1a1e25; --ink: #e7eaf0; --soft: #9aa4b2; --line: #2b313b; --code: #13161b;
    --pass: #6fd39c; --pass-tint: #15331f; --fail: #ff938a; --fail-tint: #431a18;
    --skip: #ecc26a; --skip-tint: #382a0d; --unrun: #aab3c0; --unrun-tint: #2a303a; --focus: #8fb0ff;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 68rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif;
}
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.tool { margin: 0; color: var(--soft); font-weight: 600; letter-spacing: .02em; }
h1 { margin: .1rem 0 .3rem; font-size: 2.1rem; line-height: 1.2; letter-spacing: -.02em; }
h1.pass { color: var(--pass); }
h1.fail { color: var(--fail); }
h2 { margin: 2rem 0 .6rem; font-size: 1rem; overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: 0; color: var(--soft); font-size: .87rem; }
.bar { display: block; width: 100%; height: .6rem; margin: 1.1rem 0; border-radius: .3rem; }
rect.pass { fill: var(--pass); }
rect.fail { fill: var(--fail); }
rect.skip { fill: var(--skip); }
rect.not-run { fill: var(--unrun); }
#filter { display: flex; flex-wrap: wrap; gap: .6rem 1rem; align-items: center; }
#words {
  flex: 1 1 16rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--card); color: inherit; font: inherit;
}
fieldset { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0; padding: 0; border: 0; }
legend { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
label {
  display: flex; gap: .4rem; align-items: center; padding: .3rem .7rem; border: 1px solid var(--line);
  border-radius: 2rem; background: var(--card); cursor: pointer; font-size: .87rem;
}
label input { margin: 0; accent-color: currentColor; }
#shown { flex-basis: 100%; margin: 0; color: var(--soft); font-size: .87rem; }
nav ul { margin: 0; padding: 0; list-style: none; columns: 22rem; column-gap: 2rem; }
nav li { margin: .15rem 0; break-inside: avoid; overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--fail); text-underline-offset: .2em; }
.case, article {
  margin: .35rem 0; border: 1px solid var(--line); border-left: 4px solid var(--unrun);
  border-radius: .5rem; background: var(--card); scroll-margin-top: 1rem; content-visibility: auto;
  contain-intrinsic-size: auto 2.6rem;
}
.case.pass { border-left-color: var(--pass); }
.case.fail, article.fail { border-left-color: var(--fail); }
.case.skip { border-left-color: var(--skip); }
summary, article p {
  display: flex; flex-wrap: wrap; gap: .2rem .7rem; align-items: baseline; margin: 0; padding: .5rem .8rem;
}
summary { cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary:hover { background: var(--code); }
.status, .flaky {
  flex: none; padding: 0 .55rem; border-radius: 1rem; background: var(--unrun-tint); color: var(--unrun);
  font-size: .78rem; font-weight: 600;
}
.pass .status, label.pass { color: var(--pass); }
.pass .status { background: var(--pass-tint); }
.fail .status, label.fail { color: var(--fail); }
.fail .status { background: var(--fail-tint); }
.skip .status, label.skip, .flaky { color: var(--skip); }
.skip .status, .flaky { background: var(--skip-tint); }
.id { font-weight: 600; overflow-wrap: anywhere; }
.title { overflow-wrap: anywhere; }
.place { margin-left: auto; color: var(--soft); font-size: .82rem; overflow-wrap: anywhere; }
.time { min-width: 4rem; color: var(--soft); font-size: .82rem; text-align: right; font-variant-numeric: tabular-nums; }
pre {
  margin: 0 .8rem .7rem; padding: .75rem .9rem; overflow-x: auto; border-radius: .4rem; background: var(--code);
  font: 13px/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, monospace; tab-size: 2;
}
.case p, .case ul { margin: 0 .8rem .7rem; color: var(--soft); font-size: .87rem; }
.case ul { padding-left: 1.1rem; overflow-wrap: anywhere; }
.tag { padding: 0 .5rem; border: 1px solid var(--line); border-radius: .3rem; }
@media print { #filter { display: none; } .case { break-inside: avoid; } }
`

export const script = `
const words = document.getElementById('words')
const boxes = [...document.querySelectorAll('#filter input[type=checkbox]')]
const cases = [...document.querySelectorAll('.case')].map(node => ({ node, text: node.textContent.toLowerCase() }))
const documents = [...document.querySelectorAll('.document')]
const apply = () => {
  const wanted = words.value.trim().toLowerCase()
  const off = boxes.filter(box => !box.checked).map(box => box.value)
  for (const { node, text } of cases) {
    node.hidden = !text.includes(wanted) || off.some(one => node.classList.contains(one))
  }
  for (const one of documents) one.hidden = !one.querySelector('.case:not([hidden])')
  const shown = cases.filter(({ node }) => !node.hidden).length
  document.getElementById('shown').textContent =
    shown === cases.length ? '' : shown + ' of ' + cases.length + ' shown'
}
document.getElementById('filter').hidden = cases.length === 0
words.addEventListener('input', apply)
for (const box of boxes) box.addEventListener('change', apply)
apply()
`
