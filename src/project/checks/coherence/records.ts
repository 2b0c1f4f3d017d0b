/** Obligations about session, ledger and trajectory. */
import type { Tally } from '../../../kernel/checks/check.ts'
import { isLeaseRef, LeaseHistory } from '../../../kernel/checks/coherence/lease-history.ts'
import { snapshotVerdict } from '../../../kernel/checks/coherence/snapshot.ts'
import { StepIds } from '../../../kernel/checks/coherence/step-ids.ts'
import { checkLedger } from '../../../kernel/harness/ledger-check.ts'
import { counted } from '../../../kernel/text/counted.ts'
import { shellWord } from '../../../kernel/text/shell-word.ts'
import type { Session } from '../../../wire/harness/session.ts'
import type { StepRow } from '../../../wire/harness/step-row.ts'
import { judgedTurnsOf } from '../../judged-turns.ts'
import type { CoherenceObligation, CoherenceVisit } from './obligation.ts'
import type { RefVerdict } from './refs.ts'

/** Counts refs, and reports those that name nothing. */
class RefTally {
  readonly #tally: Tally
  #notKept = 0

  constructor(tally: Tally) {
    this.#tally = tally
  }

  take(at: string, ref: string, verdict: RefVerdict, next = restore): void {
    if (verdict === 'elsewhere') return
    this.#tally.checked()
    if (verdict === 'missing') this.#tally.found({ at, message: `${ref} names nothing here`, next })
    if (verdict === 'changed') {
      this.#tally.found({ at, message: `${ref} names a file with another digest`, next })
    }
    if (verdict === 'not kept') this.#notKept++
  }

  end(): void {
    if (this.#notKept === 0) return
    this.#tally.note(`${counted(this.#notKept, 'ref')} to outputs that are not kept here`)
  }
}

/** `session_refs` and `ledger_refs` report a document that cannot be read. */
const sessionOf = ({ session }: CoherenceVisit) => ('value' in session ? session.value : undefined)
const ledgerOf = ({ ledger }: CoherenceVisit) => ('value' in ledger ? ledger.value : undefined)

const restore = 'Restore the file that it names, or find out who changed it.'

/** Keeps the state: without the flag, a write ends the session. */
const withoutRefs = ({ state }: Session) =>
  `Restore what it names, or remove all witness refs: premath harness-session write --state ${state} --witness-ref ''.`

export const sessionRefs: CoherenceObligation = {
  means: 'The session can be read, names an issue that exists, and its witness refs resolve.',
  next: 'Correct the file, or move it away: premath harness-session write makes a new one.',
  begin: (visit, tally) => ({
    async end() {
      if ('why' in visit.session) {
        tally.checked()
        return tally.found({ at: 'session', message: visit.session.why })
      }
      const session = sessionOf(visit)
      if (session === undefined) return tally.note('there is no session')
      const { issueId, state, witnessRefs } = session
      const refs = new RefTally(tally)
      tally.checked()
      if (issueId !== undefined && !visit.open.memory?.has(issueId)) {
        const next = `Name its issue, or none: premath harness-session write --state ${state} --issue-id ''.`
        tally.found({ at: 'session', message: `there is no issue ${issueId}`, next })
      }
      for (const ref of witnessRefs) {
        refs.take('session', ref, await visit.refs.verdictOn(ref), withoutRefs(session))
      }
      refs.end()
    },
  }),
}

export const ledgerRefs: CoherenceObligation = {
  means: 'The feature ledger is sound, and its issues and verification refs exist.',
  next: 'Correct the file, or move it away: premath harness-feature write makes a new one.',
  begin: (visit, tally) => ({
    async end() {
      if ('why' in visit.ledger) {
        tally.checked()
        return tally.found({ at: 'ledger', message: visit.ledger.why })
      }
      const ledger = ledgerOf(visit)
      if (ledger === undefined) return tally.note('there is no feature ledger')
      const refs = new RefTally(tally)
      tally.checked(ledger.features.length)
      const { errors } = checkLedger(ledger, false)
      for (const { class: failureClass, featureId, message } of errors) {
        const id = featureId === undefined ? '<id>' : shellWord(featureId)
        const next = `Write the row again: premath harness-feature write --feature-id ${id} --status <status>.`
        tally.found({ at: featureId ?? 'ledger', message, failureClass, next })
      }
      for (const { featureId, status, issueId, verificationRefs } of ledger.features) {
        const row = `--feature-id ${shellWord(featureId)} --status ${status}`
        if (issueId !== undefined && !visit.open.memory?.has(issueId)) {
          const next = `Name its issue, or none: premath harness-feature write ${row} --issue-id ''.`
          tally.found({ at: featureId, message: `there is no issue ${issueId}`, next })
        }
        const next = `Restore what it names, or name another: premath harness-feature write ${row} --verification-ref <ref>.`
        for (const ref of verificationRefs) {
          refs.take(featureId, ref, await visit.refs.verdictOn(ref), next)
        }
      }
      refs.end()
    },
  }),
}

export const trajectoryLines: CoherenceObligation = {
  means: 'Every line of the trajectory is a step.',
  next: 'Restore the lines from version control, or remove them.',
  begin: ({ log }, tally) => ({
    row: () => tally.checked(),
    async end() {
      const { bad } = await log.query({ mode: 'latest', limit: 0 })
      for (const { line, why } of bad.first) {
        tally.found({ at: `trajectory:${line}`, message: why })
      }
      const more = bad.count - bad.first.length
      if (more > 0) tally.found({ at: 'trajectory', message: `${counted(more, 'more bad line')}` })
    },
  }),
}

/** Counts each repeated id. */
class Repeats {
  readonly counts = new Map<string, number>()
  readonly #isSuspect: (stepId: string) => boolean

