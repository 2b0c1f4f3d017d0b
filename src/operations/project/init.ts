import type { Page } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { choiceField, flagField, textField } from '../../field.ts'
import { changeFields } from '../../input/issue-fields.ts'
import { refuse } from '../../kernel/issues/issue-refusal.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible } from '../../kernel/text/visible.ts'
import { operatorUnder } from '../../project/authority/authority.ts'
import { recordGrant } from '../../project/authority/rewrite-authority.ts'
import type { OperationContext } from '../../project/context.ts'
import { openProject, type Project, projectAt } from '../../project/open.ts'
import { isInDotPremath, mustBeOneLine, mustStayInside, resolvePath } from '../../project/paths.ts'
import { askFirstSettings } from '../../project/setup/first-config.ts'
import { askImport } from '../../project/setup/import-question.ts'
import { type ProjectFile, projectFiles } from '../../project/setup/init-files.ts'
import { installMergeDriver, repositoryOf } from '../../project/setup/merge-driver.ts'
import { missingDriverNote } from '../../project/setup/missing-driver.ts'
import { mustMakeWay } from '../../project/setup/usable-driver.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { InitAnswer } from '../../wire/answers/project.ts'
import { operation } from '../operation.ts'

export const init = operation({
  group: 'project',
  summary: 'Set up a project with issue memory, a policy and a configuration.',
  description:
    'Creates .premath and its missing files, and lists them. Running it again changes nothing. .premath/.gitattributes keeps line ends unchanged in every clone. .premath/.gitignore names caches, locks and the records of runs, unless git tracks such a record. At a terminal it asks for the settings that most projects need and writes them to .premath/config.json; elsewhere it writes examples as comments. Issues of an earlier tool in .beads/issues.jsonl are copied if there is no issue memory; at a terminal it asks first. Nothing outside .premath changes, except with --merge-driver. Without a folder it sets up the enclosing project: the nearest .premath upwards, the main worktree of a linked one, or the working folder.',
  effect: 'mutation',
  opId: 'op/mcp.init_tool',
  input: {
    folder: textField('folder', 'The folder of the project.', { path: true, positional: true }),
    ids: choiceField(
      ['counted', 'hash'],
      'How new ids are made: counter (bd-7), or hash (bd-k3f9), which avoids clashes between clones.',
      { placeholder: 'mode' },
    ),
    mergeDriver: flagField(
      'Let git merge issue memory by row and field: edits .gitattributes and the git configuration of this clone.',
    ),
    yes: flagField('Ask nothing, at a terminal too.'),
    reason: changeFields.reason,
  },
  output: InitAnswer,
  examples: {
    'premath init': 'the created and the existing files',
    'premath init --ids hash --merge-driver': 'a project whose branches merge automatically',
  },

  async run({ folder, ids, mergeDriver, yes, reason }, context) {
    const project =
      folder === undefined
        ? await openProject(context)
        : projectAt(await named(folder, context), context)
    const { root } = project
    const disk = await context.disk()
    const refused = await policyRefusal(project, { ids, reason })
    if (refused) return rejected('init', project.at('.premath/issues.jsonl'), refused)
    const hadRoot = await isFolder(root, context)
    const premathDir = project.at('.premath')
    const hadPremathDir = await isFolder(premathDir, context)
    await mustStayInside(premathDir, root, disk)
    const repository = mergeDriver ? await repositoryOf(root, context.files) : undefined
    if (repository !== undefined) await mustMakeWay(repository, context)
    const asker = yes ? undefined : context.asker()
    const files = await projectFiles(project, ids, {
      settings: () => askFirstSettings(asker),
      import: (path, count) => askImport(asker, path, count),
    })
    const driver =
      repository === undefined ? [] : await installMergeDriver(root, repository, context, disk)
    const made = [...files.made, ...driver]
    const notes = [
      folder === undefined ? await elsewhereNote(root, context) : undefined,
      await missingDriverNote(root, context),
    ].filter(note => note !== undefined)
    const created = {
      premathDir: !hadPremathDir,
      repoRoot: !hadRoot,
      ...Object.fromEntries(files.made.map(({ name, state }) => [name, state === 'made'])),
      // These files belong to others; only our lines count as created.
      ...Object.fromEntries(driver.map(({ name, state }) => [name, state !== 'there'])),
    }
    return {
      output: {
        action: 'init',
        configPath: files.configPath,
        created,
        ids: files.ids,
        issuesPath: files.issuesPath,
        migratedFromLegacy: files.legacy?.path ?? null,
        policyPath: files.policyPath,
        premathDir,
        repoRoot: root,
      },
      yes: true,
      ...(notes.length > 0 && { message: notes.join('\n') }),
      render: page => initPage(root, made, files.legacy?.count, page),
    }
  },
})

