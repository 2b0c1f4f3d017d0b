/** The lines of `.premath/.gitignore`, as far as `premath init` writes them: a name, `*`, and `/`. */

const escaped = (text: string) => text.replaceAll(/[.+^$(){}|[\]\\]/g, '\\$&')

/** True if the line, in the ignore file of `folder`, excludes the path. */
export function excludes(line: string, folder: string, path: string): boolean {
  const isFolder = line.endsWith('/')
  const name = escaped(isFolder ? line.slice(0, -1) : line).replaceAll('*', '[^/]*')
  return new RegExp(`^${escaped(folder)}/(?:.*/)?${name}${isFolder ? '/' : '(?:/|$)'}`).test(path)
}

/** A path that the line excludes, to ask git about. */
export const sampleOf = (line: string, folder: string): string =>
  `${folder}/${line.replaceAll('*', 'x')}${line.endsWith('/') ? 'x' : ''}`
