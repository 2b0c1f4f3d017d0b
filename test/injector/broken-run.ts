/** Copies a project, breaks one call of a command in it, and judges what is left. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Break, type Call, type InjectedRun, runInjected } from './injector.ts'
import { brokenLines, draftsIn, fencesGivenTwice, filesBelow, memoryIn } from './oracle.ts'
import { makeProject, Place, type Scenario } from './scenarios.ts'

/** States of issues, by id. */
type States = ReadonlyMap<string, string>

interface Start {
  readonly scenario: Scenario
  readonly template: Place
  readonly library: string
}

export interface Prepared extends Start {
  readonly before: States
  readonly after: States
  readonly calls: readonly Call[]
}

/** Makes the project of a scenario, and runs its command in a copy without breaking anything. */
export async function prepared(scenario: Scenario, folder: string, library: string) {
  const common = new Place(join(folder, 'common'))
  if (mkdirSync(common.folder, { recursive: true })) makeProject(common)
  const own = mkdtempSync(join(folder, `${scenario.name.replaceAll(' ', '-')}-`))
  const template = new Place(join(own, 'template'))
  cpSync(common.folder, template.folder, { recursive: true })
  scenario.prepare?.(template)
  const start = { scenario, template, library }
  const { place, before, run } = await runIn(start, join(own, 'whole'))
  if (run.status !== (scenario.exit ?? 0)) {
    throw new Error(`${scenario.name} ended with ${run.status}: ${run.stderr}`)
  }
  const after = memoryIn(place.root)
  rmSync(place.folder, { recursive: true })
  return { ...start, before, after, calls: run.calls }
}

async function runIn({ scenario, template, library }: Start, folder: string, broken?: Break) {
  cpSync(template.folder, folder, { recursive: true, verbatimSymlinks: true })
  const place = new Place(folder)
  if (scenario.first) place.do(...scenario.first)
  const before = memoryIn(place.root)
  const run = await runInjected(library, scenario.argv, place, broken)
  return { place, before, run }
}

