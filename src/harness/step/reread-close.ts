/**
 * Reads a close again after it was made: row, fence and dependencies from the file of rows, the chain
 * from its proof, and the commit from the target. What the store acknowledged must be on the disk.
 */
import { Fault } from '../../fault.ts'
import { documentOf } from '../../kernel/artifact/print.ts'
import { fenceOf, type Issue, printIssue } from '../../kernel/issues/issue.ts'
import { closeOf } from '../../kernel/issues/issue-metadata.ts'
import { RereadClose } from '../../wire/harness/reread-close.ts'
import type { StepJournal, StepLanding } from '../../wire/harness/step-journal.ts'
import type { Harness } from '../harness.ts'
import { askGit } from '../worktree/git.ts'
import { StepFolder } from './step-folder.ts'

type Reading = Omit<RereadClose, 'issueId'>

/** Returns the ref of the reading. Faults as `corrupt`, with both values, if they differ. */
export async function rereadClose(
  harness: Harness,
  journal: StepJournal,
  acknowledged: Issue,
  landing: StepLanding | undefined,
): Promise<string> {
  const { store, sha256 } = harness
  const chain = String(closeOf(acknowledged)?.['chain'] ?? '')
  const readingOf = (issue: Issue | undefined, read: Pick<Reading, 'chain' | 'tree'>): Reading => ({
    rowDigest: issue ? `sha256:${sha256(printIssue(issue))}` : 'missing',
    status: issue?.status ?? 'missing',
    fence: issue ? fenceOf(issue) : 0,
    dependencies: issue?.dependencies.map(one => `${one.type} ${one.depends_on_id}`) ?? [],
    ...read,
  })
  const expected = readingOf(acknowledged, { chain, tree: landing?.tree ?? '' })
  const onDisk = await store.reread(acknowledged)
  const tree = landing ? await treeOnTarget(harness, landing) : ''
  const found = readingOf(onDisk.row, { chain: onDisk.chain ?? 'missing', tree })
  for (const name of Object.keys(expected) as (keyof Reading)[]) {
    const [want, got] = [expected[name], found[name]].map(value => JSON.stringify(value))
    if (want !== got) throw differs(journal.issueId, name, want ?? '', got ?? '')
  }
  const folder = new StepFolder(harness, journal.stepId)
  await folder.make()
  const read = { issueId: journal.issueId, ...found }
  return await folder.write('reread.json', documentOf(RereadClose, read))
}

/** `missing` if the commit is not on the target. */
async function treeOnTarget(harness: Harness, { commit, target }: StepLanding): Promise<string> {
  const folder = harness.landingPlace?.top ?? harness.root
  const ref = `refs/heads/${target}`
  const { exitCode, stdout } = await askGit(harness, folder, ['rev-parse', `${commit}^{tree}`, ref])
  const [tree = '', tip] = stdout.split('\n')
  if (exitCode !== 0) return 'missing'
  if (tip === commit) return tree
  // Others may have landed since.
  const asked = await askGit(harness, folder, ['merge-base', '--is-ancestor', commit, ref])
  return asked.exitCode === 0 ? tree : 'missing'
}

const differs = (issueId: string, name: string, expected: string, found: string) =>
  new Fault(
    'corrupt',
    `${issueId} was closed, and its ${name} reads ${found} instead of ${expected}`,
    {
      hint: `Somebody changed the files at that moment. Look at them: premath doctor, premath witness verify ${issueId}.`,
      detail: { issueId, name, expected, found },
    },
  )
