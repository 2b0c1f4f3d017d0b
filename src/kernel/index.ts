/** The pure part, for programs that bring their own input and output. Named one by one. */
export { Fault, type FaultCode } from '../fault.ts'
export { type GrantRefusal, type GrantRequest, OperatorGrant } from './authority/operator-grant.ts'
export { canonicalJson, type Digest, digestOf, prettyJson, type Sha256 } from './canonical.ts'
export { type Json, JsonNumber, type JsonObject, jsonDepthMax, parseJson } from './json.ts'
export {
  deriveEvidence,
  type ObservedMessage,
  type ObservedRequest,
  type ObservedResult,
  type ObservedTurn,
} from './turn/evidence/derive-evidence.ts'
export type { Finding, Join } from './turn/join.ts'
export { joinTurn } from './turn/join.ts'
export { judge } from './turn/judge.ts'
export { MutationReady, type Refusal } from './turn/mutation-ready.ts'
export { freeKeys, normalizeTurn } from './turn/normalize.ts'
export { joinReport, printReport } from './turn/report.ts'
export { type FailureClass, rules } from './turn/rules/index.ts'
export type { Gate, Kit, Rule, Violation } from './turn/rules/rule.ts'
export type { Turn } from './turn/turn.ts'