/** What is wrong after one call was broken; `undefined` where the command did not come to it. */
export async function problemsAfter(given: Prepared, broken: Break) {
  const { call, action } = broken
  const folder = join(given.template.folder, `../${call.number}-${action}`)
  const { place, run } = await runIn(given, folder, broken)
  try {
    const found = [
      ...outputProblems(run, given.scenario),
      ...leftProblems(place, run, given),
      ...nextProblems(place, given),
    ]
    return run.broken && found
  } finally {
    // A child of a killed command may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** A broken file call is a failure of the environment, never a bug, a refusal or bad usage. */
function outputProblems(run: InjectedRun, { exit = 0, argv }: Scenario): readonly string[] {
  const { status, signal, stdout, stderr } = run
  const printed = `${stdout}${stderr}`
  const problems: string[] = []
  // A driver that fails is a conflict to git.
  const isExpected = signal === 'SIGKILL' || argv[0] === 'git' || status === exit || status === 3
  if (!isExpected) problems.push(`it ended with ${status ?? signal}: ${printed}`)
  if (/hit a bug|^ +at .*:\d+|node:internal/m.test(printed)) problems.push(`it printed ${printed}`)
  const isExplained = /^error: |Attention: /m.test(printed)
  if (status === 3 && !isExplained) problems.push(`it gave no reason: ${printed}`)
  return problems
}

/** What the command left, before anything else looks at it. */
function leftProblems(place: Place, run: InjectedRun, given: Prepared): readonly string[] {
  const { before, after, scenario, template } = given
  const { status, signal, stderr } = run
  const memory = memoryIn(place.root)
  const isAcknowledged = status === 0
  const problems: string[] = []
  if (isAcknowledged && scenario.exit) problems.push('it was not refused')
  for (const id of new Set([...memory.keys(), ...before.keys(), ...after.keys()])) {
    const state = memory.get(id)
    const possible = isAcknowledged ? [after.get(id)] : [before.get(id), after.get(id)]
    // A long command has many states on the way. The end is judged.
    if (!possible.includes(state) && (isAcknowledged || !scenario.isLong)) {
      problems.push(`${id} is ${state}, was ${before.get(id)}, exit ${status}: ${stderr}`)
    }
  }
  const drafts = signal === 'SIGKILL' ? [] : draftsIn(place.root)
  if (drafts.length > 0) problems.push(`drafts are left: ${drafts}`)
  const strange = outside(place).filter(path => !outside(template).includes(path))
  if (strange.length > 0) problems.push(`outside of the project there are ${strange}`)
  return problems
}

/** Files beside the project, but for those of the injector, of git and of the user's cache. */
const outside = ({ folder, root, tmp, cache }: Place) =>
  filesBelow(folder, [root, tmp, cache, join(folder, 'calls'), join(folder, 'counter')]).map(path =>
    path.slice(folder.length),
  )

/** The next commands, for which nothing is broken. */
function nextProblems(place: Place, { scenario, before, after }: Prepared): readonly string[] {
  const problems: string[] = []
  const must = (name: string, isRight: boolean, why: string) => {
    if (!isRight) problems.push(`${name}: ${why}`)
  }
  const ask = (name: string, exits: readonly number[], ...args: readonly string[]) => {
    const { status, stdout, stderr } = place.premath(...args)
    must(name, exits.includes(status ?? -1), `exit ${status}: ${stdout}${stderr}`)
    return stdout
  }
  const [program] = scenario.argv
  if (program === 'git') must('the merge again', mergesAgain(place), 'it fails')
  const listed = ask('list', [0], 'issue', 'list', '--json')
  const items: readonly { id: string }[] = listed === '' ? [] : JSON.parse(listed).items
  const lacking = [...memoryIn(place.root).keys()].filter(id => !items.some(item => item.id === id))
  must('list', lacking.length === 0, `it lacks ${lacking}`)
  if (program !== 'git') ask('the same again', scenario.again, ...scenario.argv.slice(2))
  ask('add', [0], 'add', 'After', '--id', 'after', ...reason)
  if (place.premath('doctor').status !== 0) {
    // The remedy that doctor names for a step that was cut off.
    if (scenario.isLong) ask('harness-boot', [0], 'harness-boot', '--sandbox', 'off')
    ask('doctor --fix', [0], 'doctor', '--fix', ...reason)
    ask('doctor after --fix', [0], 'doctor')
  }
  const end = memoryIn(place.root)
  const lost = [...before.keys(), 'after'].filter(id => !end.has(id))
  must('the end', lost.length === 0, `${lost} are lost`)
  const unfinished = [...after].filter(
    ([id, state]) => scenario.isRepeatable && end.get(id) !== state,
  )
  must('the end', unfinished.length === 0, `not as without a break: ${unfinished}`)
  const damaged = brokenLines(place.root)
  must('the end', damaged.length === 0, `there are broken lines: ${damaged}`)
  const twice = fencesGivenTwice(place.root)
  must('the end', twice.length === 0, `given out twice: ${twice}`)
  const drafts = draftsIn(place.root, memoryFolders)
  must('the end', drafts.length === 0, `drafts are left: ${drafts}`)
  return [...problems, ...(scenario.finally?.(place) ?? [])]
}

const memoryFolders = ['.premath/memory', '.premath/proofs', '.git/premath/memory']

/** The policy of one scenario asks for it. */
const reason = ['--reason', 'after a broken call']

/** After a driver that failed. */
function mergesAgain(place: Place): boolean {
  if (/^(UU|AA)/m.test(place.git('status', '--porcelain'))) place.git('merge', '--abort')
  place.git('merge', '--quiet', '--no-edit', 'other')
  return place.git('branch', '--no-merged').trim() === ''
}