/** An existing policy decides who may change it. */
async function policyRefusal(
  project: Project,
  { ids, reason }: { readonly ids: string | undefined; readonly reason: string | undefined },
) {
  if (ids === undefined) return undefined
  const { policy, document } = await project.writtenPolicy()
  if (document === undefined || policy.ids === ids) return undefined
  const grant = operatorUnder(await project.policy(), reason, project)
  if (!grant.granted) return refuse('mutation_not_granted', grant.message, grant.remedy)
  await recordGrant(grant, 'init', project.at('.premath'), project)
  return undefined
}

async function named(folder: string, { cwd, files }: OperationContext): Promise<string> {
  const path = resolvePath(cwd(), folder)
  mustBeOneLine(path)
  if (path.includes('\uFFFD') && (await files.kindOf(path)) === undefined) {
    throw new Fault('usage', `the name of the folder is not UTF-8: ${path}`, {
      hint: 'Nothing was changed. Rename the folder, or name another one.',
      detail: { path },
    })
  }
  if (!isInDotPremath(path)) return path
  throw new Fault('usage', `${path} lies inside a .premath folder`, {
    hint: 'Name the folder that contains .premath, or another one.',
    detail: { path },
  })
}

async function isFolder(path: string, { files }: OperationContext): Promise<boolean> {
  const kind = await files.kindOf(path)
  if (kind !== 'file') return kind === 'folder'
  throw new Fault('invalid_input', `${path} is a file, but must be a folder`, {
    hint: 'Move the file, or name another folder.',
    detail: { path },
  })
}

/** The repository is not the project's: its owner may not know of the project above. */
async function elsewhereNote(root: string, { cwd, files }: OperationContext) {
  const here = cwd()
  if (!here.startsWith(`${root}/`)) return undefined
  // A linked worktree has no folder .git. It belongs to the project of its main worktree.
  if ((await files.kindOf(resolvePath(here, '.git/HEAD'))) !== 'file') return undefined
  return `note: ${visible(here)} is a git repository below the project ${visible(root)}\n  To set up a project of its own: premath init .`
}

const words = { made: 'made', there: 'there already', changed: 'changed' } as const

function initPage(
  root: string,
  made: readonly ProjectFile[],
  copied: number | undefined,
  page: Page,
): string {
  const isNew = made.some(({ state }) => state !== 'there')
  const next = copied ? 'premath ready' : 'premath add "What is to be done"'
  const width = Math.max(...made.map(({ path }) => path.length))
  return [
    `${isNew ? 'Set up' : 'Nothing to do in'} ${visible(root)}`,
    ...made.map(({ path, state }) => {
      const word =
        state === 'there' ? page.ink('dim', words.there) : page.ink('green', words[state])
      return `  ${path.padEnd(width)}  ${word}`
    }),
    ...(copied === undefined
      ? []
      : [`  ${counted(copied, 'issue')} copied from .beads/issues.jsonl`]),
    ...(isNew ? [page.ink('dim', `  Next: ${next}`)] : []),
    '',
  ].join('\n')
}
