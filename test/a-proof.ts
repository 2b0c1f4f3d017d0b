/** The proofs in a folder of `.premath/proofs`, taken out of their bundles. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const bundlesIn = (folder: string) => readdirSync(folder).filter(name => name.startsWith('proof-'))

/** The name and the text of the first file of that kind: `chain`, `join`, `spec`, `verify`. */
export function proofPart(folder: string, kind: string): { name: string; text: string } {
  for (const bundle of bundlesIn(folder)) {
    const files: Record<string, string> = JSON.parse(
      readFileSync(join(folder, bundle), 'utf8'),
    ).files
    const name = Object.keys(files).find(one => one.startsWith(`${kind}-`))
    if (name !== undefined) return { name, text: files[name] ?? '' }
  }
  throw new Error(`no ${kind} in ${folder}`)
}

/** Puts every file of every bundle beside it, as a version before bundles would have written it. */
export function unpackProofs(folder: string): void {
  for (const bundle of bundlesIn(folder)) {
    const files: Record<string, string> = JSON.parse(
      readFileSync(join(folder, bundle), 'utf8'),
    ).files
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    rmSync(join(folder, bundle))
  }
}
