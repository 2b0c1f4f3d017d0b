/** Parts of undici by file: its main module also loads fetch, caches and mocks. */
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export = Agent
}
