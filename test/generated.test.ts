/**
 * Files people read that the code is the source of. `npm run generate` rewrites them; a stale one
 * fails here like any other test.
 */
import { existsSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { allCommands } from '../src/cli/commands.ts'
import { exitCodes } from '../src/cli/exit-code.ts'
import { globalFlags, shownField } from '../src/cli/flags.ts'
import { explained, usage } from '../src/cli/help.ts'
import { relocationClasses } from '../src/kernel/harness/relocation/relocation-classes.ts'
import { instructionClasses } from '../src/kernel/instruction/instruction-classes.ts'
import { type RefusalClass, refusalClasses } from '../src/kernel/issues/refusal-classes.ts'
import { proofClasses } from '../src/kernel/proof/proof-classes.ts'
import { builtins, namespaces } from '../src/kernel/spec/lang/builtins.ts'
import { printJson } from '../src/kernel/text/print-json.ts'
import { rules } from '../src/kernel/turn/rules/index.ts'
import { operations } from '../src/operations/index.ts'
import { type Group, groups, type Operation } from '../src/operations/operation.ts'
import { publishedSchemas } from '../src/project/published-schemas.ts'
import { exitOfRefusal } from '../src/render/issues/issue-answer.ts'

const schemas = publishedSchemas()

test.each(Object.keys(schemas))('schemas/%s.json', async kind => {
  await expect(printJson(schemas[kind])).toMatchFileSnapshot(`../schemas/${kind}.json`)
})

test('schemas/ holds nothing else', () => {
  const files = existsSync('schemas') ? readdirSync('schemas') : []
  expect(files.filter(file => !Object.hasOwn(schemas, file.replace(/\.json$/, '')))).toEqual([])
})

test('docs/reference/spec-lang.md', async () => {
  const sections = Object.keys(namespaces).flatMap(namespace => [
    '',
    `## ${namespace}`,
    '',
    '| builtin | arguments | meaning |',
    '| --- | --- | --- |',
    ...builtins
      .filter(({ name }) => name.startsWith(`${namespace}.`))
      .map(({ short, takes, means, lazy }) => {
        const given = lazy === undefined ? takes.join(', ') : 'one or more'
        return `| \`${short}\` | ${given} | ${cell(means)} |`
      }),
  ])
  const page = [
    '# Builtins of the spec language',
    '',
    'Each builtin is an operator, `{contains: [{var: subject}, "ok"]}`, under its short name or its full',
    'name (`std.string.contains`). It is also a function, `{var: std.string.contains}`, that takes its',
    'arguments one by one or together. `text` takes any JSON and reads other values as compact JSON.',
    '`contains`, `starts_with`, `ends_with`, `json_type` and `has_key` use the subject if their first',
    'argument is missing.',
    ...sections,
    '',
  ]
  await expect(page.join('\n')).toMatchFileSnapshot('../docs/reference/spec-lang.md')
})

test('docs/reference/failure-classes.md', async () => {
  const rows = Object.entries(rules).map(
    ([name, { gate, means, remedy }]) =>
      `| \`${name}\` | ${gate} | ${cell(means)} | ${cell(remedy)} |`,
  )
  const refusalRows = (Object.keys(refusalClasses) as RefusalClass[]).map(
    failureClass =>
      `| \`${failureClass}\` | ${exitOfRefusal({ failureClass })} | ${cell(refusalClasses[failureClass].means)} |`,
  )
  const instructionRows = Object.entries(instructionClasses).map(
    ([name, { exitCode, means, remedy }]) =>
      `| \`${name}\` | ${exitCode} | ${cell(means)} | ${cell(remedy)} |`,
  )
  const proofRows = Object.entries(proofClasses).map(
    ([name, { exitCode, means }]) => `| \`${name}\` | ${exitCode} | ${cell(means)} |`,
  )
  const relocationRows = Object.entries(relocationClasses).map(
    ([name, { by, means, remedy }]) => `| \`${name}\` | ${by} | ${cell(means)} | ${cell(remedy)} |`,
  )
  const page = [
    '# Failure classes',
    '',
    'The gate rejects a turn for these reasons. The prefix of a class names its file in `src/kernel/turn/rules/`.',
    '',
    '| class | gate | meaning | remedy |',
    '| --- | --- | --- | --- |',
    ...rows.toSorted(),
    '',
    '## Relocation',
    '',
    'A step does not accept work from another location for these reasons. The second column names who finds the problem: the step, or `premath harness-relocation check` at the location. Like the classes above, they stop the step and change no issue.',
    '',
    '| class | found by | meaning | remedy |',
    '| --- | --- | --- | --- |',
    ...relocationRows.toSorted(),
    '',
    '## Refusals of issue memory',
    '',
    'Issue memory refuses a change for these reasons. The exit code is that of the commands on issues and dependencies. `premath harness-step` exits with 4 for each class that begins with `lease_`, and `premath harness-stop` for any class. The message says what to do.',
    '',
    '| class | exit code | meaning |',
    '| --- | --- | --- |',
    ...refusalRows.toSorted(),
    '',
    '## Refusals of instructions and proposals',
    '',
    'An instruction, a proposal, its witness or a promotion is refused for these reasons. The last line on stderr begins with the class. `premath governance-promotion-check` exits with 1 for the `governance.` classes above.',
    '',
    '| class | exit code | meaning | remedy |',
    '| --- | --- | --- | --- |',
    ...instructionRows.toSorted(),
    '',
    '## Findings about witnesses and proofs',
    '',
    '`premath witness verify` rejects a witness or a proof for these reasons.',
    '',
    '| class | exit code | meaning |',
    '| --- | --- | --- |',
    ...proofRows.toSorted(),
    '',
  ]
  await expect(page.join('\n')).toMatchFileSnapshot('../docs/reference/failure-classes.md')
})

test('docs/reference/commands.md', async () => {
  const commands = await Promise.all(
    Object.entries(allCommands(operations)).map(
      async ([command, load]) => [command, await load()] as const,
    ),
  )
  const page = [
    '# Commands',
    '',
    'Results go to stdout, messages to stderr. Every command takes:',
    '',
    ...Object.entries(globalFlags).map(([name, text]) => `- \`--${name}\`: ${text}`),
    '',
    '| exit code | meaning |',
    '| --- | --- |',
    ...Object.entries(exitCodes).map(([code, means]) => `| ${code} | ${means} |`),
    '',
    'With `--json`, the answer of a command that is refused or fails has `error` and `exitCode`, beside the members of the command. `error.code` is a failure class or one of `usage`, `invalid_input`, `unavailable`, `conflict`, `corrupt` and `bug`. `error.message` says what failed. `error.hint`, if present, says what to do next, and `error.detail` has values for programs.',
    '',
    'A report with a negative verdict (exit code 1), such as that of `premath harness-join-check` or `premath issue check`, lists its findings and has no `error`. Neither have the reports of `premath spec run` and `premath spec conform`, which list their `problems`.',
    '',
    ...(Object.keys(groups) as Group[]).flatMap(group => {
      const members = commands.filter(([, one]) => one.group === group)
      return members.length > 0
        ? [`## ${groups[group]}`, '', ...members.flatMap(([command, one]) => entry(command, one))]
        : []
    }),
  ]
  await expect(page.join('\n')).toMatchFileSnapshot('../docs/reference/commands.md')
})

function entry(command: string, one: Operation): string[] {
  const fields = Object.entries(one.input)
  return [
    `### premath ${command}`,
    '',
    one.summary,
    '',
    '```text',
    usage(command, one).join(' '),
    '```',
    '',
    ...(one.description ? [one.description, ''] : []),
    ...(fields.length > 0
      ? [
          '| takes | |',
          '| --- | --- |',
          ...fields.map(
            ([name, field]) => `| \`${shownField(name, field)}\` | ${cell(explained(field))} |`,
          ),
          '',
        ]
      : []),
    ...Object.entries(one.examples).map(([command, shows]) => `- \`${command}\`: ${shows}`),
    ...(Object.keys(one.examples).length > 0 ? [''] : []),
  ]
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
