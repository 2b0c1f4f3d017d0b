/** Renders a surface that was written before, perhaps by an earlier tool that knows less. */
import type { Page } from '../../answer.ts'
import { Flaw } from '../../kernel/artifact/flaw.ts'
import { readAs } from '../../kernel/artifact/read.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import { attentionReasons, type WrittenSurface } from '../../kernel/observation/read-surface.ts'
import { ObservationSurface } from '../../wire/observation/surface.ts'
import { factsPage } from '../titled-page.ts'
import { attentionPage, observationPage } from './observation-page.ts'

export function writtenPage(surface: WrittenSurface, page: Page): string {
  const ours = readAs(ObservationSurface, surface.document)
  return ours instanceof Flaw ? summaryPage(surface, page) : observationPage(ours, page)
}

export function writtenAttentionPage(surface: WrittenSurface, page: Page): string {
  const ours = readAs(ObservationSurface, surface.document)
  return ours instanceof Flaw ? summaryPage(surface, page) : attentionPage(ours, page)
}

/** The members that every surface has. */
function summaryPage(surface: WrittenSurface, page: Page): string {
  const { summary } = surface
  return factsPage(
    `State: ${textOf(summary['state'])}`,
    [
      ['attention', summary['needsAttention'] === true ? 'needed' : 'not needed'],
      ['reasons', attentionReasons(surface).join(', ')],
      ['failure', textOf(summary['topFailureClass'])],
      ['projection', textOf(summary['latestProjectionDigest'])],
      ['instruction', textOf(summary['latestInstructionId'])],
    ],
    page,
  )
}

export const instructionPage = (row: JsonObject, page: Page): string =>
  factsPage(
    textOf(row['instructionId']),
    [
      ['intent', textOf(row['intent'])],
      ['verdict', textOf(row['verdictClass'])],
      ['standing', textOf(row['standing'])],
      ['failures', textsOf(row['failureClasses'])],
      ['checks', textsOf(row['executedChecks'])],
      ['policy', textOf(row['policyDigest'])],
      ['finished', textOf(row['runFinishedAt'])],
      ['witness', textOf(row['ref'])],
    ],
    page,
  )

export function projectionPage(view: JsonObject, page: Page): string {
  const [required, decision, delta] = ['required', 'decision', 'delta'].map(name => {
    const row = view[name]
    return isJsonObject(row) ? row : {}
  })
  return factsPage(
    textOf(view['projectionDigest']),
    [
      ['decision', textOf(decision?.['decision'])],
      ['reason', textOf(decision?.['reasonClass'])],
      ['verdict', textOf(required?.['verdictClass'])],
      ['checks', textsOf(required?.['requiredChecks'])],
      ['failures', textsOf(required?.['failureClasses'])],
      ['paths', textsOf(delta?.['changedPaths'])],
    ],
    page,
  )
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

const textsOf = (value: Json | undefined): string =>
  Array.isArray(value) ? value.filter(one => typeof one === 'string').join(', ') : ''
