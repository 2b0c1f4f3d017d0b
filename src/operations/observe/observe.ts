import type { Page } from '../../answer.ts'
import { refusedAnswer } from '../../answer.ts'
import { Fault } from '../../fault.ts'
import { choiceField, textField } from '../../field.ts'
import type { JsonObject } from '../../kernel/json.ts'
import {
  attentionView,
  instructionView,
  latestView,
  projectionMatches,
  projectionView,
} from '../../kernel/observation/read-surface.ts'
import { readSurfaceFile, surfacePathDefault } from '../../project/observation/surface-file.ts'
import { openProject } from '../../project/open.ts'
import {
  instructionPage,
  projectionPage,
  writtenAttentionPage,
  writtenPage,
} from '../../render/observation/written-surface-page.ts'
import { Observed } from '../../wire/observation/observed.ts'
import { operation } from '../operation.ts'

const modes = ['latest', 'needs_attention', 'instruction', 'projection'] as const

export const observe = operation({
  group: 'observe',
  summary: 'Ask the observation surface.',
  description:
    'Answers from the surface that premath observe-build wrote, and reads nothing else. latest gives the state and the last verdicts, needs_attention what a person should look at, instruction the row of one instruction, and projection the rows of one projection of the required checks. A digest is compared with the typed digest; with --projection-match compatibility_alias also with projectionDigest. Only the latest rows can be found. Exits 1 if there is no such instruction or projection.',
  effect: 'read',
  opId: 'op/mcp.observe_latest',
  input: {
    mode: choiceField(modes, 'The question.', { default: 'latest' }),
    instructionId: textField('id', 'The instruction, for the mode instruction.'),
    projectionDigest: textField('digest', 'The projection, for the mode projection.'),
    projectionMatch: choiceField(projectionMatches, 'How the digest is compared.', {
      default: 'typed',
    }),
    surface: textField('file', `The surface. Defaults to ${surfacePathDefault} of the project.`, {
      path: true,
    }),
  },
  output: Observed,
  examples: {
    'premath observe': 'the state, and what is going on',
    'premath observe --mode needs_attention --json': 'whether a person should look, and why',
    'premath observe --mode instruction --instruction-id 20260221T000000Z-fix':
      'what became of an instruction',
  },

  async run({ mode, instructionId, projectionDigest, projectionMatch, surface: given }, context) {
    const asked = { instruction: instructionId, projection: projectionDigest }
    const name = mode === 'instruction' || mode === 'projection' ? asked[mode] : ''
    if (name === undefined) throw missingFlag(mode)
    const surface = await readSurfaceFile(given, await openProject(context))
    switch (mode) {
      case 'latest':
        return answer(latestView(surface), page => writtenPage(surface, page))
      case 'needs_attention':
        return answer(attentionView(surface), page => writtenAttentionPage(surface, page))
      case 'instruction': {
        const row = instructionView(surface, name)
        return row ? answer(row, page => instructionPage(row, page)) : notFound(mode, name)
      }
      case 'projection': {
        const view = projectionView(surface, name, projectionMatch)
        return view ? answer(view, page => projectionPage(view, page)) : notFound(mode, name)
      }
    }
  },
})

const answer = (output: JsonObject, render: (page: Page) => string) => ({
  output,
  yes: true,
  render,
})

const notFound = (mode: 'instruction' | 'projection', name: string) =>
  refusedAnswer(
    { action: `observe.${mode}` },
    {
      failureClasses: [`observation_${mode}_not_found`],
      diagnostic: `the surface has no ${mode} ${JSON.stringify(name)}`,
      remedy:
        mode === 'instruction'
          ? 'Build it again after the instruction ran: premath observe-build.'
          : 'Only the latest projection is known. For a digest that begins with proj1_: --projection-match compatibility_alias.',
    },
  )

const missingFlag = (mode: string) => {
  const flag = mode === 'instruction' ? '--instruction-id' : '--projection-digest'
  return new Fault('usage', `--mode ${mode} needs ${flag}`, {
    hint: 'premath observe --json shows the latest of both.',
  })
}
