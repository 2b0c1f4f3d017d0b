/** The state of a copy of issue memory that another tool keeps, and of jj. */

import { Fault } from '../../fault.ts'
import { BadRow, readIssue } from '../../kernel/issues/issue.ts'
import { IssueMemory } from '../../kernel/issues/issue-memory.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../kernel/json.ts'
import { decodeUtf8 } from '../../world/utf8.ts'
import type { OperationContext } from '../context.ts'
import { resolvePath } from '../paths.ts'

const projectionKind = 'premath.surreal.issue_projection.v0'

interface Compared {
  /** As the person gave it, and the real path. */
  readonly path: string
  readonly file: string
  /** The path of the rows, and their snapshot ref. */
  readonly authority: string
  readonly authorityRef: string | null
}

export async function projectionStatus(context: OperationContext, compared: Compared) {
  const { path, file } = compared
  const bytes = await context.files.readIfPresent(file)
  const unknown = {
    error: null,
    exists: bytes !== undefined,
    kind: projectionKind,
    path,
    projectionKind: null,
    schema: null,
    snapshotRefMatchesAuthority: null,
    snapshotRefMatchesProjection: null,
    sourceIssuesPath: null,
    sourcePathMatchesAuthority: null,
    sourceSnapshotRef: null,
    state: 'missing',
  }
  if (!bytes) return unknown
  const document = documentIn(bytes)
  if (typeof document === 'string') return { ...unknown, error: document, state: 'invalid' }
  return { ...unknown, ...comparison(document, compared, context) }
}

function comparison(document: JsonObject, compared: Compared, context: OperationContext) {
  const { schema = null, kind = null, issues = [] } = document
  const source = textOrNull(document['sourceIssuesPath'])
  const sourceRef = textOrNull(document['sourceSnapshotRef'])
  const ownRef = refOf(issues, context)
  const error = complaint(schema, kind, sourceRef, ownRef)
  const pathMatches = source && resolvePath(context.cwd(), source) === compared.authority
  const refMatches = sourceRef && compared.authorityRef && sourceRef === compared.authorityRef
  return {
    error,
    projectionKind: kind,
    schema,
    snapshotRefMatchesAuthority: orNull(refMatches),
    snapshotRefMatchesProjection: sourceRef === null ? null : sourceRef === ownRef,
    sourceIssuesPath: source,
    sourcePathMatchesAuthority: orNull(pathMatches),
    sourceSnapshotRef: sourceRef,
    state: error === null ? stateOf(orNull(pathMatches), orNull(refMatches)) : 'invalid',
  }
}

function complaint(schema: Json, kind: Json, sourceRef: string | null, ownRef: string | undefined) {
  if (schema !== 1) return 'schema must be 1'
  if (kind !== projectionKind) return `kind must be ${projectionKind}`
  if (ownRef === undefined) return 'its issues cannot be read'
  return sourceRef !== null && sourceRef !== ownRef
    ? 'its issues are not what its sourceSnapshotRef says'
    : null
}

function stateOf(pathMatches: boolean | null, refMatches: boolean | null): string {
  if (pathMatches === false || refMatches === false) return 'stale'
  return pathMatches && refMatches ? 'fresh' : 'unknown'
}

const orNull = (value: boolean | string | null) => (typeof value === 'boolean' ? value : null)

const textOrNull = (value: Json | undefined) => (typeof value === 'string' ? value : null)

function documentIn(bytes: Uint8Array): JsonObject | string {
  try {
    const document = parseJson(decodeUtf8(bytes))
    return isJsonObject(document) ? document : 'must be an object'
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
}

function refOf(issues: Json, { sha256 }: OperationContext): string | undefined {
  if (!Array.isArray(issues)) return undefined
  const memory = new IssueMemory()
  for (const raw of issues as readonly Json[]) {
    const issue = isJsonObject(raw) ? readIssue(raw) : new BadRow('must be an object')
    if (issue instanceof BadRow) return undefined
    memory.put(issue)
  }
  return memory.snapshotRef(sha256)
}

/** Whether the project is a jj repository and jj is installed. jj is never started. */
export interface JjStatus {
  readonly available: boolean
  readonly error: string | null
  /** Only jj knows it. */
  readonly headChangeId: null
  readonly repoRoot: string | null
  readonly state: 'ready' | 'error' | 'unavailable'
}

const elsewhere: JjStatus = {
  available: false,
  error: null,
  headChangeId: null,
  repoRoot: null,
  state: 'unavailable',
}

/** `unavailable` where there is no repository, `error` where there is one and no jj for it. */
export async function jjStatus(folder: string, context: OperationContext): Promise<JjStatus> {
  const repoRoot = await repositoryAbove(folder, context)
  if (repoRoot === undefined) return elsewhere
  const found = { ...elsewhere, repoRoot }
  return (await isOnPath('jj', context))
    ? { ...found, available: true, state: 'ready' }
    : { ...found, error: 'there is no jj on PATH', state: 'error' }
}

async function repositoryAbove(folder: string, context: OperationContext) {
  for (let at = folder.replace(/\/+$/, ''); ; at = at.slice(0, at.lastIndexOf('/'))) {
    if ((await kindOf(`${at}/.jj`, context)) === 'folder') return at || '/'
    if (at === '') return undefined
  }
}

async function isOnPath(program: string, context: OperationContext): Promise<boolean> {
  const folders = (context.env['PATH'] ?? '').split(':').filter(folder => folder.startsWith('/'))
  for (const folder of folders) {
    if ((await kindOf(`${folder}/${program}`, context)) === 'file') return true
  }
  return false
}

/** A folder that may not be read counts as missing. */
async function kindOf(path: string, { files }: OperationContext) {
  try {
    return await files.kindOf(path)
  } catch (error) {
    if (error instanceof Fault) return undefined
    throw error
  }
}
