/**
 * The questions that the resident process answers. Their answer depends on the files of the project, the arguments
 * and the variables below: they ask no other program, no terminal and no key of the user.
 */

export const answeredCommands: ReadonlySet<string> = new Set([
  'dep diagnostics',
  'dep tree',
  'harness-feature next',
  'harness-feature read',
  'harness-join-check',
  'harness-session read',
  'issue blocked',
  'issue check',
  'issue lease-projection',
  'issue list',
  'issue ready',
  'issue show',
  'prime',
])

export const isAnswered = (command: string): boolean => answeredCommands.has(command)

/** The variables by which these commands go. */
export const askedVariables = [
  'PREMATH_FEEDBACK_FILE',
  'PREMATH_HANDOFF_FILE',
  'PREMATH_HARNESS_SESSION_PATH',
  'PREMATH_INSTRUCTION_ID',
  'PREMATH_ISSUES_PATH',
  'PREMATH_ISSUE_ID',
  'PREMATH_ROOT',
  'PREMATH_WORKER_ID',
] as const

/** The variables of the process itself: enough to find its folder. It inherits nothing else. */
const ownVariables = ['HOME', 'LANG', 'PATH', 'TMPDIR', 'XDG_RUNTIME_DIR']

type Variables = Readonly<Record<string, string | undefined>>

export const askedIn = (env: Variables): Record<string, string> => chosen(env, askedVariables)

export const environmentOf = (env: Variables): Record<string, string> => chosen(env, ownVariables)

function chosen(env: Variables, names: readonly string[]): Record<string, string> {
  const found = names.flatMap(name => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}
