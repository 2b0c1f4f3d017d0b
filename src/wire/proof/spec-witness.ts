import { Digest, NonEmpty } from '../primitives.ts'
import { SandboxMode } from '../sandbox-mode.ts'
import {
  about,
  artifact,
  count,
  flag,
  list,
  literal,
  matching,
  nullable,
  optional,
  record,
  text,
  type ValueOf,
  word,
} from '../shape.ts'

const Status = word(['pass', 'fail', 'skip'])

export const TreeDigestText = about(
  matching('^tree1_[0-9a-f]{64}$'),
  'What was in the project’s folder.',
)

/** That these specs had these verdicts on this tree. */
export const SpecWitness = artifact(
  'premath.spec.witness.v1',
  'That these specs had these verdicts on this tree.',
  record({
    schema: literal(1),
    witnessKind: literal('premath.spec.witness.v1'),
    runner: record({ name: literal('premath'), version: NonEmpty }),
    result: word(['accepted', 'rejected']),
    treeDigest: TreeDigestText,
    head: nullable(text, 'The commit; no part of the witness’s digest.'),
    sandbox: optional(SandboxMode, 'The sandbox in which a step ran them.'),
    total: count,
    passed: count,
    failed: count,
    skipped: count,
    notRun: count,
    documents: list(
      record({
        path: about(NonEmpty, 'From the project’s folder.'),
        sha256: Digest,
        cases: about(count, 'Cases in it that can be run.'),
        whole: about(flag, 'Whether each of them has a verdict here.'),
        readable: about(flag, 'Whether all of it could be read.'),
      }),
    ),
    cases: list(
      record({
        id: NonEmpty,
        document: NonEmpty,
        status: Status,
        category: nullable(word(['schema', 'assertion', 'runtime'])),
        assertions: count,
      }),
    ),
  }),
)

export type SpecWitness = ValueOf<typeof SpecWitness>