  constructor(isSuspect: (stepId: string) => boolean) {
    this.#isSuspect = isSuspect
  }

  take({ stepId }: StepRow): void {
    if (this.#isSuspect(stepId)) this.counts.set(stepId, (this.counts.get(stepId) ?? 0) + 1)
  }
}

export const stepIds: CoherenceObligation = {
  means: 'No two rows of the trajectory have the same step id.',
  next: 'Remove the row that was written twice, or restore the file from version control.',
  begin({ log }, tally) {
    const ids = new StepIds()
    return {
      row({ stepId }) {
        tally.checked()
        ids.add(stepId)
      },
      async end() {
        const isSuspect = ids.suspects()
        if (isSuspect === undefined) return
        const { gathered } = await log.gather({ mode: 'latest' }, () => new Repeats(isSuspect))
        for (const [stepId, count] of gathered.counts) {
          if (count > 1) tally.found({ at: stepId, message: `${count} rows have this step id` })
        }
      },
    }
  },
}

export const trajectoryRefs: CoherenceObligation = {
  means: 'Every witness and proof that a step names is there, with its digest.',
  next: restore,
  begin({ refs }, tally) {
    const taken = new RefTally(tally)
    return {
      async row({ stepId, witnessRefs }) {
        for (const ref of witnessRefs) taken.take(stepId, ref, await refs.verdictOn(ref))
      },
      end: () => taken.end(),
    }
  },
}

export const leaseHandoffs: CoherenceObligation = {
  means: 'Every lease handoff recomputes from the leases that issue memory records.',
  next: 'Compare the row with the attempts on the issue: premath log <issue>. Then restore or remove it.',
  begin(visit, tally) {
    const history = new LeaseHistory(
      visit.events.map(({ event }) => event),
      visit.open.sha256,
    )
    const session = sessionOf(visit)
    const look = (
      at: string,
      refs: readonly string[],
      { workerId, ...how }: { readonly workerId?: string | undefined; readonly next?: string },
    ) => {
      for (const ref of refs.filter(isLeaseRef)) {
        tally.checked()
        if (history.verdictOn(ref, workerId) !== 'wrong') continue
        tally.found({ at, message: `${ref} is the digest of no lease that the issue had`, ...how })
      }
    }
    return {
      row: ({ stepId, witnessRefs, workerId }) => look(stepId, witnessRefs, { workerId }),
      end: () => session && look('session', session.witnessRefs, { next: withoutRefs(session) }),
    }
  },
}

export const instructionRefs: CoherenceObligation = {
  means: 'Every instruction that a record names is there, and is the one that was run.',
  next: restore,
  begin(visit, tally) {
    const taken = new RefTally(tally)
    const look = async (at: string, refs: readonly string[]) => {
      for (const ref of refs) taken.take(at, ref, await visit.refs.verdictOn(ref))
    }
    return {
      row: ({ stepId, instructionRefs: refs }) =>
        refs.length > 0 ? look(stepId, refs) : undefined,
      async end() {
        await look('session', sessionOf(visit)?.instructionRefs ?? [])
        for (const feature of ledgerOf(visit)?.features ?? []) {
          await look(feature.featureId, feature.instructionRefs)
        }
        taken.end()
      },
    }
  },
}

export const judgedTurns: CoherenceObligation = {
  means: 'The turns that the work left are those that the gate judged.',
  next: 'Restore the file, or look for who changed it.',
  begin: ({ open }, tally) => ({
    async row(row) {
      const turns = row.evidence && (await judgedTurnsOf(row, open))
      if (turns === undefined) return
      tally.checked()
      if (!turns.isChanged) return
      const message = 'its turns were changed after the gate had judged them'
      tally.found({ at: row.stepId, message })
    },
  }),
}

/** A log that was rewritten, as by a compaction, shows no earlier state. */
const logVerdicts = { same: 'verified', moved: 'verified', unknown: 'unknown' } as const

export const issuesSnapshot: CoherenceObligation = {
  means: 'Issue memory stood as the session says.',
  next: 'Write the session again: premath harness-session write --state <state>.',
  begin: (visit, tally) => ({
    async end() {
      const { open, events, store } = visit
      const session = sessionOf(visit)
      const ref = session?.issuesSnapshotRef
      if (session === undefined || ref === undefined || open.memory === undefined) {
        return tally.note('no session names a snapshot')
      }
      const taken = { ref, from: session.startedAt, to: session.updatedAt }
      const verdict = ref.startsWith('log1_')
        ? logVerdicts[await store.logState(ref, open.sha256)]
        : snapshotVerdict(taken, open.memory, events, open.sha256)
      if (verdict === 'unknown')
        return tally.note('issue memory does not show its state of that time')
      tally.checked()
      if (verdict === 'wrong') {
        tally.found({ at: 'session', message: `issue memory never stood at ${ref}` })
      }
    },
  }),
}
