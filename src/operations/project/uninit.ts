import type { Answer, Page } from '../../answer.ts'
import { flagField, textField } from '../../field.ts'
import { refuse } from '../../kernel/issues/issue-refusal.ts'
import { counted } from '../../kernel/text/counted.ts'
import { visible } from '../../kernel/text/visible.ts'
import { operatorUnder } from '../../project/authority/authority.ts'
import { openProject, type Project } from '../../project/open.ts'
import { messageOf, type OpenIssues, openIssues } from '../../project/open-issues.ts'
import { openUninitRepository, type UninitRepository } from '../../project/setup/uninit-git.ts'
import { mustBeIdle } from '../../project/setup/uninit-idle.ts'
import { planUninit, type UninitPlan } from '../../project/setup/uninit-plan.ts'
import { removePlanned, type Uninit } from '../../project/setup/uninit-removal.ts'
import { mustHaveAllRows, writeLackingRows } from '../../project/setup/uninit-rows.ts'
import { rejected } from '../../render/issues/issue-answer.ts'
import { table } from '../../render/table.ts'
import { lockWaitMsDefault, underLock } from '../../store/lock.ts'
import { UninitAnswer } from '../../wire/answers/project.ts'
import { operation } from '../operation.ts'
import { isAgent, notForAgents } from '../people-only.ts'

const action = 'uninit'

export const uninit = operation({
  group: 'project',
  summary: 'Remove what premath added to a project.',
  description:
    'Removes the merge driver from git and .gitattributes, the worktrees of workers, caches, locks, and the outputs of steps and checks. Issues, proofs, policy and configuration stay, except with --all. Acknowledged rows that the file of issues lacks are written into it first. Lists what it removes and what stays, and asks at a terminal; elsewhere it needs --yes. A worktree with uncommitted work stays, and so does a branch premath/… or a ref refs/premath/… with commits that the target lacks. With --all the refs go too, but a branch stays if no other branch has its commits. Exits 4 while somebody holds a lease or a lock, or a step or a landing was cut off.',
  effect: 'mutation',
  opId: 'op/project.uninit',
  input: {
    all: flagField('Also remove issues, proofs, policy, configuration and all refs/premath.'),
    yes: flagField('Ask nothing, and remove. Required without a terminal.'),
    reason: textField(
      'text',
      'Why the issues are removed. With --all, the mode human-override requires it, and the mode operator without a terminal.',
    ),
  },
  output: UninitAnswer,
  examples: {
    'premath uninit': 'what goes and what stays, and a question at a terminal',
    'premath uninit --all --yes': 'removes the issues too, without a question',
  },

  async run({ all, yes, reason }, context) {
    const project = await openProject(context)
    if (isAgent(context)) return notForAgents(action, 'set-up')
    const refused = all ? await removalRefusal(project, reason) : undefined
    const open = await openIssues(project, {}, 'look')
    if (refused) return rejected(action, open.issuesPath, refused)
    const repository = await openUninitRepository(project)
    const issueCount = await mustBeIdle(open, repository)
    const plan = await planUninit(project, { all, issueCount, repository })
    const { root } = project
    if (plan.removes.length === 0) return nothingToRemove(root, all, plan)
    const ask = yes ? undefined : context.asker()
    if (!yes && !ask) return notConfirmed(root, all, plan)
    const answer = await ask?.(`${planPage(root, plan, plainPage)}Remove these? [y/N] `)
    if (ask && !/^y(es)?$/i.test(answer ?? '')) return declined(root, all, plan)
    const written = all ? undefined : await writeLackingRows(open)
    const done = await whileIdle(open, repository, async () => {
      if (!all) await mustHaveAllRows(open)
      return await removePlanned(project, plan.removes, repository)
    })
    const stays = [...done.stays, ...plan.stays]
    return {
      output: { action, all, isRemoved: true, removed: done.removed, root, stays },
      yes: true,
      ...(written && messageOf(written)),
      render: page => donePage(root, { ...done, stays }, ask !== undefined, page),
    }
  },
})

/** The policy decides who may change issues, and so who may remove them. */
async function removalRefusal(project: Project, reason: string | undefined) {
  const grant = operatorUnder(await project.policy(), reason, project)
  return grant.granted ? undefined : refuse('mutation_not_granted', grant.message, grant.remedy)
}

/** Under the lock of issue memory, so that nobody can claim an issue meanwhile. */
async function whileIdle(
  open: OpenIssues,
  repository: UninitRepository | undefined,
  act: () => Promise<Uninit>,
): Promise<Uninit> {
  const { project, store } = open
  const lock = `${store.location}.lock`
  if (!(await store.exists())) return await act()
  return await underLock(await project.disk(), lock, lockWaitMsDefault, async () => {
    await mustBeIdle(open, repository, lock)
    const done = await act()
    // It may be new, and was not planned then.
    await (await project.disk()).remove(lock)
    return done
  })
}

const nothingToRemove = (root: string, all: boolean, { stays }: UninitPlan): Answer<unknown> => ({
  output: { action, all, isRemoved: false, removed: [], root, stays },
  yes: true,
  render: page => `Nothing to remove in ${visible(root)}.\n${staysPage(stays, page)}`,
})

function notConfirmed(root: string, all: boolean, plan: UninitPlan): Answer<unknown> {
  const message = 'uninit: without a terminal nobody can be asked, so nothing was removed'
  const hint = 'Check the list, then pass --yes.'
  return {
    output: { action, all, isRemoved: false, removes: plan.removes, root, stays: plan.stays },
    error: { code: 'usage', message, hint },
    yes: false,
    exitCode: 2,
    message: `error: ${message}\n  ${hint}`,
    render: page => planPage(root, plan, page),
  }
}

const declined = (root: string, all: boolean, plan: UninitPlan): Answer<unknown> => ({
  output: { action, all, isRemoved: false, removes: plan.removes, root, stays: plan.stays },
  yes: false,
  render: () => 'Nothing was removed.\n',
})

/** For the question, which is asked before the answer is printed. */
const plainPage: Page = { columns: 80, ink: (_, text) => text }

const planPage = (root: string, { removes, stays }: UninitPlan, page: Page): string =>
  `premath uninit removes from ${visible(root)}:\n${removesTable(removes, page)}${staysPage(stays, page)}`

const removesTable = (removes: UninitPlan['removes'], page: Page): string => {
  const rows = removes.map(({ kind, name, holds }) => [kind, name, holds])
  return table(['kind', 'name', 'holds'], rows, page, ['holds'], ['name'])
}

function staysPage(stays: UninitPlan['stays'], page: Page): string {
  if (stays.length === 0) return ''
  const rows = stays.map(({ name, why }) => [name, why])
  return `\n${table(['stays', 'why'], rows, page, [], ['stays'])}`
}

function donePage(root: string, done: Uninit, wasAsked: boolean, page: Page): string {
  const count = `${counted(done.removed.length, 'item')} from ${visible(root)}`
  return wasAsked
    ? `Removed ${count}.\n`
    : `Removed ${count}:\n${removesTable(done.removed, page)}${staysPage(done.stays, page)}`
}
