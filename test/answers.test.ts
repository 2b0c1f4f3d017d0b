/** What operations declare about their answers. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { allCommands } from '../src/cli/commands.ts'
import { operations } from '../src/operations/index.ts'
import { operation } from '../src/operations/operation.ts'
import { openContext } from '../src/project/context.ts'
import { simWorld } from '../src/testing/sim-world.ts'
import { answerOrErrorSchema, answerSchema } from '../src/wire/answers/answer-schema.ts'
import { count, list, record } from '../src/wire/shape.ts'
import { MemoryProject } from './a-project-in-memory.ts'
import { checkedAnswers } from './checked-answers.ts'
import { freePlaces } from './unknown-members.ts'

const all = await Promise.all(
  Object.entries(allCommands(operations)).map(
    async ([command, load]) => [command, await load()] as const,
  ),
)

/** Documents of others, values of any type, and the branches of a tree. The rest has a shape. */
const freeContent: readonly string[] = [
  'config set.value',
  'config show.settings[].value',
  'dep tree.trees[].children[]',
  'harness-join-check.error.detail',
  'harness-join-check.normalized.callSpec',
  'harness-join-check.normalized.extension',
  'help.commands[].fields[]',
  'help.fields[]',
  'instruction-check.scope',
  'instruction-run.witness.scope',
  'instruction-witness.scope',
  'issue backend-status.queryProjection.projectionKind',
  'issue backend-status.queryProjection.schema',
  'issue export.issues[].metadata',
  'issue show.issue.metadata',
  'issue show.issue.others',
  'merge-driver.conflicts[].value',
  'observe-build.instructions[].instructionClassification',
  'observe-build.instructions[].proposalIngest',
  'observe-build.instructions[].scope',
  'observe.attention[]',
  'observe.coherence',
  'observe.decision',
  'observe.delta',
  'observe.latest',
  'observe.projectionDigest',
  'observe.required',
  'observe.summary',
  'repl.value',
  'required-gate-ref.gatePayload.failures[].context',
  'required-gate-ref.gatePayload.failures[].details',
  'required-gate-ref.gatePayload.failures[].tokenPath',
  'schema',
  'scheme-eval.effects[].payload',
  'scheme-eval.value',
  'witness show.document',
]

test('[surfaces.4.answers] only these places of answers have free content', () => {
  const found = all
    .filter(([, { shortFor }]) => shortFor === undefined)
    .flatMap(([command, { output }]) => freePlaces(output, command))
  expect([...new Set(found)].toSorted()).toEqual(freeContent)
})

describe('the schema of an answer', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })

  test.each(all)(
    '[surfaces.4.answers] of premath %s is that of an object, with the one of errors beside it',
    (command, { output, summary }) => {
      const schema = answerSchema(output, { command, summary })
      expect(schema).toMatchObject({ type: 'object', title: `premath ${command}` })
      expect(ajv.validateSchema(schema)).toBe(true)
      expect(answerOrErrorSchema(output)).toMatchObject({ type: 'object' })
    },
  )

  test('accepts an answer, and not the one of an error', () => {
    const schema = answerSchema(record({ count }), { command: 'x', summary: 'Test.' })
    const error = { error: { code: 'usage', message: 'no' }, exitCode: 2 }
    expect(
      [{ count: 1 }, { count: 1, other: 2 }, error].map(one => ajv.validate(schema, one)),
    ).toEqual([true, false, false])
    const both = answerOrErrorSchema(record({ count }))
    expect([{ count: 1 }, error, {}].map(one => ajv.validate(both, one))).toEqual([
      true,
      true,
      false,
    ])
  })
})

test('[surfaces.4.answers] the ready list answers as its shape says', async () => {
  const project = new MemoryProject({ issues: [{ id: 'bd-1', title: 'One', status: 'open' }] })
  const { count, items } = await project.done('issue', 'ready')
  expect({ count, ids: items.map(({ id }: { readonly id: string }) => id) }).toEqual({
    count: 1,
    ids: ['bd-1'],
  })
})

describe('the check of answers', () => {
  const answering = (output: unknown) =>
    checkedAnswers({
      x: async () =>
        operation({
          group: 'reference',
          summary: 'Test.',
          effect: 'read',
          opId: 'op/test.one',
          input: {},
          output: record({ items: list(record({ count })) }),
          examples: {},
          run: async () => ({ output, yes: true, render: () => '' }),
        }),
    })

  const run = async (output: unknown) =>
    await (await answering(output)['x']?.())?.run({}, openContext(simWorld()))

  test('lets an answer pass that fits', async () => {
    expect(await run({ items: [{ count: 1 }] })).toMatchObject({ yes: true })
  })

  test.each([
    ['a member more', { items: [{ count: 1, total: 1 }] }, 'unknown member "total"'],
    ['a member less', { items: [{}] }, 'items[0].count is missing'],
    ['another type', { items: [{ count: 'one' }] }, 'items[0].count must be a whole number'],
  ])('refuses one with %s', async (_, output, why) => {
    await expect(run(output)).rejects.toThrow(why)
  })
})
