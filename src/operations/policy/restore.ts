import { type Answer, refusedAnswer } from '../../answer.ts'
import {
  type Governed,
  governedDocument,
  governedPaths,
} from '../../kernel/governance/governed-document.ts'
import { type FileEntry, lastInForce } from '../../kernel/governance/policy-standing.ts'
import { jsonIn } from '../../kernel/json.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject, type Project } from '../../project/open.ts'
import { mustStayInside } from '../../project/paths.ts'
import { policyLogFile } from '../../project/policies/governed-files.ts'
import { PolicyRestoreAnswer } from '../../wire/answers/policy.ts'
import { operation } from '../operation.ts'
import { isAgent, notForAgents } from '../people-only.ts'

const action = 'policy.restore'

export const policyRestore = operation({
  group: 'project',
  summary: 'Restore the policy and checks in force to their files.',
  description:
    'Writes the documents put in force last, from .premath/policy-log.jsonl, to .premath/policy.json and .premath/checks.json if these differ: after an accidental edit, or after premath policy set was interrupted. The replaced file is kept beside it. Nothing new is put in force, so no reason or evidence is needed. Only a person may run it, as premath policy set. Exits 1 if nothing was put in force, and 5 if the log is corrupt.',
  effect: 'projection',
  opId: 'op/policy.restore',
  input: {},
  output: PolicyRestoreAnswer,
  examples: {
    'premath policy restore': 'which files were written',
    'premath policy restore --json': 'the same as JSON',
  },

  async run(_input, context) {
    const project = await openProject(context)
    if (isAgent(context)) return notForAgents(action, 'policy')
    const registryClaims = await project.claims()
    const log = await policyLogFile(project)
    // Reading an empty log must not create its folder.
    if ((await log.read()).entries.length === 0) return nothingInForce()
    const files = await log.hold(async entries => {
      const found = (['policy', 'checks'] as const).flatMap(
        what => lastInForce(what, { entries, registryClaims }) ?? [],
      )
      const restored: Restored[] = []
      for (const entry of found) restored.push(await restore(entry, project))
      return restored
    })
    if (files.length === 0) return nothingInForce()
    return {
      output: { action, failureClasses: [], files, result: 'accepted' },
      yes: true,
      render: () => files.map(lineOf).join(''),
    }
  },
})

interface Restored {
  readonly what: Governed
  readonly digest: string
  readonly path: string
  /** `there`: the file was already correct. */
  readonly state: 'there' | 'restored'
  /** The path of the replaced file. */
  readonly kept: string | null
}

async function restore({ what, digest, document }: FileEntry, project: Project): Promise<Restored> {
  const disk = await project.disk()
  const path = project.at(governedPaths[what])
  await mustStayInside(path, project.root, disk)
  const bytes = await project.files.readIfPresent(path)
  const base = { what, digest, path }
  if (bytes && digestIn(bytes, project) === digest) return { ...base, state: 'there', kept: null }
  const kept = bytes ? await keep(path, bytes, project) : null
  await disk.replace(await disk.realPath(path), new TextEncoder().encode(printJson(document)))
  return { ...base, state: 'restored', kept }
}

/** `undefined` if the file is not a valid document. */
function digestIn(bytes: Uint8Array, { sha256 }: OperationContext): string | undefined {
  const value = jsonIn(new TextDecoder().decode(bytes))
  const read = value === undefined ? '' : governedDocument(value, sha256)
  return typeof read === 'string' ? undefined : read.digest
}

/** Keeps the file under the name of its digest, so that no edit is lost. */
async function keep(path: string, bytes: Uint8Array, { disk, sha256 }: OperationContext) {
  const kept = `${path}.before-${sha256(new TextDecoder().decode(bytes)).slice(0, 12)}`
  await (await disk()).replace(kept, bytes)
  return kept
}

function lineOf({ what, digest, path, state, kept }: Restored): string {
  const done = state === 'there' ? 'Already in force' : 'Restored'
  const aside = kept === null ? '' : `  previous content: ${visible(kept)}\n`
  return `${done}: ${what} ${digest}\n  ${visible(path)}\n${aside}`
}

function nothingInForce(): Answer<unknown> {
  const failureClass = 'governance.policy_package_unpinned'
  const diagnostic = 'no policy and no checks were put in force, so there is nothing to restore'
  const remedy = 'Put one in force: premath policy set --input <file> --reason <why>.'
  return refusedAnswer({ action }, { failureClasses: [failureClass], diagnostic, remedy })
}
