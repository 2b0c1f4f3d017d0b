/** Vectors on disk: folders that hold an input for the gate and the answer it must give. */
import { Fault } from '../../fault.ts'
import { isJsonObject, type Json, parseJson } from '../../kernel/json.ts'
import { freeKeys } from '../../kernel/turn/normalize.ts'
import { Digests } from '../../wire/turn/normalized-turn.ts'
import { VectorCase, VectorExpect } from '../../wire/turn/vector.ts'
import type { OperationContext } from '../context.ts'
import { about, absolute, readDocument } from '../named-document.ts'

export interface Vector {
  readonly suiteId: string
  readonly vectorId: string
  /** Where it was read from, for faults about it. */
  readonly casePath: string
  readonly expectPath: string
  readonly input: Json
  readonly expect: ReturnType<typeof VectorExpect.parse>
  /** What `digests.json` says; all of them, so an absent one says that there is none. */
  readonly digests: Digests | undefined
}

const caseFile = 'case.json'
const expectFile = 'expect.json'
const digestsFile = 'digests.json'

/** Deeper or wider than any suite: somebody named the wrong folder. */
const depthMax = 32
const foldersMax = 20_000

/** Every vector at or below a folder, in the order of their paths. */
export async function readVectors(
  dir: string,
  context: OperationContext,
): Promise<readonly Vector[]> {
  // A variable that was not set; below "" we would search from the root of the disk.
  if (dir === '') {
    throw new Fault('usage', 'the name of a folder is empty', {
      hint: 'Name the folder of vectors; a single dot is the folder you are in.',
    })
  }
  const root = dir.replace(/(?<=.)\/+$/, '')
  const digests = await readDigests(root, context)
  const vectors: Vector[] = []
  for (const folder of await vectorFolders(root, context)) {
    vectors.push(await readVector(folder, digests, context))
  }
  if (vectors.length === 0) {
    throw new Fault('usage', `there is no vector in ${root}`, {
      hint: `A vector is a folder that holds ${caseFile} and ${expectFile}.`,
      detail: { path: root },
    })
  }
  checkNames(vectors)
  const known = new Set(vectors.map(({ vectorId }) => vectorId))
  const stray = [...digests.keys()].find(vectorId => !known.has(vectorId))
  if (stray !== undefined) {
    throw malformed(`${root}/${digestsFile}`, JSON.stringify(stray), 'is no vector of this folder')
  }
  return vectors
}

async function vectorFolders(root: string, context: OperationContext): Promise<readonly string[]> {
  const found: string[] = []
  let folders = 0
  async function search(folder: string, depth: number): Promise<void> {
    if (++folders > foldersMax || depth > depthMax) {
      throw new Fault('usage', `${root} is too large or too deep to be a folder of vectors`, {
        hint: 'Name the folder that holds the vectors themselves.',
        detail: { path: folder, foldersMax, depthMax },
      })
    }
    const entries = await context.files.list(absolute(folder, context))
    const files = new Set(entries.filter(entry => !entry.isFolder).map(({ name }) => name))
    const [hasCase, hasExpect] = [files.has(caseFile), files.has(expectFile)]
    if (hasCase && hasExpect) found.push(folder)
    else if (hasCase) throw malformed(folder, caseFile, `has no ${expectFile} beside it`)
    else if (hasExpect) throw malformed(folder, expectFile, `has no ${caseFile} beside it`)
    for (const { name, isFolder } of entries) {
      if (isFolder) await search(`${folder}/${name}`, depth + 1)
    }
  }
  await search(root, 0)
  return found
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
    // As it was read: the schema lets any value pass and does not touch it.
    input: input as Json,
    expect,
    digests: digests.get(vectorId),
  }
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
  about(path, async () => parseJson(await readDocument(path, context), { freeKeys }))

interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: Flaws }
}

interface Flaws {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]
}

function checked<T>(
  schema: Schema<T>,
  document: Json | undefined,
  path: string,
  within: readonly string[] = [],
): T {
  const parsed = schema.safeParse(document)
  if (parsed.success) return parsed.data
  const [flaw] = parsed.error.issues
  const place = [...within, ...(flaw?.path ?? [])].map(String).join('.')
  throw malformed(path, place || 'the document', flaw?.message ?? 'is malformed')
}

/** Ids are how vectors are told apart, and how one names another. */
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
    hint: 'See `premath schema premath.conformance.vector_case.v1` and …vector_expect.v1.',
    detail: { path, at },
  })
}
