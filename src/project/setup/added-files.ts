/** What premath adds to a project. `init` makes these files, and `uninit` removes them. */

import { relocationFolder } from '../../kernel/harness/relocation/relocation.ts'
import { closesFolder } from '../../kernel/landing/closes-folder.ts'
import { witnessFolder } from '../../kernel/proof/witness.ts'

/** By their key in `created` of the answer of `init`. Paths start at the root of the project. */
export const initFiles = {
  issuesFile: { path: '.premath/issues.jsonl', holds: 'issues' },
  policyFile: { path: '.premath/policy.json', holds: 'policy' },
  configFile: { path: '.premath/config.json', holds: 'configuration' },
  ignoreFile: { path: '.premath/.gitignore', holds: 'ignored files' },
  attributesFile: { path: '.premath/.gitattributes', holds: 'git attributes of the proofs' },
} as const

export type InitFile = keyof typeof initFiles

/** Files of others, to which `init --merge-driver` adds lines. Paths start at the repository. */
export const driverFiles = {
  gitAttributes: { path: '.gitattributes', holds: 'merge driver' },
  gitConfig: { path: '.git/config', holds: 'merge driver' },
} as const

/** The worktrees of workers. Git keeps a list of them, so they are not removed as folders. */
export const worktreesPath = '.premath/worktrees'

/** What `.premath/.gitignore` excludes: what belongs to one machine, or can be made again. */
export const machineLines = [
  'cache/',
  'replay-cache.json',
  '*.lock',
  '*.tmp.*',
  '*.torn-*',
  '*.before-*',
  'steps/',
] as const

/** What commands leave in `.premath` for this machine alone. */
export const machineState = [
  { path: '.premath/cache', holds: 'cache' },
  { path: '.premath/replay-cache.json', holds: 'cache' },
  { path: '.premath/steps', holds: 'journals of steps' },
  { path: closesFolder, holds: 'queued closes' },
] as const

/** Folders for outputs, each with a `.gitignore` that excludes all of it. */
export const outputFolders = [
  { path: 'artifacts/steps', holds: 'outputs of steps' },
  { path: witnessFolder, holds: 'witnesses' },
  { path: relocationFolder, holds: 'inputs of relocations' },
] as const

/** What runs write for the next run on this machine. Memory commits leave it out, and so does git. */
export const runRecords = [
  { path: '.premath/harness_session.json', holds: 'session' },
  { path: '.premath/harness_feature_ledger.json', holds: 'feature ledger' },
  { path: '.premath/harness_trajectory.jsonl', holds: 'steps so far' },
  { path: '.premath/harness_attention.jsonl', holds: 'events that need attention' },
] as const

/** What commands write to `.premath` to last. */
export const records = [
  { path: '.premath/proofs', holds: 'proofs of closed issues' },
  { path: '.premath/memory', holds: 'events of issues and recorded overrides' },
  { path: '.premath/policy-log.jsonl', holds: 'policies that were put in force' },
  { path: '.premath/checks.json', holds: 'checks of instructions' },
  { path: '.premath/trust.json', holds: 'keys whose signatures count' },
  { path: '.premath/capability-registry.json', holds: 'capability registry' },
  ...runRecords,
] as const

/** Every path of a project that premath reads or writes. */
export const projectPaths: readonly { readonly path: string; readonly holds: string }[] = [
  ...Object.values(initFiles),
  ...records,
  ...machineState,
  { path: worktreesPath, holds: 'worktrees of workers' },
  ...outputFolders,
]
