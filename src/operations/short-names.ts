/** Short names for what people do every day. Each stands for a command, some with a flag set. */
import { absentValue, type Fields, type InputOf } from '../field.ts'
import type { Operation, Operations } from './operation.ts'

interface ShortName {
  readonly command: string
  /** The flags that it sets, which are then no flags of its own. */
  readonly given?: Readonly<Record<string, string>>
  /** The fields that it takes; all others of the command where left out. */
  readonly takes?: readonly string[]
  readonly summary?: string
  readonly description?: string
  /** By command line: what its output shows. */
  readonly examples: Readonly<Record<string, string>>
}

/** Who changes the issue, and by what right. */
const change = ['id', 'leaseId', 'fence', 'issues', 'reason', 'instruction', 'joinWitness']

export const shortNames: Readonly<Record<string, ShortName>> = {
  add: {
    command: 'issue add',
    examples: { 'premath add "Fix login timeout" --priority 1': 'the new issue' },
  },
  ready: {
    command: 'issue ready',
    examples: { 'premath ready': 'what can be worked on now' },
  },
  list: {
    command: 'issue list',
    examples: { 'premath list --status open': 'the open issues' },
  },
  show: {
    command: 'issue show',
    examples: { 'premath show bd-1': 'one issue, with what failed last' },
  },
  claim: {
    command: 'issue claim',
    examples: { 'premath claim bd-1 --assignee ana': 'the lease and its fence' },
  },
  comment: {
    command: 'issue comment',
    examples: {
      'premath comment bd-1 "The timeout is 30 s since Monday"': 'the comment is added',
      'git diff | premath comment bd-1 - --author ana': 'a comment from stdin',
    },
  },
  close: {
    command: 'issue update',
    given: { status: 'closed' },
    takes: [...change, 'verify', 'verifyCmd', 'force'],
    summary: 'Close an issue with proof.',
    description:
      'The proof is a witness that the specs of the issue passed on the current files, or, without specs, that a command did. Without proof it exits 1 and names the command that creates it. For an agent it always runs the verification: the specs, or the verify command of the configuration. Exits 4 if another worker holds the issue.',
    examples: {
      'premath close bd-1 --verify': 'closes the issue after its specs pass',
      "premath close bd-2 --verify-cmd 'npm test'": 'the same for an issue without specs',
      'premath close bd-3 --force --reason "Not needed any more"': 'without proof',
    },
  },
  reopen: {
    command: 'issue update',
    given: { status: 'open' },
    takes: change,
    summary: 'Open a closed or blocked issue again.',
    description:
      'Its proof stays, and no longer counts. Exits 4 if another worker holds the issue.',
    examples: { 'premath reopen bd-1': 'the issue is open again' },
  },
  check: {
    command: 'harness-join-check',
    examples: { 'premath check turn.json': 'the verdict on a turn' },
  },
}

/** What `premath help` shows, in this order. */
export const everydayCommands = [
  'init',
  'add',
  'ready',
  'list',
  'show',
  'status',
  'claim',
  'comment',
  'close',
  'reopen',
  'run',
  'log',
  'land',
  'check',
  'verify',
  'spec run',
  'witness verify',
  'doctor',
] as const

/** Second words that people try after a first one. The nearest command by its letters may write. */
export const meantAfter: Readonly<Record<string, string>> = {
  'config get': 'config show',
  'config list': 'config show',
}

/** Words that people try, and the command that does what they mean. */
export const meantBy: Readonly<Record<string, string>> = {
  create: 'add',
  new: 'add',
  open: 'add',
  task: 'add',
  delete: 'close',
  remove: 'close',
  rm: 'close',
  done: 'close',
  finish: 'close',
  complete: 'close',
  resolve: 'close',
  fix: 'close',
  edit: 'issue update',
  update: 'issue update',
  set: 'issue update',
  assign: 'claim',
  take: 'claim',
  start: 'claim',
  work: 'run',
  loop: 'run',
  next: 'ready',
  todo: 'ready',
  ls: 'list',
  issues: 'list',
  search: 'list',
  find: 'list',
  get: 'show',
  view: 'show',
  info: 'show',
  cat: 'show',
  note: 'comment',
  reply: 'comment',
  say: 'comment',
  block: 'dep add',
  depend: 'dep add',
  merge: 'land',
  push: 'land',
  history: 'log',
  attempts: 'log',
  steps: 'log',
  progress: 'status',
  overview: 'status',
  dashboard: 'status',
  test: 'verify',
  validate: 'verify',
  specs: 'spec run',
  proof: 'witness verify',
  proofs: 'witness verify',
  setup: 'init',
  install: 'init',
  uninstall: 'uninit',
  deinit: 'uninit',
  diagnose: 'doctor',
  repair: 'doctor',
  settings: 'config show',
  gc: 'clean',
  prune: 'clean',
  man: 'help',
  commands: 'help',
}

/** The commands, and the short names as commands of their own. */
export function withShortNames(operations: Operations): Operations {
  const named = Object.entries(shortNames).flatMap(([name, short]) => {
    const load = operations[short.command]
    return load ? [[name, async () => shortened(await load(), short)] as const] : []
  })
  return { ...operations, ...Object.fromEntries(named) }
}

function shortened(operation: Operation, short: ShortName): Operation {
  const { command, given = {}, takes, summary, description, examples } = short
  const fields = Object.entries(operation.input).filter(([name]) => !Object.hasOwn(given, name))
  const isOwn = (name: string) => takes?.includes(name) ?? true
  const others = fields.filter(([name]) => !isOwn(name))
  const absent = Object.fromEntries(others.map(([name, field]) => [name, absentValue(field)]))
  const set = Object.entries(given).map(([name, value]) => ` --${name} ${value}`)
  return {
    ...operation,
    group: 'everyday',
    shortFor: `premath ${command}${set.join('')}`,
    summary: summary ?? operation.summary,
    ...(description !== undefined && { description }),
    examples,
    input: Object.fromEntries(fields.filter(([name]) => isOwn(name))),
    run: (input, context) => {
      const whole = { ...absent, ...input, ...given } as InputOf<Fields>
      return operation.run(whole, context)
    },
  }
}
