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
import { exitOfRefusal } from '../src/render/issues/issue-answer.ts'
import { jsonSchemas } from '../src/wire/index.ts'

const schemas = jsonSchemas()

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
    '| builtin | arguments | what it is |',
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
    'Each is an operator, `{contains: [{var: subject}, "ok"]}`, under its short name or its full one',
    '(`std.string.contains`); and a function, `{var: std.string.contains}`, that takes its arguments',
    'one by one or together. `text` takes any JSON, and sees what is not text as compact JSON.',
    '`contains`, `starts_with`, `ends_with`, `json_type` and `has_key` take the subject where their',
    'first argument is missing.',
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
    'Every reason for which a gate can say no. The prefix of a class is the file of `src/kernel/turn/rules/` that owns it.',
    '',
    '| class | gate | means | remedy |',
    '| --- | --- | --- | --- |',
    ...rows.toSorted(),
    '',
    '## Work that goes on at another location',
    '',
    'Every reason for which a step does not count work that its turns handed over to another location, and who finds it: the step, or `premath harness-relocation check` there. Like those above they only stop.',
    '',
    '| class | by | means | remedy |',
    '| --- | --- | --- | --- |',
    ...relocationRows.toSorted(),
    '',
    '## Refusals of issue memory',
    '',
    'Every reason for which issue memory says no, with the exit code of the commands on issues and dependencies. `premath harness-step` exits 4 for each class that begins with `lease_`, and `premath harness-stop` for any. The answer says what to do.',
    '',
    '| class | exit code | means |',
    '| --- | --- | --- |',
    ...refusalRows.toSorted(),
    '',
    '## Refusals of instructions and proposals',
    '',
    'Every reason for which an instruction, a proposal, a witness of one or a promotion gets a no, with the exit code of the commands about them. The last line on standard error begins with the class. `premath governance-promotion-check` exits 1 for the `governance.` classes above.',
    '',
    '| class | exit code | means | remedy |',
    '| --- | --- | --- | --- |',
    ...instructionRows.toSorted(),
    '',
    '## Findings about witnesses and proofs',
    '',
    'Every reason for which `premath witness verify` does not believe what it was asked about, with its exit code.',
    '',
    '| class | exit code | means |',
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
    'Data goes to standard output and talk to standard error. Every command takes:',
    '',
    ...Object.entries(globalFlags).map(([name, text]) => `- \`--${name}\`: ${text}`),
    '',
    '| exit code | means |',
    '| --- | --- |',
    ...Object.entries(exitCodes).map(([code, means]) => `| ${code} | ${means} |`),
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
    ...one.examples.flatMap(({ command, shows }) => [`- \`${command}\`: ${shows}`]),
    ...(one.examples.length > 0 ? [''] : []),
  ]
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
