/** What a program that depends on premath may use, named one by one. */

export type { Answer, ExitCode, Live, LiveEvent, Outcome, Page, Stream } from './answer.ts'
export { Fault, type FaultCode, faultCodes } from './fault.ts'
export type { Field, Fields, InputOf } from './field.ts'
export { operations } from './operations/index.ts'
export type { Operation, Operations } from './operations/operation.ts'
export type { OperationContext } from './project/context.ts'
export { openContext } from './project/context.ts'
export { schemaComplaints } from './project/gate/schema-complaints.ts'
export { nodeWorld } from './world/node-world.ts'
export type { Files, FolderEntry, Output, World } from './world/world.ts'
