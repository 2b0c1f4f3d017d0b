/** All failure classes. The prefix of a class is the file that owns it. */
import { contextRules } from './context.ts'
import { coordinationRules } from './coordination.ts'
import { governanceRules } from './governance.ts'
import { handoffRules } from './handoff.ts'
import { mutationRules } from './mutation.ts'
import { protocolRules } from './protocol.ts'
import type { Rule } from './rule.ts'
import { runtimeRules } from './runtime.ts'
import { toolRules } from './tool.ts'

export const rules = {
  ...contextRules,
  ...coordinationRules,
  ...governanceRules,
  ...handoffRules,
  ...mutationRules,
  ...protocolRules,
  ...runtimeRules,
  ...toolRules,
} as const

export type FailureClass = keyof typeof rules

export const ruleEntries = Object.entries(rules) as readonly (readonly [FailureClass, Rule])[]
