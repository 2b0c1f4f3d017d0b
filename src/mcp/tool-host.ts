/** The tools and resources that a server offers. This room moves messages and knows no operation. */
import type { JsonObject } from '../kernel/json.ts'
import type { CallOrigin } from '../wire/issue/call-origin.ts'

/** A JSON Schema (2020-12). */
type Schema = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Schema
  readonly outputSchema?: Schema | undefined
  readonly isReadOnly: boolean
  readonly isDestructive: boolean
  readonly isIdempotent: boolean
  /** Hosts that load tools on demand load it at once. */
  readonly isAlwaysLoaded: boolean
}

export interface ToolCall {
  readonly name: string
  readonly args: JsonObject
  readonly origin: CallOrigin
  /** Reports one line while the call runs. */
  progress(line: string): void
  /** Aborted when the client cancels the call or leaves. */
  readonly signal: AbortSignal
}

export interface ToolAnswer {
  readonly output: object
  readonly isError: boolean
}

export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
}

export interface ToolHost {
  readonly name: string
  readonly version: string
  /** How an agent uses the tools. Hosts show it to the model. */
  readonly instructions: string
  readonly tools: readonly Tool[]
  readonly resources: readonly Resource[]
  /** By URI with `{…}` in place of a part. */
  readonly resourceTemplates: readonly Resource[]
  /** The call that answers the resource; `undefined` where there is none. */
  resourceCall(uri: string): Pick<ToolCall, 'name' | 'args'> | undefined
  call(call: ToolCall): Promise<ToolAnswer>
}
