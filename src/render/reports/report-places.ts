/** Checks report paths: never over a document, never two in one file. */
import { Fault } from '../../fault.ts'
import type { OperationContext } from '../../project/context.ts'
import { absolute } from '../../project/named-document.ts'
import { below } from '../../runner/contract-roots.ts'
import type { LoadedDocument } from '../../runner/load-documents.ts'
import type { Disk } from '../../world/world.ts'
import type { ReportRequest } from './report-field.ts'

/** Checked before the run. An unreachable path is reported when it is written. */
export async function mustNotOverlap(
  requests: readonly ReportRequest[],
  documents: readonly LoadedDocument[],
  context: OperationContext,
): Promise<void> {
  const filed = requests.filter(isFiled)
  if (filed.length === 0) return
  const disk = await context.disk()
  const read = new Map<string, string>()
  for (const { root, path, file } of documents) {
    const place = await placeIfReached(below(root, path), disk)
    if (place !== undefined) read.set(place, file)
  }
  const taken = new Map<string, string>()
  for (const { name, path } of filed) {
    const whole = absolute(path, context)
    if (stream.test(whole)) throw intoStream(name, path)
    const place = await placeIfReached(whole, disk)
    if (place === undefined) continue
    const document = read.get(place)
    if (document !== undefined) throw overDocument(name, path, document)
    const other = taken.get(place)
    if (other !== undefined) throw twoInOne(other, path)
    taken.set(place, path)
  }
}

type Filed = ReportRequest & { readonly path: string }
const isFiled = (request: ReportRequest): request is Filed => request.path !== undefined

async function placeIfReached(path: string, disk: Disk): Promise<string | undefined> {
  try {
    return await disk.realPath(path)
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    return undefined
  }
}

/** Names of what is open already: a file behind them would be replaced, and not written to. */
const stream = /^\/(?:dev\/(?:stdin|stdout|stderr|fd\/\d+)|proc\/[^/]+\/fd\/\d+)$/

const intoStream = (name: string, path: string) =>
  new Fault('usage', `a report goes to a file, and ${path} is none`, {
    hint: `--report ${name} prints it on standard output.`,
  })

const overDocument = (name: string, path: string, document: string) =>
  new Fault('usage', `--report ${name}=${path} would replace the document ${document}`, {
    hint: 'Name another file, for example below artifacts/.',
  })

function twoInOne(first: string, second: string): Fault {
  const named = JSON.stringify(first)
  const what =
    first === second
      ? `two reports go to ${named}`
      : `two reports go to one file: ${named} and ${JSON.stringify(second)}`
  return new Fault('usage', what, { hint: 'Name a file for each.' })
}

/**
 * The file to replace; links are followed. Throws if a link leads to a missing folder or the file
 * is read-only.
 */
export async function placeToWrite(path: string, context: OperationContext): Promise<string> {
  const disk = await context.disk()
  const whole = absolute(path, context)
  const place = await disk.realPath(whole)
  const folder = folderOf(place)
  if ((await context.files.kindOf(folder)) !== 'folder') await mustPassNoLink(whole, path, context)
  const entry = await disk.entry(place)
  if (entry?.kind === 'file' && entry.isReadOnly) {
    throw new Fault('unavailable', `${path} is read-only`, {
      hint: `It was left as it is. Allow writing first, or name another file: chmod u+w ${path}`,
    })
  }
  return place
}

export const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/'

async function mustPassNoLink(
  whole: string,
  given: string,
  { disk, files }: OperationContext,
): Promise<void> {
  for (let part = whole; part !== '/'; part = folderOf(part)) {
    if ((await (await disk()).entry(part))?.kind !== 'link') continue
    if ((await files.kindOf(part)) !== undefined) return
    throw new Fault('unavailable', `${given} leads over a link to what is not there: ${part}`, {
      hint: 'Make the folder that the link leads to, or name another file.',
    })
  }
}
