/** Opens the checkout in which the work of steps that do not land is verified. */

import type { BootOptions } from '../../harness/boot.ts'
import type { Harness } from '../../harness/harness.ts'
import { CopiedCheckout } from '../../harness/landing/copied-checkout.ts'
import { GitCheckout, type GitCheckoutParts } from '../../harness/landing/git-checkout.ts'
import { openRepository } from '../../harness/landing/landing-git.ts'
import { checkoutPath } from '../../harness/landing/left-checkouts.ts'
import type { WorkCheckout } from '../../harness/landing/work-checkout.ts'
import type { AttemptOptions } from '../../harness/step/attempt.ts'
import { stepFolderName } from '../../kernel/harness/step/step-id.ts'
import { checkoutVariable } from '../../kernel/landing/checkout-variable.ts'
import { makeGitignoredFolder } from '../../store/gitignored-folder.ts'
import { type Project, projectFrom } from '../open.ts'
import { mustStayInside } from '../paths.ts'
import { stepProofs } from '../proofs/step-proofs.ts'

type CheckoutOptions = Pick<AttemptOptions, 'verifier' | 'specVerifier' | 'verifyTimeoutMs'> &
  BootOptions

type OptionsFor = (harness: Harness) => CheckoutOptions

/** How work is taken that began before the checkout was opened. */
type Taking = Pick<GitCheckoutParts, 'base' | 'leftOut'>

/** Runs `act` with a checkout, which is made when work is first verified, and removed at the end. */
export async function withWorkCheckout<T>(
  harness: Harness,
  project: Project,
  optionsFor: OptionsFor,
  act: (checkout: WorkCheckout) => Promise<T>,
  taking: Taking = {},
): Promise<T> {
  const { workerId, sha256 } = harness
  const make = async (): Promise<OpenCheckout> => {
    const isInGit = (await project.isInRepository()) || (await project.worktree()) !== undefined
    const name = stepFolderName(workerId, sha256)
    const path = isInGit ? await checkoutPath(harness, name) : await copyPath(harness, name)
    const open = isInGit ? gitCheckout : copiedCheckout
    return await open(harness, project, optionsFor, path, taking)
  }
  let opened: Promise<OpenCheckout> | undefined
  const open = async () => {
    opened ??= make()
    return await opened
  }
  try {
    return await act({
      begin: async (...given) => await (await open()).checkout.begin(...given),
      submit: async (...given) => await (await open()).checkout.submit(...given),
      keep: async (...given) => await (await open()).checkout.keep(...given),
      end: async (...given) => await (await open()).checkout.end(...given),
    })
  } finally {
    await (await opened)?.close()
  }
}

interface OpenCheckout {
  readonly checkout: WorkCheckout
  close(): Promise<void>
}

/** Without git, a premath in the copy finds its project around it. */
async function copyPath({ root, disk }: Harness, worker: string): Promise<string> {
  const folder = `${root === '/' ? '' : root}/.premath/checkouts`
  await mustStayInside(folder, root, disk)
  const real = await disk.realPath(folder)
  await makeGitignoredFolder(real, disk)
  return `${real}/check.${worker}.step`
}

async function gitCheckout(
  harness: Harness,
  project: Project,
  optionsFor: OptionsFor,
  path: string,
  taking: Taking,
): Promise<OpenCheckout> {
  const { config } = await project.config()
  const { proofs, disk } = harness
  const folder = await disk.realPath(proofs.folder)
  // The main worktree, if there is one: the work may replace the `.git` of its own.
  const root = (await project.isInRepository()) ? harness.root : folder
  const place = await openRepository({ ...harness, root })
  const { startupCommand: command, startupTimeoutMs: timeoutMs, ...options } = optionsFor(harness)
  const checkout = new GitCheckout({
    place,
    folder,
    path,
    ...taking,
    copyFiles: config.copyFiles,
    startUp: { command, timeoutMs, inputs: config.verifyInputs },
    protection: config.protect,
    verifyCommand: options.verifier.name,
    verifyTimeoutMs: options.verifyTimeoutMs,
    below: harness.worktree.slice(folder.length),
    verifiersAt: optionsFor,
    proofsAt: one => stepProofs(projectFrom(project, { ...project, cwd: () => one })),
  })
  return { checkout, close: () => checkout.close() }
}

async function copiedCheckout(
  harness: Harness,
  project: Project,
  optionsFor: OptionsFor,
  path: string,
): Promise<OpenCheckout> {
  const { config } = await project.config()
  const options = optionsFor(harness)
  const env = { ...project.env, [checkoutVariable]: path }
  const checkout = new CopiedCheckout({
    files: project.files,
    folder: await harness.disk.realPath(harness.proofs.folder),
    path,
    protection: config.protect,
    verifyCommand: options.verifier.name,
    verifyTimeoutMs: options.verifyTimeoutMs,
    verifiersAt: optionsFor,
    proofsAt: one => stepProofs(projectFrom(project, { cwd: () => one, env })),
  })
  return { checkout, close: () => harness.disk.removeFolder(path) }
}
