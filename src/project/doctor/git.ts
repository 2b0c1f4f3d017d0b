/** Finds what git does to issue memory in this clone. */
import { askGit } from '../../harness/worktree/git.ts'
import { repositoryAround } from '../../harness/worktree/repository.ts'
import { shellWord } from '../../kernel/text/shell-word.ts'
import { type IssueFiles, issueFiles } from '../../store/file/issue-files.ts'
import type { Disk } from '../../world/world.ts'
import { remergeHint, type UnmergedFile, unmergedIn } from '../issues/unmerged.ts'
import type { Project } from '../open.ts'
import { installMergeDriver } from '../setup/merge-driver.ts'
import { type DriverSetting, removesForeign, unusableDriver } from '../setup/usable-driver.ts'
import { type DoctorFinding, type Examined, faultAsFinding, finding, fixed } from './finding.ts'

interface GitVisit {
  readonly project: Project
  readonly issuesPath: string
  readonly disk: Disk
  readonly fix: boolean
}

export async function examineGit(visit: GitVisit): Promise<Examined> {
  const why = 'It is not known whether git keeps the rows of issue memory in a merge.'
  const looked = await faultAsFinding('git', () => findingsIn(visit), why)
  return 'found' in looked ? looked.found : looked.value
}

const none: Examined = { checks: [], findings: [] }

async function findingsIn(visit: GitVisit): Promise<Examined> {
  const files = issueFiles(visit.issuesPath)
  // Somebody deleted it, and the check of the acknowledged rows says so.
  if ((await visit.disk.entry(files.folder)) === undefined) return none
  const converted = await convertedFiles(files, visit)
  const repository = await repositoryAround(visit.disk, files.folder)
  if (repository === undefined) return converted.length > 0 ? gitFindings(converted) : none
  const { attributes, settings } = await askAbout(files, visit)
  const isNamed = attributes.has('merge: premath')
  const driver = isNamed
    ? await driverFinding(settings.get('merge.premath.driver'), visit, repository.top)
    : undefined
  const hasDriver = isNamed && (driver === undefined || driver.fixed)
  const open = await unmergedIn(files, visit.project)
  const translates = ['true', 'input'].includes(settings.get('core.autocrlf')?.value ?? '')
  const isOurs = attributes.size > 0 && attributes.has('text: unset')
  return gitFindings([
    ...(driver ? [driver] : []),
    ...(open.length > 0 ? [unmerged(open, hasDriver)] : []),
    ...converted,
    ...(translates && !isOurs && converted.length === 0 ? [translating(files.rows)] : []),
  ])
}

const gitFindings = (findings: readonly DoctorFinding[]): Examined => ({
  checks: ['git'],
  findings,
})

async function placeOf({ root, env, processes, disk }: Project) {
  return { root, env, processes: await processes(), disk: await disk() }
}

/** The attributes of the files, and the settings about them. Neither runs a program. */
async function askAbout({ rows, events, folder }: IssueFiles, { project }: GitVisit) {
  const place = await placeOf(project)
  const asked = ['check-attr', '-z', 'merge', 'text', '--', rows, events]
  const fields = (await askGit(place, folder, asked)).stdout.split('\0')
  const attributes = new Set<string>()
  for (let at = 0; at + 2 < fields.length; at += 3) {
    attributes.add(`${fields[at + 1]}: ${fields[at + 2]}`)
  }
  const keys = '^(merge\\.premath\\.(name|driver)|core\\.autocrlf)$'
  const listed = ['config', '--show-scope', '-z', '--get-regexp', keys]
  const parts = (await askGit(place, folder, listed)).stdout.split('\0')
  const settings = new Map<string, DriverSetting>()
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [key = '', value = ''] = (parts[at + 1] ?? '').split(/\n(.*)/s)
    settings.set(key, { scope: parts[at] ?? '', value })
  }
  return { attributes, settings }
}

async function driverFinding(
  setting: DriverSetting | undefined,
  { project, disk, fix }: GitVisit,
  top: string,
): Promise<DoctorFinding | undefined> {
  const unusable = setting && (await unusableDriver(setting.value, { top, project, disk }))
  if (setting && !unusable) return undefined
  const isOurs = unusable?.isOurs ?? true
  const found = setting && unusable ? cannotRun(setting, unusable) : missing
  if (!fix || !isOurs) return found
  await installMergeDriver(project.root, top, project, disk)
  return fixed(found, 'It is configured in this clone now.')
}

const missing = finding(
  'git',
  '.gitattributes names the merge driver premath, and this clone has none',
  'git then merges issue memory as text: changes of two branches conflict, or are lost.',
  'premath doctor --fix configures it, as premath init --merge-driver does.',
)

const cannotRun = (
  { scope }: DriverSetting,
  { why, isOurs }: { readonly why: string; readonly isOurs: boolean },
) =>
  finding(
    'git',
    `the merge driver of this clone cannot run: ${why}`,
    'A merge then leaves out the rows of the other branch, and the file looks whole.',
    isOurs
      ? 'premath doctor --fix configures it again, as premath init --merge-driver does.'
      : removesForeign(scope),
  )

const unmerged = (files: readonly UnmergedFile[], hasDriver: boolean) =>
  finding(
    'git',
    `git has not merged ${files.map(({ path }) => path).join(' and ')}`,
    'The rows of one side may be missing. To add and commit the file as it is loses them.',
    remergeHint(files, hasDriver),
    5,
  )

/** The rows are JSON, in which a line end of Windows is blank space. */
async function convertedFiles({ rows, events }: IssueFiles, { disk }: GitVisit) {
  const found: DoctorFinding[] = []
  for (const [path, command] of [
    [rows, 'premath issue compact'],
    [events, 'premath issue migrate-events'],
  ] as const) {
    const file = await disk.openPlain(await disk.realPath(path))
    if (!file) continue
    const bytes = await file.read(0, (await file.stamp()).size)
    await file.close()
    if (bytes.includes(carriageReturn)) found.push(converted(path, command))
  }
  return found
}

const carriageReturn = 0x0d

const whyBytes = 'Rows and proofs are then other bytes than in other clones, so proofs do not hold.'

const converted = (path: string, command: string) =>
  finding(
    'git',
    `${path} has line ends of Windows`,
    whyBytes,
    `premath init tells git to keep line ends. Then ${command} writes the file again.`,
  )

const translating = (path: string) =>
  finding(
    'git',
    `git translates the line ends of ${path} in this clone (core.autocrlf)`,
    whyBytes,
    `premath init tells git to keep them. Then commit ${shellWord('.premath/.gitattributes')}.`,
  )
