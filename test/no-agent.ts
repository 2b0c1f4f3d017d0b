/** Tests act as a person, also where an agent runs them. */
import { agentOf } from '../src/kernel/authority/known-agents.ts'

for (const name of Object.keys(process.env)) {
  if (agentOf({ [name]: '1' }) !== undefined) delete process.env[name]
}
