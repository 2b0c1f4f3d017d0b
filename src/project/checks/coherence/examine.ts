/** Runs the obligations over one pass of the trajectory. */
import { Fault } from '../../../fault.ts'
import { Tally } from '../../../kernel/checks/check.ts'
import type { Obligation } from '../../../wire/checks/check-report.ts'
import type { StepRow } from '../../../wire/harness/step-row.ts'
import { openLedger, openSession } from '../../harness-files.ts'
import type { Project } from '../../open.ts'
import { openIssues } from '../../open-issues.ts'
import { openTrajectory } from '../../open-trajectory.ts'
import { openWitnesses } from '../../open-witnesses.ts'
import type { CoherenceVisit, Document, Examiner } from './obligation.ts'
import { coherenceObligations } from './obligations.ts'
import { Refs } from './refs.ts'

interface Asked {
  readonly issues: string | undefined
}

export async function examineCoherence(
  project: Project,
  asked: Asked,
): Promise<readonly Obligation[]> {
  const visit = await visitOf(project, asked)
  const { gathered } = await visit.log.gather({ mode: 'latest' }, () => new Pass(visit))
  return await gathered.obligations()
}

/** One reading of the trajectory; begun anew where the file changed meanwhile. */
class Pass {
  readonly #parts: readonly { readonly tally: Tally; readonly examiner: Examiner }[]

  constructor(visit: CoherenceVisit) {
    this.#parts = Object.entries(coherenceObligations).map(([id, obligation]) => {
      const tally = new Tally('coherence', id, obligation)
      return { tally, examiner: obligation.begin(visit, tally) }
    })
  }

  async take(row: StepRow): Promise<void> {
    for (const { examiner } of this.#parts) {
      const taken = examiner.row?.(row)
      if (taken) await taken
    }
  }

  async obligations(): Promise<readonly Obligation[]> {
    for (const { examiner } of this.#parts) await examiner.end?.()
    return this.#parts.map(({ tally }) => tally.obligation())
  }
}

async function visitOf(project: Project, { issues }: Asked): Promise<CoherenceVisit> {
  const open = await openWitnesses(project, { issues })
  const { log } = await openTrajectory(project, undefined)
  const { store } = await openIssues(project, { issues }, 'look')
  return {
    project,
    open,
    store,
    log,
    events: await open.events(),
    session: await readOr(async () => (await openSession(project, undefined)).cell.read()),
    ledger: await readOr(async () => (await openLedger(project, undefined)).cell.read()),
    refs: new Refs(open, log),
  }
}

/** The fault of a document says what is wrong with it. */
async function readOr<T>(read: () => Promise<T | undefined>): Promise<Document<T>> {
  try {
    return { value: await read() }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { why: error.message }
  }
}
