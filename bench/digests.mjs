import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundled } from './bundled.mjs'
import { median, premath } from './run.mjs'

const count = 100_000
const inOneFolder = 50
const linesMost = 200
const runs = 9
const coldRuns = 3
const stepRuns = 3

/** The files of a large repository, and how long git and premath take to look at all of them. */
export async function digests(folder) {
  const root = join(folder, 'digests')
  const script = await bundled('tree-digest.mjs', folder)
  const env = { ...process.env, XDG_CACHE_HOME: join(folder, 'digests-cache') }
  const timed = (program, ...args) => {
    const began = process.hrtime.bigint()
    execFileSync(program, args, { cwd: root, env, stdio: 'ignore' })
    return Number(process.hrtime.bigint() - began) / 1e6
  }
  const ours = (...args) => timed(process.execPath, premath, ...args)
  const status = () => timed('git', 'status')
  const sums = () => timed('sh', '-c', 'git ls-files -z | xargs -0 sha256sum')
  const digest = () => timed(process.execPath, script, root)
  repositoryIn(root, timed)

  const coldDigest = () => {
    forgetDigests(root)
    return digest()
  }
  const cold = inTurn({ sums, digest: coldDigest }, coldRuns)
  const warm = inTurn({ status, digest }, runs)
  ours('init')
  timed('git', 'add', '--all')
  timed('git', 'commit', '--quiet', '--message=memory')
  for (let at = 0; at < 3 * stepRuns; at++) ours('add', `Issue ${at}`)
  const step = () =>
    ours('harness-step', '--work-cmd', 'true', '--verify-cmd', 'true', '--sandbox', 'off')
  let last = 3 * stepRuns
  const close = () => ours('close', `bd-${last--}`, '--verify-cmd', 'true')
  const tree = join(folder, 'digests-tree')
  const checkout = () => timed('git', 'worktree', 'add', '--quiet', '--detach', tree)
  const forgetTree = () => timed('git', 'worktree', 'remove', '--force', tree)
  const whole = inTurn({ status, close, step, checkout, forgetTree }, stepRuns)
  rmSync(root, { recursive: true, force: true })

  const files = `${count.toLocaleString('en')} files`
  return [
    figure(`a digest of ${files}, cold`, cold.digest, { sha256sum: cold.sums }, 1.3),
    figure(`a digest of ${files}, warm`, warm.digest, { 'git status': warm.status }, 3),
    figure(`a close of ${files}`, whole.close, { 'git status': whole.status }),
    figure(`a close of ${files}`, whole.close, { 'a step': whole.step }, 1.2),
    figure(`a step of ${files}`, whole.step, { 'git status': whole.status }),
    figure(`a step of ${files}`, whole.step, { 'its clean checkout by git': whole.checkout }),
  ]
}

function figure(name, ours, beside, most) {
  const [other] = Object.values(beside)
  return { name, ours, unit: 'ms', beside, ratio: ours / other, ...(most && { most }) }
}

/** Medians of alternating runs. */
function inTurn(measures, times) {
  const spent = Object.fromEntries(Object.keys(measures).map(name => [name, []]))
  for (const measure of Object.values(measures).slice(0, 1)) measure()
  for (let run = 0; run < times; run++) {
    for (const [name, measure] of Object.entries(measures)) spent[name].push(measure())
  }
  return Object.fromEntries(Object.entries(spent).map(([name, all]) => [name, median(all)]))
}

const forgetDigests = root =>
  rmSync(join(root, '.git/premath/digests'), { recursive: true, force: true })

/** Files of 4 KB on average, as in the repository of premath. */
function repositoryIn(root, timed) {
  for (let at = 0; at < count; at++) {
    const inner = join(root, `src/part-${Math.floor(at / inOneFolder) % 100}/${at % 20}`)
    if (at < 100 * inOneFolder) mkdirSync(inner, { recursive: true })
    const line = `export const value${at} = ${at}\n`
    writeFileSync(join(inner, `file-${at}.ts`), line.repeat(1 + ((at * 7_919) % linesMost)))
  }
  timed('git', 'init', '--quiet', '--initial-branch=main')
  timed('git', 'config', 'user.email', 'bench@example.org')
  timed('git', 'config', 'user.name', 'bench')
  timed('git', 'add', '--all')
  timed('git', 'commit', '--quiet', '--message=files')
}
