/** Files of a project that somebody edits or damages. */
import type { Mutants } from './mutant.ts'

export const memoryEditsMutants: Mutants = {
  'memory.8.edits': {
    file: 'src/project/doctor/proofs.ts',
    find: 'if (!gone.includes(issue)) findings.push(...(await proofFindings(issue, open)))',
    replace: 'if (gone.includes(issue)) findings.push(...(await proofFindings(issue, open)))',
    test: 'test/random-edits.test.ts',
  },
  'memory.8.log': {
    file: 'src/store/file/event-log.ts',
    find: 'if (mustAgree) this.#mustNotContradict(replay, rows.memory)',
    replace: '',
    test: 'test/edited-by-hand.test.ts',
  },
  'memory.8.mark': {
    file: 'src/kernel/issues/forward/forward.ts',
    find: ' && !isTurned',
    replace: '',
    test: 'test/edited-by-hand.test.ts',
  },
  'memory.8.witnesses': {
    file: 'src/project/proofs/witness-listing.ts',
    find: "if (result === 'broken') broken.push(path)",
    replace: "if (result === 'superseded') broken.push(path)",
    test: 'test/edited-by-hand.test.ts',
  },
}
