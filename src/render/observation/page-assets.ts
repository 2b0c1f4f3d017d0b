/** The style and the script of the page. The page can be read without either. */

export const pageStyle = `:root {
  color-scheme: light dark;
  --text: #1c1e21;
  --soft: #5c6370;
  --line: #d9dce1;
  --ground: #ffffff;
  --raised: #f6f7f9;
  --good: #1a7f37;
  --bad: #c0262d;
  --warn: #9a6700;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #e6e8eb;
    --soft: #9aa2ad;
    --line: #363b42;
    --ground: #15181c;
    --raised: #1e2227;
    --good: #4ac26b;
    --bad: #ff7b72;
    --warn: #e3b341;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 70rem;
  padding: 1.5rem 1rem 3rem;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif;
}
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 2rem 0 0.5rem; font-size: 1.1rem; }
p { margin: 0.25rem 0; }
.tool, .facts, #live, .next, caption { color: var(--soft); }
.accepted { color: var(--good); }
.rejected, .error, .stale { color: var(--bad); }
.running, .attention { color: var(--warn); }
ul.entries { margin: 0; padding: 0; list-style: none; }
ul.entries li {
  margin: 0.5rem 0;
  padding: 0.5rem 0.75rem;
  border-left: 4px solid var(--warn);
  background: var(--raised);
  overflow-wrap: anywhere;
}
dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: 0.5rem; margin: 1rem 0 0; }
@media (max-width: 40rem) { dl { grid-template-columns: repeat(2, 1fr); } }
dl > div { padding: 0.5rem 0.75rem; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; }
dt { color: var(--soft); font-size: 0.85rem; }
dd { margin: 0; font-size: 1.2rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 0.95rem; }
th, td { padding: 0.35rem 0.75rem 0.35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.id, td.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
`

/** Replaces the content by a new rendering of the server when the surface changes. */
export const pageScript = `'use strict';
const live = document.getElementById('live');
let refreshing = false;
let again = false;
async function refresh() {
  if (refreshing) { again = true; return; }
  refreshing = true;
  try {
    do {
      again = false;
      const answer = await fetch('/', { headers: { accept: 'text/html' } });
      const text = await answer.text();
      const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('main');
      if (fresh) document.querySelector('main').replaceWith(fresh);
    } while (again);
    live.textContent = 'Live';
  } catch {
    live.textContent = 'Not connected';
  } finally {
    refreshing = false;
  }
}
const events = new EventSource('/events');
events.addEventListener('open', () => { live.textContent = 'Live'; });
events.addEventListener('error', () => { live.textContent = 'Not connected'; });
events.addEventListener('surface', event => {
  const known = document.querySelector('main').dataset.digest;
  if (JSON.parse(event.data).digest !== known) void refresh();
});
`
