import { expect, test } from 'vitest'
import { operation } from '../operations/operation.ts'
import { allCommands } from './commands.ts'
import { completeWords } from './completion.ts'

const commands = allCommands({
  'turn judge': async () =>
    operation({
      group: 'gate',
      summary: 'Judge one turn.',
      effect: 'read',
      input: {
        input: { type: 'text', describe: 'The turn.', path: true },
        format: { type: 'choice', values: ['json', 'jsonl', 'text'], describe: 'Its format.' },
        strict: { type: 'flag', describe: 'No mercy.' },
      },
      examples: {},
      run: async () => ({ output: {}, yes: true, render: () => '' }),
    }),
  count: async () => counting('Count turns.', 'hours'),
  'count again': async () => counting('Count them again.', 'reason'),
})

const counting = (summary: string, flag: string) =>
  operation({
    group: 'gate',
    summary,
    effect: 'read',
    input: { [flag]: { type: 'text', describe: 'A flag.' } },
    examples: {},
    run: async () => ({ output: {}, yes: true, render: () => '' }),
  })

/** The candidates, and last the directive: 4 forbids file names, 0 asks the shell for them. */
async function complete(...words: string[]) {
  const text = await completeWords(words, commands)
  return text
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t')[0])
}

test.each([
  ['a command', ['tur'], ['turn', ':4']],
  ['the second word of a command', ['turn', ''], ['judge', ':4']],
  ['a flag', ['turn', 'judge', '--s'], ['--strict', ':4']],
  ['a global flag', ['turn', 'judge', '--j'], ['--json', ':4']],
  ['the values of a flag', ['turn', 'judge', '--format', 'js'], ['json', 'jsonl', ':4']],
  ['values after an equals sign', ['turn', 'judge', '--format=js'], ['json', 'jsonl', ':4']],
  ['a positional choice', ['completion', ''], ['bash', 'fish', 'zsh', ':4']],
  ['the second word of what is a command without it', ['count', ''], ['again', ':4']],
  ['the flags of the shorter command', ['count', '--h'], ['--hours', '--help', ':4']],
  ['the flags of the longer one', ['count', 'again', '--r'], ['--reason', ':4']],
  ['nothing', ['frobnicate', 'x'], [':4']],
])('completes %s', async (_, words, candidates) => {
  expect(await complete(...words)).toEqual(candidates)
})

test('leaves file names to the shell', async () => {
  expect(await complete('turn', 'judge', '--input', 'src/')).toEqual([':0'])
  expect(await complete('turn', 'judge', '--input=src/')).toEqual([':0'])
})
