/** What the harness and CI sign: in-toto statements with commit, tree and sandbox. */
import type { LandedCommit, ProofChain } from '../../wire/proof/proof-chain.ts'
import {
  linkType,
  rerunType,
  type SignedLink,
  type SignedRerun,
} from '../../wire/proof/signed-statement.ts'
import type { SandboxMode } from '../../wire/sandbox-mode.ts'
import type { Sha256 } from '../canonical.ts'
import type { JsonObject } from '../json.ts'
import { treeAlgorithm } from './attestation.ts'
import type { Rerun } from './rerun.ts'

type LinkName = SignedLink['predicate']['link']

/** The witnesses that are signed when they are made. */
export const signedWitnesses = ['join', 'spec', 'verify'] as const satisfies readonly LinkName[]

export const isSignedWitness = (kind: string): kind is (typeof signedWitnesses)[number] =>
  signedWitnesses.some(one => one === kind)

/** The statement about a witness with this text. */
export function witnessStatement(
  link: LinkName,
  { text, value }: { readonly text: string; readonly value: JsonObject },
  sha256: Sha256,
): SignedLink {
  const { issueId, sandbox, commit, gitTree, treeDigest } = value
  return {
    ...head(`${link} witness`, text, { commit, gitTree, treeDigest }, sha256),
    predicateType: linkType,
    predicate: {
      link,
      ...(typeof issueId === 'string' && { issueId }),
      sandbox: sandboxIn(sandbox),
    },
  }
}

/** The statement about the chain of a close with this text. */
export function chainStatement(chain: ProofChain, text: string, sha256: Sha256): SignedLink {
  const { landed, treeDigest, issueId, sandbox } = chain
  const of = { commit: landed?.commit, gitTree: landed?.tree, treeDigest }
  return {
    ...head('proof chain', text, of, sha256),
    predicateType: linkType,
    predicate: { link: 'chain', issueId, sandbox: sandboxIn(sandbox) },
  }
}

/** The statement about a verification that ran again; `undefined` for one that did not run. */
export function rerunStatement(
  { issueId, result, sandbox, commands }: Rerun,
  landed: Pick<LandedCommit, 'commit' | 'tree'>,
  sha256: Sha256,
): SignedRerun | undefined {
  if (result === 'not_rerunnable') return undefined
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: subjectsOf({ commit: landed.commit, gitTree: landed.tree }),
    predicateType: rerunType,
    predicate: {
      issueId,
      result,
      sandbox,
      commands: commands.map(({ role, command, exitCode }) => ({
        role,
        commandDigest: `sha256:${sha256(command)}` as const,
        exitCode,
      })),
    },
  }
}

const sandboxIn = (value: unknown): SandboxMode => (value === 'bubblewrap' ? 'bubblewrap' : 'off')

interface About {
  readonly commit?: unknown
  readonly gitTree?: unknown
  readonly treeDigest?: unknown
}

const head = (name: string, text: string, about: About, sha256: Sha256) => ({
  _type: 'https://in-toto.io/Statement/v1' as const,
  subject: [{ name, digest: { sha256: sha256(text) } }, ...subjectsOf(about)],
})

function subjectsOf({ commit, gitTree, treeDigest }: About) {
  const named: readonly (readonly [algorithm: string, value: unknown])[] = [
    ['gitCommit', commit],
    ['gitTree', gitTree],
    [treeAlgorithm, treeDigest],
  ]
  return named.flatMap(([algorithm, value]) =>
    typeof value === 'string'
      ? [{ name: value, digest: { [algorithm]: value.replace(/^tree1_/, '') } }]
      : [],
  )
}
