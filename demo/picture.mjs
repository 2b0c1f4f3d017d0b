/**
 * Draws docs/picture.svg from a real session: each command runs in a pseudo-terminal, and the picture
 * shows what the terminal shows at the end. `npm run picture` builds first. Needs python3 and git.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { aFolder, command, env, must } from './stage.mjs'

const columns = 96
const picture = fileURLToPath(new URL('../docs/picture.svg', import.meta.url))
const terminal = fileURLToPath(new URL('../test/pseudo-terminal.py', import.meta.url))

const session = [
  ['premath issue add "Fix login timeout" --priority 0', 0],
  ['premath issue add "Write release notes"', 0],
  ['premath issue update bd-1 --status closed', 1],
  ['premath run --workers 2 --work-cmd ./agent --verify-cmd ./check', 0],
  ['git log --oneline', 0],
  ['premath witness verify bd-1', 0],
  ["sed -i 's/accepted/ACCEPTED/' .premath/proofs/bd-1/*.json", 0],
  ['premath witness verify bd-1', 5],
]

/** A stand-in for an agent that takes a moment and writes a file. */
const agent = `#!/bin/sh
sleep 0.4
echo "$PREMATH_ISSUE_TITLE" > "$PREMATH_ISSUE_ID.txt"
`

const folder = aFolder()
const project = join(folder, 'project')
const person = {
  ...env,
  HOME: folder,
  TERM: 'xterm-256color',
  PATH: `${folder}:${env.PATH}`,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_PAGER: 'cat',
}
delete person.NO_COLOR
delete person.CI

function prepare() {
  const launcher = `#!/bin/sh\nexec '${process.execPath}' '${command}' "$@"\n`
  writeFileSync(join(folder, 'premath'), launcher, { mode: 0o755 })
  const identity = '[user]\nname = You\nemail = you@example.com\n[init]\ndefaultBranch = main\n'
  writeFileSync(join(folder, '.gitconfig'), identity)
  execFileSync('git', ['init', '--quiet', project], { env: person })
  writeFileSync(join(project, 'agent'), agent, { mode: 0o755 })
  writeFileSync(join(project, 'check'), '#!/bin/sh\ntest -x agent\n', { mode: 0o755 })
  const start = 'premath init --yes >&2 && git add . && git commit -q -m Start'
  execFileSync('sh', ['-ec', start], { cwd: project, env: person, stdio: 'ignore' })
}

/** The terminal stays open as long as its input does. */
async function typed([line, expectedExit]) {
  const program = [terminal, String(columns), '60', 'sh', '-c', line]
  const options = { cwd: project, env: person, stdio: ['pipe', 'pipe', 'inherit'] }
  const child = spawn('python3', program, options)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    printed += text
  })
  const [status] = await once(child, 'close')
  must(status === expectedExit, `exit ${expectedExit} from ${line}`)
  return `\u001b[32m$\u001b[39m \u001b[1m${line}\u001b[22m\r\n${printed}`
}

const colours = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 34: '#79c0ff', 36: '#76e3ea' }
const plain = { fill: '#d0d7de', bold: false, dim: false }

/** The style after one SGR number. */
function styled(style, code) {
  if (code === 0) return plain
  if (code === 1) return { ...style, bold: true }
  if (code === 2) return { ...style, dim: true }
  if (code === 22) return { ...style, bold: false, dim: false }
  if (code === 39) return { ...style, fill: plain.fill }
  return colours[code] ? { ...style, fill: colours[code] } : style
}

/** The rows of cells that a terminal shows after these bytes. */
function screenOf(bytes) {
  const rows = [[]]
  let [row, column, style] = [0, 0, plain]
  const put = character => {
    if (column === columns) newLine()
    rows[row][column++] = { character, style }
  }
  const newLine = () => {
    row += 1
    column = 0
    rows[row] ??= []
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal reads them.
  for (const [part, numbers, final] of bytes.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|[\s\S]/gu)) {
    if (final === 'm') for (const code of numbers.split(';')) style = styled(style, Number(code))
    else if (final === 'A') row -= Number(numbers)
    else if (final === 'J') rows.splice(row, rows.length, rows[row].slice(0, column))
    else if (part === '\r') column = 0
    else if (part === '\n') newLine()
    else if (final === undefined) put(part)
  }
  return rows.filter((cells, at) => cells.length > 0 || at < rows.length - 1)
}

const [width, height, margin, bar] = [8, 19, 16, 34]
const escaped = text =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** One text element for each part of a row with the same style, placed by its column. */
function drawnRow(cells, at) {
  const y = bar + margin + at * height
  const parts = []
  cells.forEach(({ character, style }, column) => {
    const last = parts.at(-1)
    if (last?.style === style) last.text += character
    else parts.push({ text: character, style, column })
  })
  return parts
    .filter(({ text }) => text.trim() !== '')
    .map(({ text, style, column }) => {
      const look = `fill="${style.fill}"${style.bold ? ' font-weight="bold"' : ''}${style.dim ? ' opacity="0.6"' : ''}`
      const place = `x="${margin + column * width}" y="${y}" textLength="${[...text].length * width}"`
      return `<text ${place} ${look} xml:space="preserve">${escaped(text)}</text>`
    })
    .join('\n')
}

function svgOf(rows) {
  const [w, h] = [columns * width + 2 * margin, bar + rows.length * height + margin]
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, at) => `<circle cx="${margin + 6 + at * 20}" cy="17" r="6" fill="${fill}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">
<title>A session with premath</title>
<rect width="${w}" height="${h}" rx="8" fill="#0d1117"/>
${dots.join('\n')}
${rows.map(drawnRow).filter(Boolean).join('\n')}
</svg>
`
}

prepare()
const outputs = []
for (const entry of session) outputs.push(await typed(entry))
must(readdirSync(join(project, '.premath/proofs')).length === 2, 'two proofs')
writeFileSync(picture, svgOf(screenOf(outputs.join('\r\n'))))
