import { memoryFields } from '../../input/issue-fields.ts'
import { openProject } from '../../project/open.ts'
import { checkAnswer } from '../../render/check-answer.ts'
import { CoherenceReport } from '../../wire/checks/check-report.ts'
import { operation } from '../operation.ts'

export const coherenceCheck = operation({
  group: 'checks',
  opId: 'op/ci.coherence_check',
  summary: 'Check that every ref of the project resolves and recomputes.',
  description:
    'Reads session, feature ledger, trajectory, witnesses and proofs. Each ref to a witness, a proof, an instruction, a step or a file must name something of the project with that digest; a lease handoff must recompute from the leases that issue memory records; step ids must be unique; proofs must verify; the snapshot of the session must be one that issue memory had. A ref of another system is not judged, nor one to outputs whose folder is gone, as in a clone or after premath clean. premath doctor tells how to repair a project; this command gives one answer for CI. Exits 0 if it is accepted and 1 if it is rejected.',
  effect: 'read',
  input: memoryFields,
  output: CoherenceReport,
  examples: {
    'premath coherence-check': 'each obligation, and what breaks it',
    'premath coherence-check --json': 'the document premath.coherence.v1',
  },

  async run({ issues }, context) {
    const project = await openProject(context)
    const { examineCoherence } = await import('../../project/checks/coherence/examine.ts')
    const obligations = await examineCoherence(project, { issues })
    const about = { action: 'coherence-check', checkKind: 'premath.coherence.v1' }
    return checkAnswer(about, obligations)
  },
})
