/**
 * Reads vectors: inputs for the gate with the answers it must give. A vector is a folder of two
 * files, or an entry of a file that derives many inputs from one.
 */
import { Fault } from '../../fault.ts'
import { flawIn } from '../../kernel/artifact/flaw.ts'
import { isJsonObject, type Json, parseJson } from '../../kernel/json.ts'
import { changed, type JsonChange } from '../../kernel/json-patch.ts'
import { freeKeys } from '../../kernel/turn/normalize.ts'
import type { Shape, ValueOf } from '../../wire/shape.ts'
import { Digests } from '../../wire/turn/normalized-turn.ts'
import { VectorCase, VectorExpect, VectorFile } from '../../wire/turn/vector.ts'
import type { OperationContext } from '../context.ts'
import { absolute, namingSource, readDocument } from '../named-document.ts'

export interface Vector {
  readonly suiteId: string
  readonly vectorId: string
  /** Its path, for faults. */
  readonly casePath: string
  readonly expectPath: string
  readonly input: Json
  readonly expect: VectorExpect
  /** All digests in `digests.json`. A digest that it lacks must be absent from the answer. */
  readonly digests: Digests | undefined
}

const caseFile = 'case.json'
const expectFile = 'expect.json'
const digestsFile = 'digests.json'
const vectorFileEnd = '.vectors.json'

/** A deeper or larger folder is probably the wrong one. */
const depthMax = 32
const foldersMax = 20_000

/** All vectors at or below a folder, or of one file, by name. */
export async function readVectors(
  dir: string,
  context: OperationContext,
): Promise<readonly Vector[]> {
  // An empty name is probably an unset variable. The search would start at the root.
  if (dir === '') {
    throw new Fault('usage', 'the name of a folder is empty', {
      hint: 'Name the folder of vectors; a single dot is the folder you are in.',
    })
  }
  const root = dir.replace(/(?<=.)\/+$/, '')
  const digests = await readDigests(root, context)
  const { folders, files } = await vectorPlaces(root, context)
  const vectors: Vector[] = []
  for (const folder of folders) vectors.push(await readVector(folder, digests, context))
  for (const file of files) vectors.push(...(await readVectorFile(file, digests, context)))
  if (vectors.length === 0) {
    throw new Fault('usage', `there is no vector in ${root}`, {
      hint: `A vector is a folder that holds ${caseFile} and ${expectFile}, or an entry of a file *${vectorFileEnd}.`,
      detail: { path: root },
    })
  }
  checkNames(vectors)
  const known = new Set(vectors.map(({ vectorId }) => vectorId))
  const stray = [...digests.keys()].find(vectorId => !known.has(vectorId))
  if (stray !== undefined) {
    throw malformed(`${root}/${digestsFile}`, JSON.stringify(stray), 'is no vector of this folder')
  }
  return vectors.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
}

interface VectorPlaces {
  readonly folders: readonly string[]
  readonly files: readonly string[]
}

async function vectorPlaces(root: string, context: OperationContext): Promise<VectorPlaces> {
  const folders: string[] = []
  const files: string[] = []
  let searched = 0
  async function search(folder: string, depth: number): Promise<void> {
    if (++searched > foldersMax || depth > depthMax) {
      throw new Fault('usage', `${root} is too large or too deep to be a folder of vectors`, {
        hint: 'Name the folder that holds the vectors themselves.',
        detail: { path: folder, foldersMax, depthMax },
      })
    }
    const entries = await context.files.list(absolute(folder, context))
    const names = new Set(entries.filter(entry => !entry.isFolder).map(({ name }) => name))
    const [hasCase, hasExpect] = [names.has(caseFile), names.has(expectFile)]
    if (hasCase && hasExpect) folders.push(folder)
    else if (hasCase) throw malformed(folder, caseFile, `has no ${expectFile} beside it`)
    else if (hasExpect) throw malformed(folder, expectFile, `has no ${caseFile} beside it`)
    for (const { name, isFolder } of entries) {
      if (isFolder) await search(`${folder}/${name}`, depth + 1)
      else if (name.endsWith(vectorFileEnd)) files.push(`${folder}/${name}`)
    }
  }
  if ((await context.files.kindOf(absolute(root, context))) === 'file') files.push(root)
  else await search(root, 0)
  return { folders, files }
}

