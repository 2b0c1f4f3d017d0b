import { Digest, GitId, NonEmpty } from '../primitives.ts'
import { SandboxMode } from '../sandbox-mode.ts'
import {
  artifact,
  literal,
  nullable,
  optional,
  record,
  type ValueOf,
  whole,
  word,
} from '../shape.ts'
import { TreeDigestText } from './spec-witness.ts'

/** That a command which says whether an issue is done had this end, and left this tree. */
export const VerifyWitness = artifact(
  'premath.verify.witness.v1',
  'That a command which says whether an issue is done passed on this tree.',
  record({
    schema: literal(1),
    witnessKind: literal('premath.verify.witness.v1'),
    issueId: NonEmpty,
    result: word(['accepted', 'rejected']),
    commandDigest: Digest,
    exitCode: nullable(whole),
    outputDigest: Digest,
    treeDigest: TreeDigestText,
    stepId: optional(NonEmpty, 'The step that ran it, or that used its result again.'),
    commit: optional(GitId, 'The commit that it ran on, or that has the same files.'),
    gitTree: optional(GitId, 'The id that git gives to the tree of that commit.'),
    sandbox: optional(SandboxMode, 'The sandbox in which it ran.'),
    reusedFrom: optional(
      record({ stepId: NonEmpty, commit: GitId }),
      'The step and the commit of the run, if its result was used again for the same files.',
    ),
  }),
)

export type VerifyWitness = ValueOf<typeof VerifyWitness>
