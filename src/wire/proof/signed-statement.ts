import { Digest, NonEmpty } from '../primitives.ts'
import { SandboxMode } from '../sandbox-mode.ts'
import {
  list,
  literal,
  map,
  matching,
  nullable,
  openRecord,
  optional,
  record,
  type ValueOf,
  variant,
  whole,
  word,
} from '../shape.ts'

export const linkType = 'premath:signed-link/v1'
export const rerunType = 'premath:signed-rerun/v1'

const statement = {
  _type: literal('https://in-toto.io/Statement/v1'),
  subject: list(openRecord({ name: NonEmpty, digest: map(matching('^[0-9a-f]+$')) }), { least: 1 }),
}

/** That the harness made a witness, or the chain of a close. The first subject is its bytes. */
const SignedLink = openRecord({
  ...statement,
  predicateType: literal(linkType),
  predicate: openRecord({
    link: word(['chain', 'join', 'spec', 'verify']),
    issueId: optional(NonEmpty),
    sandbox: SandboxMode,
  }),
})

/** That a verification ran again on the commit, with this result. */
const SignedRerun = openRecord({
  ...statement,
  predicateType: literal(rerunType),
  predicate: openRecord({
    issueId: NonEmpty,
    result: word(['reproduced', 'failed']),
    sandbox: SandboxMode,
    commands: list(record({ role: NonEmpty, commandDigest: Digest, exitCode: nullable(whole) })),
  }),
})

/** The payload of each envelope that the harness or CI signs by itself. */
export const SignedStatement = variant('predicateType', [SignedLink, SignedRerun])

export type SignedStatement = ValueOf<typeof SignedStatement>
export type SignedLink = ValueOf<typeof SignedLink>
export type SignedRerun = ValueOf<typeof SignedRerun>
