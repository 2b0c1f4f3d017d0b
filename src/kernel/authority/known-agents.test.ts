import { expect, test } from 'vitest'
import { agentOf } from './known-agents.ts'

test.each([
  [{ CLAUDECODE: '1' }, 'Claude Code'],
  [{ CODEX_THREAD_ID: 't' }, 'Codex'],
  [{ GEMINI_CLI: '1' }, 'Gemini CLI'],
  [{ COPILOT_CLI: '1' }, 'Copilot CLI'],
  [{ AI_AGENT: 'something_agent' }, 'an agent'],
])('%j is %s', (env, name) => {
  expect(agentOf(env)).toBe(name)
})

test('a person who has settings of agents is not one', () => {
  const env = { CODEX_HOME: '/home/ana/.codex', ANTHROPIC_API_KEY: 'k', CLAUDECODE: '' }
  expect(agentOf(env)).toBeUndefined()
})
