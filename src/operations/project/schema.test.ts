import { expect, test } from 'vitest'
import type { Answer } from '../../answer.ts'
import { openContext } from '../../project/context.ts'
import { simWorld } from '../../testing/sim-world.ts'
import { schema } from './schema.ts'

const page = { columns: 80, ink: (_: string, text: string) => text }

async function ask(kind?: string) {
  return (await schema.run(
    { kind, command: undefined },
    openContext(simWorld()),
  )) as Answer<unknown>
}

test('without a kind it lists every kind with a description', async () => {
  const { output, render } = await ask()
  const { kinds } = output as { kinds: { kind: string; title: string }[] }
  expect(kinds.length).toBeGreaterThan(0)
  for (const { kind, title } of kinds) {
    expect(title).not.toBe('')
    expect(render(page)).toContain(kind)
  }
})

test('every listed kind has a JSON Schema of its name', async () => {
  const { kinds } = (await ask()).output as { kinds: { kind: string }[] }
  for (const { kind } of kinds) {
    expect((await ask(kind)).output).toMatchObject({
      $schema: expect.stringMatching(
        /^https?:\/\/json-schema\.org\/draft[-/](2020-12|07)\/schema#?$/,
      ),
      title: kind,
    })
  }
})

test.each(['premath.harness.typestate_normalised.v1', '__proto__', ''])(
  '%j is not a kind',
  async kind => {
    await expect(ask(kind)).rejects.toMatchObject({ code: 'usage' })
  },
)
