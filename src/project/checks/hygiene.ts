/** Gathers the facts of `premath ci-hygiene-check` from git and the files of the project. */
import { Fault } from '../../fault.ts'
import { askGit, listBytesMax } from '../../harness/worktree/git.ts'
import { sampleOf } from '../../kernel/checks/hygiene/ignore-line.ts'
import type { HygieneFacts } from '../../kernel/checks/hygiene/rules.ts'
import { compactnessFindings } from '../../kernel/issues/graph/graph-compactness.ts'
import { checkIssues } from '../../kernel/issues/issue-check.ts'
import { oldDrafts } from '../doctor/drafts.ts'
import type { Project } from '../open.ts'
import { openIssues } from '../open-issues.ts'
import { machineLines, outputFolders, runRecords } from '../setup/added-files.ts'
import { bytesAttribute } from '../setup/init-files.ts'
import { repositoryAround } from '../setup/merge-driver.ts'

export async function hygieneFacts(
  project: Project,
  issues: string | undefined,
): Promise<HygieneFacts> {
  const { root, files } = project
  const outputs = [...runRecords, ...outputFolders].map(({ path }) => path)
  const samples = machineLines.map(line => sampleOf(line, '.premath'))
  const isRepository = (await repositoryAround(root, files)) !== undefined
  const tracked = isRepository ? await trackedFiles(project) : undefined
  const asked = (tracked ?? []).filter(path =>
    outputs.some(output => path === output || path.startsWith(`${output}/`)),
  )
  return {
    tracked,
    ignored: isRepository ? await ignoredOf([...samples, ...asked], project) : new Set(),
    privateKeys: isRepository ? await trackedKeys(project) : [],
    machineLines,
    outputs,
    hasPremath: (await files.kindOf(project.at('.premath'))) === 'folder',
    attributes: await linesOf('.premath/.gitattributes', project),
    bytesAttribute,
    hasProofs: (await files.kindOf(project.at('.premath/proofs'))) === 'folder',
    drafts: await draftsIn(project),
    graph: await graphOf(project, issues),
  }
}

async function gitOf(project: Project, args: readonly string[], stdin?: string) {
  const { root, env } = project
  const [processes, disk] = await Promise.all([project.processes(), project.disk()])
  const place = { root, env, processes, disk }
  const answer = await askGit(place, root, args, {
    bytesMax: listBytesMax,
    ...(stdin !== undefined && { stdin }),
  })
  // Exit code 1 means that nothing was found.
  if (answer.exitCode <= 1 && answer.isWhole) return answer.stdout
  throw new Fault('unavailable', `git ${args[0]} failed in ${root}: ${answer.complaint}`, {
    hint: 'Run the same git command by hand to see why.',
    detail: { args },
  })
}

const separated = (text: string) => text.split('\0').slice(0, -1)

const trackedFiles = async (project: Project) =>
  separated(await gitOf(project, ['ls-files', '--cached', '-z']))

/** Only a `.gitignore` of the repository counts: other clones have no other list of this machine. */
async function ignoredOf(paths: readonly string[], project: Project): Promise<ReadonlySet<string>> {
  const asked = paths.map(path => `${path}\0`).join('')
  const args = ['check-ignore', '--no-index', '--verbose', '-z', '--stdin']
  const fields = separated(await gitOf(project, args, asked))
  const ignored = new Set<string>()
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [source = '', , pattern = '', path = ''] = fields.slice(at, at + 4)
    const isShared = !source.startsWith('/') && /(^|\/)\.gitignore$/.test(source)
    if (isShared && !pattern.startsWith('!')) ignored.add(path)
  }
  return ignored
}

/** A key is a file of its own. Sources and pages may quote one further down. */
async function trackedKeys(project: Project): Promise<readonly string[]> {
  const begin = '^-----BEGIN ([A-Z0-9]+ )*PRIVATE KEY-----'
  const args = ['grep', '--cached', '-z', '-n', '-I', '-E', '-e', begin]
  const lines = (await gitOf(project, args)).split('\n').filter(line => line !== '')
  return lines.flatMap(line => {
    const [path = '', number] = line.split('\0')
    return number === '1' ? [path] : []
  })
}

async function linesOf(path: string, { files, ...project }: Project): Promise<readonly string[]> {
  const bytes = await files.readIfPresent(project.at(path))
  return bytes
    ? new TextDecoder()
        .decode(bytes)
        .split('\n')
        .map(line => line.trim())
    : []
}

async function draftsIn(project: Project): Promise<readonly string[]> {
  const found = await oldDrafts({ project, disk: await project.disk(), now: project.clock.now() })
  return found.map(path => path.slice(project.root.length + 1))
}

async function graphOf(project: Project, issues: string | undefined) {
  const { store } = await openIssues(project, { issues }, 'ask')
  if (!(await store.exists())) return undefined
  const memory = await store.read()
  return { check: checkIssues(memory), redundant: compactnessFindings(memory) }
}
