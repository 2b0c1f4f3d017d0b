/** Every report there is. Each is loaded when it is asked for: some bring a package along. */
import type { Page } from '../../answer.ts'
import { printJson } from '../../kernel/text/print-json.ts'
import type { Reported } from './reported.ts'
import type { ReportedRun } from './reported-run.ts'

/** Text in one format, the same for the same results. */
export type Report<Of extends Reported> = (of: Of, page: Page) => string

export type Reports<Of extends Reported> = Readonly<Record<string, () => Promise<Report<Of>>>>

const json = async () => (of: Reported) => printJson(of.json)

export const runReports = {
  pretty: async () => (await import('./pretty.ts')).pretty,
  json,
  junit: async () => (await import('./junit.ts')).junit,
  tap: async () => (await import('./tap.ts')).tap,
  ctrf: async () => (await import('./ctrf.ts')).ctrf,
  html: async () => (await import('./html.ts')).html,
  github: async () => (await import('./github.ts')).githubRun,
} as const satisfies Reports<ReportedRun>

export const lintReports = {
  json,
  sarif: async () => (await import('./sarif.ts')).sarif,
  github: async () => (await import('./github.ts')).githubProblems,
} as const satisfies Reports<Reported>
