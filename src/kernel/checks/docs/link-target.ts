/** Resolves a link of a page to a path and an anchor. */

export interface LinkTarget {
  /** From the root of the project; empty for the page itself. */
  readonly path: string
  /** Without `#`. */
  readonly anchor: string | undefined
}

/** `undefined` for a link that leaves the project: another scheme, another host, or above the root. */
export function targetOf(page: string, target: string): LinkTarget | undefined {
  if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return undefined
  const [whole = '', anchor] = target.split('#', 2)
  const [given = ''] = whole.split('?', 1)
  if (given === '') return { path: page, anchor }
  const folder = given.startsWith('/') ? '' : page.slice(0, page.lastIndexOf('/') + 1)
  const parts: string[] = []
  for (const part of `${folder}${given}`.split('/')) {
    if (part === '..' && parts.pop() === undefined) return undefined
    if (part !== '..' && part !== '.' && part !== '') parts.push(part)
  }
  return { path: parts.join('/'), anchor }
}

/** A path in a span is meant from the page or from the root of the project. */
export const placesOf = (page: string, path: string): readonly string[] =>
  [path, `/${path}`].flatMap(one => targetOf(page, one)?.path ?? [])
