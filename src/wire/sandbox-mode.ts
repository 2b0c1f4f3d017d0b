import { type ValueOf, word } from './shape.ts'

/** How the commands of a step were kept from the rest of the machine. */
export const SandboxMode = word(['bubblewrap', 'off'])
export type SandboxMode = ValueOf<typeof SandboxMode>
