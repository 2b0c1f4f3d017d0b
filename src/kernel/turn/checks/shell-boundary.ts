/** Checks a shell's working folder, sandbox and permission to edit. */

import { listed, rowAt } from '../evidence/read-row.ts'
import { none, type Violation } from '../rules/rule.ts'
import type { RequestRow, ResultRow, Shell, Turn } from '../turn.ts'
import { requestOf, toolEntry } from './call-index.ts'
import { normalPath, PathRoots } from './path-roots.ts'

export function shellViolations(turn: Turn): readonly Violation[] {
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
  const said: string[] = []
  for (const name of ['workdir', 'sandboxRef', 'commandDigest'] as const) {
    if (shell[name] === undefined) said.push(`${name} is missing or blank`)
  }
  const { workdir } = shell
  if (workdir !== undefined) {
    if (!workdir.startsWith('/')) said.push(`the workdir ${workdir} is not absolute`)
    else if (roots && !roots.cover(workdir)) {
      const allowed = listed(policy?.workdirRoots ?? [], 'every root')
      said.push(`the workdir ${normalPath(workdir)} is outside ${allowed}`)
    }
  }
  if (sandbox !== undefined && shell.sandboxRef !== undefined && shell.sandboxRef !== sandbox) {
    said.push(`ran in the sandbox ${shell.sandboxRef}; the call spec binds ${sandbox}`)
  }
  if ((shell.edits?.length ?? 0) > 0 && policy?.shellMayEdit !== true) {
    said.push(`edited ${listed(shell.edits ?? [], 'nothing')}, and this shell may not edit`)
  }
  return said
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
