/**
 * Breaks each requirement on purpose: `npm run mutants [id…]`, where an id may be a prefix, as
 * `typestate.5`. Every mutant is applied to a copy of the tree. The tests that cite its requirement
 * must pass without it, the copy must compile with it, and one of those tests must fail with it.
 *
 * Two copies are at work at once, each with its own tests (`worker.mjs`).
 */
import { execFile, execFileSync, fork } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const began = Date.now()

class Verdicts {
  constructor(rows) {
    this.rows = rows
    this.red = 0
    this.done = 0
  }

  tell({ id, file }, verdict, ms = 0) {
    this.done += 1
    if (verdict === 'red') this.red += 1
    const place = `${this.done}/${this.rows.length}`.padStart(7)
    const seconds = (ms / 1000).toFixed(1).padStart(6)
    console.log(`${place}  ${verdict.padEnd(26)} ${seconds} s  ${id.padEnd(36)} ${file}`)
  }

  /** True if every mutant was red. */
  close() {
    const seconds = Math.round((Date.now() - began) / 1000)
    const mutants = counted(this.rows.length, 'mutant')
    const requirements = counted(new Set(this.rows.map(({ id }) => id)).size, 'requirement')
    const counts = `${this.red} red, ${this.rows.length - this.red} not`
    console.log(`${mutants} of ${requirements}: ${counts}, in ${seconds} s`)
    return this.rows.length > 0 && this.red === this.rows.length
  }
}

const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Mutants of one test file that one worker takes at a time: few, so that both end together. */
const jobSizeMax = 8

/** The last characters that a worker wrote to stderr. */
const complaintsMax = 4_000

const copies = Array.from({ length: Math.min(2, availableParallelism()) }, copyOfTree)
process.exitCode = 1
try {
  process.exitCode = (await runAll()) ? 0 : 1
} finally {
  for (const copy of copies) rmSync(copy, { recursive: true })
}