async function readVector(
  folder: string,
  digests: ReadonlyMap<string, Digests>,
  context: OperationContext,
): Promise<Vector> {
  const casePath = `${folder}/${caseFile}`
  const expectPath = `${folder}/${expectFile}`
  const { suiteId, vectorId, input } = checked(
    VectorCase,
    await readJson(casePath, context),
    casePath,
  )
  const expect = checked(VectorExpect, await readJson(expectPath, context), expectPath)
  return {
    suiteId,
    vectorId,
    casePath,
    expectPath,
    // The schema passes the parsed value through, so numbers keep their spelling.
    input: input as Json,
    expect,
    digests: digests.get(vectorId),
  }
}

async function readVectorFile(
  path: string,
  digests: ReadonlyMap<string, Digests>,
  context: OperationContext,
): Promise<readonly Vector[]> {
  const { suiteId, base, vectors } = checked(VectorFile, await readJson(path, context), path)
  const read: Vector[] = []
  for (const [vectorId, { changes, expect }] of Object.entries(vectors)) {
    const place = `${path}: ${vectorId}`
    read.push({
      suiteId,
      vectorId,
      casePath: place,
      expectPath: place,
      input: await namingSource(place, () =>
        changed(base as Json, changes as readonly JsonChange[]),
      ),
      expect: { schema: 1, ...expect },
      digests: digests.get(vectorId),
    })
  }
  return read
}

/** `{"<vectorId>": {"digests": {…}}}`, as suites of other implementations bring it. */
async function readDigests(
  root: string,
  context: OperationContext,
): Promise<ReadonlyMap<string, Digests>> {
  const path = `${root}/${digestsFile}`
  const found = new Map<string, Digests>()
  if (!(await context.files.readIfPresent(absolute(path, context)))) return found
  const document = await readJson(path, context)
  if (!isJsonObject(document)) throw malformed(path, 'the document', 'must be an object')
  for (const [vectorId, entry] of Object.entries(document)) {
    const digests = isJsonObject(entry) ? entry['digests'] : undefined
    found.set(vectorId, checked(Digests, digests, path, [vectorId, 'digests']))
  }
  return found
}

const readJson = (path: string, context: OperationContext) =>
  namingSource(path, async () => parseJson(await readDocument(path, context), { freeKeys }))

function checked<const S extends Shape>(
  shape: S,
  document: Json | undefined,
  path: string,
  within: readonly string[] = [],
): ValueOf<S> {
  const flaw = flawIn(shape, document)
  if (flaw === undefined) return document as never
  const place = [...within, ...(flaw.at === '' ? [] : [flaw.at])].join('.')
  throw malformed(path, place || 'the document', flaw.why)
}

/** Ids must be unique, and an id that a vector refers to must exist. */
function checkNames(vectors: readonly Vector[]): void {
  const known = new Map<string, Vector>()
  for (const vector of vectors) {
    const other = known.get(nameOf(vector))
    if (other) {
      const message = `is ${nameOf(vector)}, which ${other.casePath} is too`
      throw malformed(vector.casePath, 'vectorId', message)
    }
    known.set(nameOf(vector), vector)
  }
  for (const { suiteId, expect, expectPath } of vectors) {
    const named = expect.sameDigestsAs
    if (named === undefined || known.has(nameOf({ suiteId, vectorId: named }))) continue
    throw new Fault('invalid_input', `${expectPath}: sameDigestsAs: ${named} is not here`, {
      hint: 'Name the folder that holds the whole suite.',
      detail: { path: expectPath, at: 'sameDigestsAs' },
    })
  }
}

/** Suite and id, as a vector is called in reports. */
export const nameOf = ({ suiteId, vectorId }: Pick<Vector, 'suiteId' | 'vectorId'>) =>
  `${suiteId}/${vectorId}`

function malformed(path: string, at: string, message: string): Fault {
  return new Fault('invalid_input', `${path}: ${at}: ${message}`, {
    hint: 'See `premath schema premath.conformance.vector_case.v1`, …vector_expect.v1 and …vector_file.v1.',
    detail: { path, at },
  })
}
