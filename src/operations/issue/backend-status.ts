import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { memoryFields } from '../../input/issue-fields.ts'
import type { Sha256 } from '../../kernel/canonical.ts'
import { visible } from '../../kernel/text/visible.ts'
import { jjStatus, projectionStatus } from '../../project/issues/backend-status.ts'
import { absolute } from '../../project/named-document.ts'
import { openProject } from '../../project/open.ts'
import { messageOf, openIssues } from '../../project/open-issues.ts'
import { resolvePath } from '../../project/paths.ts'
import type { IssueStore } from '../../store/issue-store.ts'
import { BackendStatusAnswer } from '../../wire/answers/issue-files.ts'
import { operation } from '../operation.ts'

export const issueBackendStatus = operation({
  group: 'issue',
  summary: 'Show where issue memory is stored and whether copies of it are fresh.',
  description:
    'The rows are authoritative. A query projection of another tool is a copy and is compared with them. For jj, it reports whether this is a jj repository and the program is installed, without starting it. A missing part is reported and is not an error. Exits 5 if the rows are corrupt.',
  effect: 'read',
  opId: 'op/mcp.issue_backend_status',
  input: {
    repo: textField('folder', 'The folder of the project.', {
      path: true,
      default: '.',
      also: ['repo-root'],
    }),
    projection: textField(
      'file',
      'The query projection to compare; default .premath/surreal_issue_cache.json.',
      { path: true },
    ),
    ...memoryFields,
  },
  output: BackendStatusAnswer,
  examples: { 'premath issue backend-status --json': 'the snapshot ref of the rows' },

  async run({ repo, projection, issues }, context) {
    // --issues names a file from the working folder; without it the project of --repo counts.
    const inRepo = { ...context, cwd: () => absolute(repo, context) }
    const project = await openProject(issues ? context : inRepo)
    const open = await openIssues(project, { issues }, 'ask')
    const { issuesPath, store } = open
    const memory = await memoryStatus(store, issuesPath, context.sha256)
    const path = projection ?? projectionPath
    const queryProjection = await projectionStatus(context, {
      path,
      file: resolvePath(projection === undefined ? open.project.root : context.cwd(), path),
      authority: store.location,
      authorityRef: memory.snapshotRef,
    })
    const jj = await jjStatus(resolvePath(context.cwd(), repo), context)
    const isCorrupt = memory.exists && memory.error !== null
    return {
      output: {
        action: 'issue.backend-status',
        canonicalMemory: memory,
        issuesPath,
        jj,
        queryProjection,
        repoRoot: repo,
      },
      yes: !isCorrupt,
      ...(isCorrupt && { exitCode: 5 as const }),
      ...messageOf(open),
      render: page => {
        const state = memory.error ?? (memory.exists ? memory.snapshotRef : 'missing: premath init')
        const rows = `issue memory  ${visible(`${issuesPath}: ${state}`)}`
        return [
          memory.error ? page.ink('red', rows) : rows,
          `projection    ${visible(`${path}: ${queryProjection.state}`)}`,
          `jj            ${visible([jj.state, jj.error ?? jj.repoRoot ?? []].flat().join(': '))}`,
          '',
        ].join('\n')
      },
    }
  },
})

const projectionPath = '.premath/surreal_issue_cache.json'

async function memoryStatus(store: IssueStore, path: string, sha256: Sha256) {
  const exists = await store.exists()
  const status = { error: null, exists, kind: store.kind, path, snapshotRef: null }
  if (!exists) return status
  try {
    return { ...status, snapshotRef: (await store.read()).snapshotRef(sha256) }
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return { ...status, error: error.message }
  }
}
