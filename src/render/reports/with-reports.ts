/** An answer with the reports that were asked for beside it, or in the place of its page. */

import type { Answer, ExitCode, Page } from '../../answer.ts'
import { Fault, faultCodes } from '../../fault.ts'
import { visible } from '../../kernel/text/visible.ts'
import type { OperationContext } from '../../project/context.ts'
import type { ReportRequest } from './report-field.ts'
import { folderOf, placeToWrite } from './report-places.ts'
import type { Reported } from './reported.ts'
import type { Report, Reports } from './reports.ts'

/** The page of a file. */
const filePage: Page = { columns: 100, ink: (_ink, text) => text }

export async function withReports<Output, Of extends Reported>(
  answer: Answer<Output>,
  { requests, reports, reported }: Asked<Of>,
  context: OperationContext,
): Promise<Answer<Output>> {
  const isAnnotated = Boolean(context.env['GITHUB_ACTIONS'])
  if (requests.length === 0 && !isAnnotated) return answer
  // Before any format escapes or shortens it.
  const of = context.secrets.json(reported())
  const faults: Fault[] = []
  let render = answer.render
  for (const { name, path } of requests) {
    if (isPage(name, path)) continue
    const report = await loaded(name, reports)
    if (isPrintedGithub({ name, path })) render = () => ''
    else if (path === undefined) render = page => report(of, page)
    else faults.push(...(await write(report(of, filePage), path, context)))
  }
  // GitHub shows them at the lines that they name, from wherever they are printed.
  const isAsked = requests.some(isPrintedGithub)
  const isPrinted = isAsked ? !context.json : isAnnotated
  const text = isPrinted ? (await loaded('github', reports))(of, filePage) : ''
  const isBeside = !context.json && (isAsked || render === answer.render)
  const message = [
    ...(answer.message === undefined ? [] : [answer.message]),
    ...faults.map(faultMessage),
  ].join('\n')
  return {
    ...answer,
    ...exitCodeOf(answer, faults),
    ...(message !== '' && { message }),
    ...(text !== '' && { annotations: { text, to: isBeside ? 'out' : 'err' } }),
    render,
  }
}

/** True for the page that is printed anyway. */
const isPage = (name: string, path: string | undefined) => name === 'pretty' && path === undefined

const isPrintedGithub = ({ name, path }: ReportRequest) => name === 'github' && path === undefined

interface Asked<Of extends Reported> {
  readonly requests: readonly ReportRequest[]
  readonly reports: Reports<Of>
  /** Called only if there is a report to write. */
  reported(): Of
}

async function loaded<Of extends Reported>(
  name: string,
  reports: Reports<Of>,
): Promise<Report<Of>> {
  const load = reports[name]
  if (load === undefined) throw new Error(`the report ${name} was asked for and is not listed`)
  return await load()
}

/** The report is lost; what it tells of is not. */
async function write(text: string, path: string, context: OperationContext): Promise<Fault[]> {
  try {
    const disk = await context.disk()
    const place = await placeToWrite(path, context)
    mustBeNoMemory(place, path)
    await disk.makeFolderLoosely(folderOf(place))
    await disk.replaceLoosely(place, new TextEncoder().encode(text))
    return []
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return [error]
  }
}

/** Only worktrees in .premath contain files of others. */
const ownFolder = /\/\.premath\/(?!worktrees\/)/

function mustBeNoMemory(realPath: string, given: string): void {
  if (!ownFolder.test(realPath)) return
  throw new Fault('usage', `${given} lies in .premath, where the project keeps its memory`, {
    hint: 'Name another file, for example below artifacts/.',
  })
}

const faultMessage = ({ message, hint }: Fault) =>
  `error: a report was not written: ${visible(message)}${hint === undefined ? '' : `\n  ${hint}`}`

/** The highest that applies. */
function exitCodeOf({ exitCode, yes }: Answer<unknown>, faults: readonly Fault[]) {
  if (faults.length === 0) return {}
  const codes = faults.map(({ code }) => faultCodes[code])
  return { exitCode: Math.max(exitCode ?? (yes ? 0 : 1), ...codes) as ExitCode }
}
