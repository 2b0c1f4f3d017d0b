import { digestOf } from '../../canonical.ts'
import { cleanRefs } from '../../text/clean.ts'
import { requestOf, toolEntry } from '../checks/call-index.ts'
import { listed, rowAt, short } from '../evidence/read-row.ts'
import { policiesOf } from '../policy-class.ts'
import { mismatches } from '../policy-document.ts'
import type { RequestRow, ResultRow, Shell, Turn } from '../turn.ts'
import { defineRules, type Kit, none, type Violation } from './rule.ts'

export const runtimeRules = defineRules({
  'runtime.shell_boundary_violation': {
    means: 'A shell ran, or something was written, outside the bounds of the call spec.',
    gate: 'join',
    remedy: 'Run the command in an allowed folder and sandbox, and edit through an edit surface.',
    find: shellViolations,
  },
  'runtime.compaction_state_invalid': {
    means: 'Context was compacted without the state that lets the next turn trust it.',
    gate: 'join',
    remedy: 'Compact under the bound policy, drop only closed calls, and record what is carried.',
    find: (turn, kit) => [
      ...mismatches(turn, policiesOf('runtime.compaction_state_invalid')),
      ...compactionViolations(turn, kit),
    ],
  },
})

function compactionViolations(turn: Turn, kit: Kit): readonly Violation[] {
  const { compaction } = turn.extension
  if (!compaction) return none
  const violations: Violation[] = []
  const { policyDigest, stateDigest, carriedRefs = [], droppedToolCallIds = [] } = compaction
  if (policyDigest === undefined || policyDigest !== turn.callSpec.compactionPolicyDigest) {
    const message = 'is not the compaction policy the call spec binds'
    violations.push({ at: 'evidence.compaction.policyDigest', message })
  }
  const results = new Set(turn.joinState.resultCallIds)
  const used = new Set(turn.joinState.usedCallIds)
  for (const id of droppedToolCallIds) {
    if (results.has(id) && used.has(id)) continue
    const message = `drops call ${short(id)}, which has no ${results.has(id) ? 'use' : 'result'}`
    violations.push({ at: 'evidence.compaction.droppedToolCallIds', message })
  }
  const computed = digestOf(cleanRefs(carriedRefs), kit.sha256)
  if (stateDigest !== computed) {
    const message = `is ${stateDigest ?? 'missing'}; the carried refs come to ${computed}`
    violations.push({ at: 'evidence.compaction.stateDigest', message })
  }
  return violations
}

/** Checks a shell's working folder, sandbox and permission to edit. */
function shellViolations(turn: Turn): readonly Violation[] {
  const { executionBoundaryPolicy, runtimeSandboxRef, toolPolicy } = turn.callSpec
  const bounded = executionBoundaryPolicy || runtimeSandboxRef || toolPolicy
  const shells = turn.results.some(result => result.shell)
  if (!bounded && !shells) return none
  const listedRoots = executionBoundaryPolicy?.workdirRoots
  const roots = listedRoots && new PathRoots(listedRoots)
  return [
    ...turn.results.flatMap(result => resultViolations(turn, result, roots)),
    ...strayArtifacts(turn),
  ]
}

function resultViolations(
  turn: Turn,
  result: ResultRow,
  roots: PathRoots | undefined,
): readonly Violation[] {
  const at = `${rowAt('evidence.toolResults', result.toolCallId)}.shell`
  const toolName = requestOf(turn, result.toolCallId)?.toolName
  if (!result.shell) {
    if (toolEntry(turn, toolName)?.shell !== true) return none
    return [{ at, message: `${toolName} runs in a shell, and the result does not say where` }]
  }
  return shellComplaints(turn, result.shell, roots).map(message => ({ at, message }))
}

function shellComplaints(turn: Turn, shell: Shell, roots: PathRoots | undefined): string[] {
  const policy = turn.callSpec.executionBoundaryPolicy
  const sandbox = turn.callSpec.runtimeSandboxRef
  const messages: string[] = []
  for (const name of ['workdir', 'sandboxRef', 'commandDigest'] as const) {
    if (shell[name] === undefined) messages.push(`${name} is missing or blank`)
  }
  const { workdir } = shell
  if (workdir !== undefined) {
    if (!workdir.startsWith('/')) messages.push(`the workdir ${workdir} is not absolute`)
    else if (roots && !roots.cover(workdir)) {
      const allowed = listed(policy?.workdirRoots ?? [], 'every root')
      messages.push(`the workdir ${normalPath(workdir)} is outside ${allowed}`)
    }
  }
  if (sandbox !== undefined && shell.sandboxRef !== undefined && shell.sandboxRef !== sandbox) {
    messages.push(`ran in the sandbox ${shell.sandboxRef}; the call spec binds ${sandbox}`)
  }
  if ((shell.edits?.length ?? 0) > 0 && policy?.shellMayEdit !== true) {
    messages.push(`edited ${listed(shell.edits ?? [], 'nothing')}, and this shell may not edit`)
  }
  return messages
}

/**
 * An artifact must lie below a listed surface or come from a listed tool: the one it names, or any
 * tool the turn called.
 */
function strayArtifacts(turn: Turn): readonly Violation[] {
  const surfaces = turn.callSpec.executionBoundaryPolicy?.editSurfaces
  if (!surfaces) return none
  const tools = new Set(surfaces)
  const paths = new PathRoots(surfaces)
  const mayWrite = (request: RequestRow | undefined) =>
    request?.toolName !== undefined && tools.has(request.toolName)
  const someWriter = turn.requests.some(mayWrite)
  return (turn.extension.artifacts ?? []).flatMap(artifact => {
    const { path = '', ref = '', toolCallId } = artifact
    const byTool = toolCallId === undefined ? someWriter : mayWrite(requestOf(turn, toolCallId))
    if (byTool || paths.cover(path)) return none
    const message = `${path} was written outside ${listed(surfaces, 'every edit surface')}`
    return [{ at: rowAt('evidence.artifacts', ref), message }]
  })
}

/** Allowed root folders, compared by whole segments: `/repo-b` is not below `/repo`. */
export class PathRoots {
  readonly #roots: ReadonlySet<string>

  constructor(roots: readonly string[]) {
    this.#roots = new Set(roots.map(normalPath))
  }

  /** Whether the path is a root or below one, after resolving `.` and `..`. */
  cover(path: string): boolean {
    const segments = segmentsOf(path)
    const start = path.startsWith('/') ? '/' : ''
    return segments.concat('').some((_, length) => {
      // A path that climbs out of a folder is not below it.
      const climbs = segments[length] === '..'
      return !climbs && this.#roots.has(start + segments.slice(0, length).join('/'))
    })
  }
}

/** A path without `.`, `..` and doubled slashes. */
export function normalPath(path: string): string {
  return (path.startsWith('/') ? '/' : '') + segmentsOf(path).join('/')
}

/** `..` at the root is dropped; at the start of a relative path it stays. */
function segmentsOf(path: string): string[] {
  const kept: string[] = []
  const rooted = path.startsWith('/')
  for (const segment of path.split('/')) {
    if (segment === '..' && (rooted || (kept.length > 0 && kept.at(-1) !== '..'))) kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return kept
}
