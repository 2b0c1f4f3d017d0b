import { type Command, RootCommand, ShellCompDirective, script } from '@bomb.sh/tab'
import { choiceField, type Field, type Names } from '../field.ts'
import { type Operation, type Operations, operation } from '../operations/operation.ts'
import type { OperationContext } from '../project/context.ts'
import { type KnownName, knownNames } from '../project/issues/known-names.ts'
import { CompletionAnswer } from '../wire/answers/cli.ts'
import { flagOf, globalFlags, isMany, isNamed, namesOf } from './flags.ts'

const shells = ['bash', 'fish', 'zsh'] as const

export const completion = operation({
  group: 'shell',
  summary: 'Print the completion script for your shell.',
  description:
    'Completes commands, flags, the values a flag allows, file names, and the issue ids, statuses and labels of the project.',
  effect: 'read',
  opId: 'op/cli.completion',
  input: {
    shell: choiceField(shells, 'The shell to print it for.', {
      placeholder: 'shell',
      positional: true,
      required: true,
    }),
  },
  output: CompletionAnswer,
  examples: {
    'source <(premath completion bash)': 'bash, for this shell',
    'source <(premath completion zsh)': 'zsh, for this shell',
    'premath completion fish > ~/.config/fish/completions/premath.fish': 'fish, from now on',
  },

  async run({ shell }) {
    const text = scriptFor(shell)
    return { output: { shell, script: text }, yes: true, render: () => text }
  },
})

function scriptFor(shell: (typeof shells)[number]): string {
  return shell === 'bash' ? bashScript : printed(() => script(shell, 'premath', 'premath'))
}

/**
 * Replaces the library's script, which evaluates the half-typed line: pressing tab runs
 * `$( )`, and `> file` truncates the file. It also requires the bash-completion package, cannot be sourced twice and never completes file names.
 */
const bashScript = `# bash completion for premath

__premath_complete() {
    local cur=\${COMP_WORDS[COMP_CWORD]} word line glue= directive=0
    local words=()
    COMPREPLY=()

    # What follows a redirection is a file, whatever the command.
    [[ \${COMP_WORDS[COMP_CWORD-1]} == *[\\<\\>] ]] && return

    # bash takes --flag=value apart, and we want it whole.
    for word in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if [[ $glue || $word == = ]] && ((\${#words[@]})); then
            words[\${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        glue=
        [[ $word == = ]] && glue=1
    done
    [[ $cur == = ]] && cur=

    while IFS= read -r line; do
        word=\${line%%$'\\t'*}
        if [[ $line == :* ]]; then
            directive=\${line#:}
        elif [[ $word == "$cur"* ]]; then
            COMPREPLY+=("$word")
        fi
    done < <(premath complete -- "\${words[@]}" 2>/dev/null)

    ((directive & ${ShellCompDirective.ShellCompDirectiveNoFileComp})) && compopt +o default
    return 0
}

complete -o default -F __premath_complete premath
`

/** Answers the shell: one candidate per line, then a directive. */
export async function completeWords(
  words: readonly string[],
  commands: Operations,
  context: OperationContext,
): Promise<string> {
  const loaded = await Promise.all(
    Object.entries(commands).map(async ([command, load]) => [command, await load()] as const),
  )
  if (wantsPath(words, loaded)) return `:${ShellCompDirective.ShellCompDirectiveDefault}\n`
  // The library asks for names while it prints, and they take time to read. So it is asked twice.
  const wanted = new Set<Names>()
  const text = candidates(words, loaded, kind => {
    wanted.add(kind)
    return []
  })
  const [kind] = wanted
  if (kind === undefined) return text
  const issues = flagValue('--issues', words.slice(0, -1))
  const known = await knownNames({ kind, start: startOf(words), issues }, context)
  return candidates(words, loaded, () => known)
}

/** The word under the cursor, without its flag. */
const startOf = (words: readonly string[]) => (words.at(-1) ?? '').replace(/^--[^=]*=?/, '')

function flagValue(flag: string, words: readonly string[]): string | undefined {
  const joined = words.find(word => word.startsWith(`${flag}=`))
  if (joined !== undefined) return joined.slice(flag.length + 1)
  const place = words.indexOf(flag)
  return place === -1 ? undefined : words[place + 1]
}

type KnownFor = (kind: Names) => readonly KnownName[]

function candidates(
  words: readonly string[],
  loaded: readonly (readonly [string, Operation])[],
  knownFor: KnownFor,
): string {
  const root = new RootCommand()
  root.option('version', 'Print the version.')
  addGlobalFlags(root)
  const commands = new Set(loaded.map(([command]) => command))
  for (const [command, one] of loaded) {
    // The library resolves `a b` only through a command `a`.
    const [first = command] = command.split(' ')
    if (!commands.has(first)) root.command(first, `${first} …`)
    const node = root.command(command, one.summary)
    for (const [name, field] of Object.entries(one.input)) addField(node, name, field, knownFor)
    addGlobalFlags(node)
  }
  return printed(() => root.parse([...words]))
}

function addGlobalFlags(node: Command): void {
  for (const [name, text] of Object.entries(globalFlags)) node.option(name, text)
}

function addField(node: Command, name: string, field: Field, knownFor: KnownFor): void {
  const offer = (complete: (value: string, description: string) => void) => {
    if (field.type === 'choice') for (const value of field.values) complete(value, '')
    if (field.type !== 'text' || field.names === undefined) return
    for (const { value, about } of knownFor(field.names)) complete(value, about)
  }
  if (!isNamed([name, field])) node.argument(flagOf(name), offer, isMany(field))
  else if (field.noEffect === undefined) {
    for (const flag of namesOf(name, field)) {
      if (field.type === 'flag') node.option(flag, field.describe)
      else node.option(flag, field.describe, offer)
    }
  }
}

/** Whether the word under the cursor is the value of a path field. */
function wantsPath(
  words: readonly string[],
  loaded: readonly (readonly [string, Operation])[],
): boolean {
  const [, one] =
    loaded
      .filter(([command]) => command.split(' ').every((word, index) => word === words[index]))
      .sort(([a], [b]) => b.length - a.length)[0] ?? []
  if (!one) return false
  const fields = Object.entries(one.input)
  const current = words.at(-1) ?? ''
  const flag = current.startsWith('--') ? /^[^=]+(?==)/.exec(current)?.[0] : words.at(-2)
  const named = fields.find(
    field => isNamed(field) && namesOf(...field).some(name => `--${name}` === flag),
  )?.[1]
  if (named && named.type !== 'flag') return isPath(named)
  if (current.startsWith('-')) return false
  return fields.some(field => !isNamed(field) && isPath(field[1]))
}

const isPath = (field: Field) => field.type === 'text' && field.path === true

/** The library prints to the console. This captures its text. */
function printed(print: () => void): string {
  const log = console.log
  let text = ''
  console.log = (line: string) => {
    text += `${line}\n`
  }
  try {
    print()
  } finally {
    console.log = log
  }
  return text
}
