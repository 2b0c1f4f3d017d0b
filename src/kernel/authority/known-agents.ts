/** The coding agents that can be recognised by the environment which they give to their tools. */

/** Each variable was seen in the tools of the agent, or in its hooks. A person sets none of them. */
const marks: Readonly<Record<string, string>> = {
  CLAUDECODE: 'Claude Code',
  CLAUDE_CODE_SESSION_ID: 'Claude Code',
  CODEX_SESSION_ID: 'Codex',
  CODEX_THREAD_ID: 'Codex',
  CODEX_TOOL_CALL_ID: 'Codex',
  CODEX_CI: 'Codex',
  GEMINI_CLI: 'Gemini CLI',
  GEMINI_SESSION_ID: 'Gemini CLI',
  COPILOT_CLI: 'Copilot CLI',
  COPILOT_AGENT_SESSION_ID: 'Copilot CLI',
}

/** Agents name themselves in it, such as `claude-code_2-1-325_agent`. */
const ownName = 'AI_AGENT'

/**
 * The name of the agent that started this command, or `undefined`. This guards against accidents: an
 * agent can remove the variables.
 */
export function agentOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const mark = Object.keys(marks).find(name => env[name])
  if (mark !== undefined) return marks[mark]
  return env[ownName] ? 'an agent' : undefined
}
