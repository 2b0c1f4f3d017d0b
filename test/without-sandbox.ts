/** Arguments for tests whose commands write outside of their worktree, as no real work does. */

const commands = [
  ['harness-step'],
  ['harness-boot'],
  ['harness-loop', 'worker'],
  ['harness-loop', 'coordinator'],
  ['run'],
  ['land'],
]

/** Adds `--sandbox off`, unless the arguments name a sandbox or belong to another command. */
export function withoutSandbox(args: readonly string[]): readonly string[] {
  const isOther = (word: string) => ['--sandbox', '--help', '-h', 'status'].includes(word)
  const isLoop = commands.some(words => words.every((word, at) => args[at] === word))
  return isLoop && !args.some(isOther) ? [...args, '--sandbox', 'off'] : args
}
