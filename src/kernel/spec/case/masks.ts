/** The masks of a case: volatile parts of text that are replaced before assertions look at it. */
import { escaped } from '../lang/expected-lines.ts'
import { translatePattern } from '../lang/pattern.ts'
import { isList, isMapping, type SpecValue } from '../lang/value.ts'
import type { ShapeProblem } from './check-shape.ts'
import type { KeyShape } from './key-shape.ts'
import { mappingIn } from './requires.ts'

/** The folders that masks know. */
export interface MaskedFolders {
  readonly root: string
  /** `undefined` if the case has no temporary folder. */
  readonly temp: string | undefined
}

/** One replacement. A pattern of the author runs in the linear engine, our own in JavaScript's. */
export type Mask = KnownMask | WrittenMask

interface KnownMask {
  readonly known: RegExp
  readonly as: string
}

interface WrittenMask {
  readonly pattern: string
  readonly as: string
  readonly path: string
}

const months = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*'
const days = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*'
const clock = String.raw`\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?(?: ?[AaPp][Mm]\b)?`
const zone = String.raw`(?: ?(?:Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b))?`

const timeForms = [
  String.raw`\d{4}[-/]\d{2}[-/]\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?${zone})?`,
  // The `date` command: Tue Nov 17 05:31:12 UTC 2026.
  String.raw`(?:${days} )?${months} +\d{1,2} ${clock}(?: [A-Z]{2,5})?(?: \d{4})?`,
  // HTTP and mail: Tue, 17 Nov 2026 05:31:12 GMT. Access logs: 17/Nov/2026:05:31:12 +0000.
  String.raw`(?:${days}, )?\d{1,2}[ /]${months}[ /]\d{4}(?:[ :]${clock}${zone})?`,
  `${clock}${zone}`,
]

const spacedUnits = '(?:nano|micro|milli)?sec(?:ond)?s?|minutes?|mins?|hours?|hrs?|[nuµμm]?s'
const duration = String.raw`\d+(?:[.,]\d+)?(?: ?(?:${spacedUnits})|[mhd])`

const esc = '\\u001b'
const ansiForms = [
  String.raw`${esc}\[[0-?]*[ -/]*[@-~]`,
  String.raw`${esc}\][^\u0007\u001b]*(?:\u0007|${esc}\\)`,
  `${esc}[ -/]*[0-~]`,
]

const networkAddress = String.raw`(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]*:[0-9a-f:.]*\])(?::\d+)?|localhost:\d+`

const inTemporary = String.raw`(?:/private)?(?:/tmp|/var/folders/[^/\s]+/[^/\s]+/T)/[^/\s"'<>:;,()]+`

const anyOf = (forms: readonly string[], flags = 'gu') => new RegExp(forms.join('|'), flags)

/** Neither part of a longer word nor of a longer path. */
const folderEnd = String.raw`(?![\w-])(?!\.\w)`

const folder = (path: string) => new RegExp(`${escaped(path)}${folderEnd}`, 'gu')

interface NamedMask {
  readonly as: string
  patterns(folders: MaskedFolders): readonly RegExp[]
}

const always = (pattern: RegExp) => () => [pattern]

const namedMasks = {
  ansi: {
    as: '',
    patterns: always(anyOf(ansiForms)),
  },
  root: {
    as: '<root>',
    // Every path starts with the root of the file system.
    patterns: ({ root }) => (root === '/' || root === '' ? [] : [folder(root)]),
  },
  temp: {
    as: '<temp>',
    patterns: ({ temp }) => [...(temp === undefined ? [] : [folder(temp)]), anyOf([inTemporary])],
  },
  times: {
    as: '<time>',
    patterns: always(new RegExp(`(?<![\\w:.-])(?:${timeForms.join('|')})(?!\\d)`, 'gu')),
  },
  durations: {
    as: '<duration>',
    patterns: always(new RegExp(`(?<![\\w.])${duration}(?: ?${duration})*(?!\\w)`, 'gu')),
  },
  addresses: {
    as: '<address>',
    patterns: always(
      new RegExp(`(?<![\\w.])(?:0x[0-9a-f]{4,}|${networkAddress})(?![\\w.]*\\w)`, 'giu'),
    ),
  },
} as const satisfies Readonly<Record<string, NamedMask>>

export type MaskName = keyof typeof namedMasks

export const maskNames = Object.keys(namedMasks) as readonly MaskName[]

const isMaskName = (name: SpecValue): name is MaskName =>
  typeof name === 'string' && Object.hasOwn(namedMasks, name)

export const masksKey: KeyShape = {
  is: {
    list: {
      either: [
        { oneOf: maskNames },
        {
          mapping: {
            regex: { is: 'name', describe: 'The pattern of the part to replace.' },
            text: { is: 'name', describe: 'The text to replace.' },
            as: { is: 'text', describe: 'The text instead of it; default <masked>.' },
          },
        },
      ],
    },
  },
  describe: `Changing parts of text that are replaced before assertions: ${maskNames.join(', ')}, or {regex, as} or {text, as}.`,
}

const masksPath = 'harness.masks'

/** Problems that the shape of the key cannot tell. */
export function checkMasks(value: ReadonlyMap<string, SpecValue>): ShapeProblem[] {
  return written(value).flatMap((mask, at) => {
    if (!isMapping(mask)) return []
    const path = `${masksPath}[${at}]`
    const [regex, text] = [mask.get('regex'), mask.get('text')]
    if ((regex === undefined) === (text === undefined)) {
      const message = `${path} must have one of regex and text`
      return [
        { path, code: 'case.value', message, hint: 'Write {regex: "pid \\\\d+", as: pid <pid>}.' },
      ]
    }
    return typeof regex === 'string' ? patternProblem(regex, `${path}.regex`) : []
  })
}

const linearOnly = 'a mask supports no lookaround, no back-references and no $ before other text'

function patternProblem(pattern: string, path: string): ShapeProblem[] {
  const translated = translatePattern(pattern)
  if ('category' in translated) return [{ path, code: 'case.value', message: translated.message }]
  if (translated.linear !== undefined) return []
  return [{ path, code: 'case.value', message: `${path}: ${linearOnly}` }]
}

const written = (value: ReadonlyMap<string, SpecValue>): readonly SpecValue[] => {
  const masks = mappingIn(value, 'harness').get('masks')
  return isList(masks) ? masks : []
}

/** In the order written. The shape must be valid and its templates filled. */
export const masksOf = (
  value: ReadonlyMap<string, SpecValue>,
  folders: () => MaskedFolders,
): readonly Mask[] =>
  written(value).flatMap((mask, at): readonly Mask[] => {
    if (isMaskName(mask)) return masksNamed(mask, folders())
    if (!isMapping(mask)) return []
    const [regex, text, as = '<masked>'] = [mask.get('regex'), mask.get('text'), mask.get('as')]
    const pattern = typeof regex === 'string' ? regex : escaped(String(text))
    return [{ pattern, path: `${masksPath}[${at}]`, as: String(as) }]
  })

export function masksNamed(name: MaskName, folders: MaskedFolders): readonly KnownMask[] {
  const { as, patterns }: NamedMask = namedMasks[name]
  return patterns(folders).map(known => ({ known, as }))
}

export const withMask = (text: string, { known, as }: KnownMask): string =>
  text.replace(known, () => as)
