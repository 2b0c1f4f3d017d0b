/** Takes the witnesses of specs that ran in the sandbox into the project. */
import { openWitness, witnessPath } from '../../kernel/proof/witness.ts'
import { readPlain } from '../../store/plain-file.ts'
import { writeWitness } from '../../store/witness-store.ts'
import type { Files } from '../../world/world.ts'
import type { SandboxPlace } from './sandbox.ts'

/** A verification runs its specs twice at most. */
const witnessesMax = 10

/**
 * Only witnesses of the files that were verified, so that the code under test cannot leave one about
 * other files. Returns their paths in the project by those that the command named.
 */
export async function takeWitnesses(
  harness: SandboxPlace,
  folder: string,
  files: Files,
): Promise<ReadonlyMap<string, string>> {
  const { root, disk, sha256, proofs, signer } = harness
  const taken = new Map<string, string>()
  const specs = `${folder}/spec`
  if ((await disk.entry(specs))?.kind !== 'folder') return taken
  const tree = await proofs.tree()
  const names = (await files.list(specs)).map(({ name }) => name)
  for (const name of names.filter(one => one.endsWith('.json')).slice(0, witnessesMax)) {
    const read = await readPlain(`${specs}/${name}`, { root: folder, disk })
    if ('why' in read) continue
    const path = witnessPath('spec', name.slice(0, -'.json'.length))
    const witness = openWitness('spec', { path, text: read.text }, sha256)
    if (witness?.value['treeDigest'] !== tree) continue
    const seen = { ...witness.value, sandbox: 'bubblewrap' }
    taken.set(path, await writeWitness('spec', seen, { root, disk, sha256, signer }))
  }
  return taken
}