/** The files that git knows or would add, with the installed packages and the last build. */
function copyOfTree() {
  const folder = mkdtempSync(join(tmpdir(), 'premath-mutants-'))
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { encoding: 'utf8', maxBuffer: 1 << 28 })
  for (const path of files.split('\0')) {
    if (path !== '' && existsSync(path)) cpSync(path, join(folder, path))
  }
  if (existsSync('dist')) cpSync('dist', join(folder, 'dist'), { recursive: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  const compilerOptions = { incremental: true, tsBuildInfoFile: 'mutants.tsbuildinfo' }
  const config = { extends: './tsconfig.json', include: ['src'], exclude: ['**/*.test.ts'] }
  writeFileSync(join(folder, 'mutants.json'), JSON.stringify({ ...config, compilerOptions }))
  return folder
}

async function runAll() {
  const workers = copies.map(startWorker)
  try {
    const [rows = []] = await Promise.all(workers.map(worker => worker.next()))
    const verdicts = new Verdicts(chosen(rows))
    const sound = await soundOf(verdicts)
    const jobs = jobsOf(sound)
    await Promise.all(workers.map(worker => workOff(worker, jobs, verdicts)))
    return verdicts.close()
  } finally {
    await Promise.all(workers.map(worker => worker.end()))
  }
}

function chosen(rows) {
  const asked = process.argv.slice(2)
  const isAsked = id =>
    asked.length === 0 || asked.some(word => id === word || id.startsWith(`${word}.`))
  return rows.filter(({ id }) => isAsked(id))
}

/** The mutants whose text is there once, and with which the source compiles. */
async function soundOf(verdicts) {
  const [copy] = copies
  if (!(await compiles(copy))) throw new Error('the copy does not compile without mutants')
  const placed = verdicts.rows.flatMap(row => {
    const source = readFileSync(join(copy, row.file), 'utf8')
    const at = source.indexOf(row.find)
    if (at !== -1 && source.indexOf(row.find, at + 1) === -1) return [{ row, source, at }]
    verdicts.tell(row, 'its text is not there once')
    return []
  })
  const sound = []
  for (const batch of batchesOf(placed)) {
    for (const { row } of await compilingOf(batch, copy, verdicts)) sound.push(row)
  }
  return sound
}

/** The compiler takes seconds, so it sees many mutants at once: those that edit different text. */
function batchesOf(placed) {
  const batches = []
  const end = ({ at, row }) => at + row.find.length
  const meets = (a, b) => a.row.file === b.row.file && a.at < end(b) && b.at < end(a)
  for (const one of placed) {
    const free = batches.find(batch => !batch.some(other => meets(one, other)))
    if (free) free.push(one)
    else batches.push([one])
  }
  return batches
}

/** A batch that does not compile is halved until the mutant at fault is alone. */
async function compilingOf(batch, copy, verdicts) {
  if (batch.length === 0 || (await compilesWith(batch, copy))) return batch
  if (batch.length === 1) {
    verdicts.tell(batch[0].row, 'does not compile')
    return []
  }
  const half = Math.ceil(batch.length / 2)
  const first = await compilingOf(batch.slice(0, half), copy, verdicts)
  return [...first, ...(await compilingOf(batch.slice(half), copy, verdicts))]
}

async function compilesWith(batch, copy) {
  const files = byFile(batch)
  for (const [file, edits] of files) {
    // From the end, so that the places of the others stay.
    const text = edits
      .toSorted((a, b) => b.at - a.at)
      .reduce(
        (whole, { row, at }) =>
          whole.slice(0, at) + row.replace + whole.slice(at + row.find.length),
        edits[0].source,
      )
    writeFileSync(join(copy, file), text)
  }
  const isSound = await compiles(copy)
  for (const [file, [{ source }]] of files) writeFileSync(join(copy, file), source)
  return isSound
}

function byFile(batch) {
  const files = new Map()
  for (const one of batch) files.set(one.row.file, [...(files.get(one.row.file) ?? []), one])
  return files
}

function compiles(cwd) {
  const program = [resolve('node_modules/typescript/bin/tsc'), '-p', 'mutants.json']
  return new Promise(settle => {
    execFile(process.execPath, program, { cwd }, error => settle(error === null))
  })
}

/** Mutants that the same test file has to kill, so that it runs once without any of them. */
function jobsOf(rows) {
  const files = [...new Set(rows.map(({ test }) => test))]
  const jobs = files.flatMap(file => {
    const cited = rows.filter(({ test }) => test === file)
    const count = Math.ceil(cited.length / jobSizeMax)
    return Array.from({ length: count }, (_, at) => ({
      file,
      rows: cited.slice(at * jobSizeMax, (at + 1) * jobSizeMax),
    }))
  })
  return jobs.sort((a, b) => b.rows.length - a.rows.length)
}

function startWorker(copy) {
  // Builds and tests of a mutant may complain; that is of interest only if the worker fails.
  const stdio = ['ignore', 'ignore', 'pipe', 'ipc']
  const child = fork(resolve('test/mutants/worker.mjs'), { cwd: copy, stdio })
  let complaints = ''
  child.stderr.on('data', text => {
    complaints = `${complaints}${text}`.slice(-complaintsMax)
  })
  const heard = []
  let waiting = () => {}
  const hear = message => {
    heard.push(message)
    waiting()
  }
  child.on('message', hear)
  const ended = new Promise(settle => child.once('exit', settle))
  ended.then(code => hear({ failed: `a worker ended with ${code}\n${complaints}` }))
  return {
    send: job => child.send(job),
    async next() {
      while (heard.length === 0) {
        await new Promise(go => {
          waiting = go
        })
      }
      const message = heard.shift()
      if (message.failed) throw new Error(message.failed)
      return message
    },
    async end() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

async function workOff(worker, jobs, verdicts) {
  for (let job = jobs.shift(); job; job = jobs.shift()) {
    worker.send(job)
    for (const row of job.rows) {
      const { verdict, ms } = await worker.next()
      verdicts.tell(row, verdict, ms)
    }
  }
}
