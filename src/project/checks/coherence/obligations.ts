/** The obligations of `premath coherence-check`, in order. Adding one is a line here. */
import { specsOf } from '../../../kernel/issues/issue-edit.ts'
import type { CoherenceObligation } from './obligation.ts'
import {
  instructionRefs,
  issuesSnapshot,
  judgedTurns,
  leaseHandoffs,
  ledgerRefs,
  sessionRefs,
  stepIds,
  trajectoryLines,
  trajectoryRefs,
} from './records.ts'

const specRefs: CoherenceObligation = {
  means: 'Every spec that an issue in work names exists.',
  next: 'Write the document, or name another: premath issue update --spec.',
  begin: ({ open, project }, tally) => ({
    async end() {
      for (const issue of open.memory?.all() ?? []) {
        if (issue.status === 'closed') continue
        for (const spec of specsOf(issue)) {
          tally.checked()
          if (await project.files.kindOf(project.at(spec))) continue
          tally.found({ at: issue.id, message: `there is no spec ${spec}` })
        }
      }
    },
  }),
}

const witnesses: CoherenceObligation = {
  means: 'Every witness has the digest of its name, and every proof verifies.',
  next: 'premath witness verify --all lists everything. Restore the file from version control.',
  begin: ({ open }, tally) => ({
    async end() {
      // The schemas are large, and help needs none.
      const { verdictsOnAll } = await import('../../proofs/witness-verdict.ts')
      for await (const { findings } of verdictsOnAll(open, { tree: false, allowForced: true })) {
        tally.checked()
        for (const { failureClass, at, message } of findings) {
          tally.found({ at, message, failureClass })
        }
      }
    },
  }),
}

export const coherenceObligations: Readonly<Record<string, CoherenceObligation>> = {
  session_refs: sessionRefs,
  ledger_refs: ledgerRefs,
  trajectory_lines: trajectoryLines,
  step_ids: stepIds,
  trajectory_refs: trajectoryRefs,
  lease_handoffs: leaseHandoffs,
  instruction_refs: instructionRefs,
  judged_turns: judgedTurns,
  issues_snapshot: issuesSnapshot,
  spec_refs: specRefs,
  witnesses,
}
