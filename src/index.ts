/** What a program that depends on premath may use, named one by one. */
export { Fault, type FaultCode, faultCodes } from './fault.ts'
export { operations } from './operations/index.ts'
export { openContext } from './operations/open.ts'
export type {
  Answer,
  ExitCode,
  Field,
  Fields,
  InputOf,
  Live,
  LiveEvent,
  Operation,
  OperationContext,
  Operations,
  Outcome,
  Page,
  Stream,
} from './operations/operation.ts'
export { schemaComplaints } from './operations/schema-complaints.ts'
export { nodeWorld } from './world/node-world.ts'
export type { Files, FolderEntry, Output, World } from './world/world.ts'
