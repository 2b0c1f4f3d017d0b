/** The answers of the commands about policies and settings. */
import { InstructionPolicy } from '../instruction/instruction-policy.ts'
import { MutationPolicy } from '../policy/mutation-policy.ts'
import { Digest, Timestamp } from '../primitives.ts'
import {
  about,
  any,
  flag,
  list,
  literal,
  nullable,
  optional,
  positive,
  record,
  text,
  variant,
  whole,
  word,
} from '../shape.ts'

const accepted = {
  result: literal('accepted'),
  failureClasses: list(text),
} as const

const what = word(['policy', 'checks', 'instruction'])

/** A line of the policy log, without its document. */
const EntryBrief = record({
  what,
  digest: Digest,
  at: Timestamp,
  operator: text,
  uid: optional(whole),
  reason: text,
  promotionDigest: nullable(Digest),
  entryDigest: Digest,
})

export const PolicyCheckAnswer = record({
  action: literal('policy.check'),
  what,
  digest: Digest,
  findings: list(text),
  ...accepted,
})

export const PolicySetAnswer = record({
  action: literal('policy.set'),
  what,
  path: text,
  digest: Digest,
  entry: EntryBrief,
  ...accepted,
})

export const PolicyRestoreAnswer = record({
  action: literal('policy.restore'),
  files: list(
    record({
      what,
      digest: Digest,
      path: text,
      state: word(['there', 'restored']),
      kept: nullable(text, 'The file that was replaced.'),
    }),
  ),
  ...accepted,
})

const Governed = record({
  path: text,
  digest: nullable(Digest, 'null if there is no file.'),
  inForce: nullable(EntryBrief),
  standing: nullable(word(['in-force', 'by-hand', 'edited'])),
})

const { schema: _schema, policyKind: _kind, ...registered } = InstructionPolicy.members
const { harness, ids, override, surfaces, witnessTtlSeconds } = MutationPolicy.members
const mode = surfaces.members.cli.members.mode

export const PolicyShowAnswer = record({
  action: literal('policy.show'),
  policy: Governed,
  checks: Governed,
  governanceClaimed: flag,
  instructionPolicies: nullable(
    list(record({ ...registered, path: text })),
    'null if one of them is invalid, because then none counts.',
  ),
  modes: record({ cli: mode, mcp: mode, work: mode }),
  requireAgentEvidence: flag,
  reminderLines: harness.members.reminderLines,
  observabilityMode: harness.members.observabilityMode,
  override,
  ids,
  witnessTtlSeconds,
})

export const GovernancePromotionCheckAnswer = record({
  action: literal('governance-promotion-check'),
  result: word(['accepted', 'rejected']),
  failureClasses: list(text),
  findings: list(record({ failureClass: text, at: text, message: text })),
})

const SettingSource = variant('from', [
  record({ from: literal('environment'), variable: text }),
  record({ from: literal('file'), line: positive, column: positive }),
  record({ from: literal('default') }),
])

const value = about(any, 'As the setting has it; null if there is none.')

export const ConfigShowAnswer = record({
  action: literal('config.show'),
  path: text,
  settings: list(record({ key: text, value, source: SettingSource })),
})

export const ConfigSetAnswer = record({
  action: literal('config.set'),
  result: literal('accepted'),
  path: text,
  key: text,
  value,
  changed: flag,
})
