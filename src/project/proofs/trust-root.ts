/** The public keys whose signatures count: those of a file, or of the caller's own checkout. */
import { Fault } from '../../fault.ts'
import { Flaw, newerHint, shaped } from '../../kernel/artifact/flaw.ts'
import { printDocument } from '../../kernel/artifact/print.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import { Trust } from '../../wire/proof/trust.ts'
import { whyNotMissing } from '../dangling-link.ts'
import type { Project } from '../open.ts'
import { resolvePath } from '../paths.ts'
import { smallDocument, Unreadable } from '../small-document.ts'

export const trustPath = '.premath/trust.json'

/**
 * `undefined` if no file is named and the checkout has none. A commit that is judged has no say: a
 * rerun reads this file from the checkout of the caller.
 */
export async function trustRoot(
  given: string | undefined,
  project: Project,
): Promise<Trust | undefined> {
  const path = given === undefined ? project.at(trustPath) : resolvePath(project.cwd(), given)
  const mendHint = given === undefined ? mendHintOf(path) : writerHint
  if (given === undefined && (await project.files.kindOf(path)) === undefined) {
    const why = await whyNotMissing(path, project.files)
    if (why !== undefined) throw unreadable(path, why, mendHint)
    return undefined
  }
  const document = await smallDocument(path, project)
  if (document instanceof Unreadable) throw unreadable(path, document.why, mendHint)
  const trust = shaped(Trust, document)
  if (trust instanceof Flaw) {
    const hint = trust.isNewer ? newerHint : mendHint
    throw unreadable(path, `it is not a list of keys: ${trust}`, hint)
  }
  const { keyIdOf } = await project.signing()
  for (const { keyId, publicKey } of trust.keys) {
    if (keyIdOf(publicKey) !== keyId)
      throw unreadable(path, `the key ${keyId} has another id`, mendHint)
  }
  return trust
}

const writerHint = 'Name a file that premath trust add wrote.'

/** A command that adds a key reads the list first. */
const mendHintOf = (path: string) =>
  `Restore it: git checkout -- ${shellWord(path)}. Without git, move it away. premath trust add makes a new one.`

const unreadable = (path: string, why: string, hint: string) =>
  new Fault('invalid_input', `the list of trusted keys ${path} cannot be used: ${why}`, {
    hint,
    detail: { path },
  })

export async function writeTrust(trust: Trust, project: Project): Promise<void> {
  const disk = await project.disk()
  const text = printDocument(Trust, trust)
  await disk.makeFolder(project.at('.premath'))
  await disk.replace(project.at(trustPath), new TextEncoder().encode(text))
}
