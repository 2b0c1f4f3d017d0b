/** Reads the pages of a project for `premath docs-coherence-check`. */
import { Fault } from '../../fault.ts'
import { askGit, listBytesMax } from '../../harness/worktree/git.ts'
import { placesOf, targetOf } from '../../kernel/checks/docs/link-target.ts'
import { specsIn } from '../../kernel/checks/docs/page-commands.ts'
import { pageCharsMax, type ReadPage, readPage } from '../../kernel/checks/docs/read-page.ts'
import { decodedUtf8 } from '../../world/utf8.ts'
import type { Project } from '../open.ts'
import { resolvePath } from '../paths.ts'
import { repositoryAround } from '../setup/merge-driver.ts'

interface ReadPages {
  readonly pages: readonly ReadPage[]
  readonly existing: ReadonlySet<string>
  readonly unread: readonly string[]
}

/** The named pages and folders; without a name all pages that git tracks or would track. */
export async function readPages(
  project: Project,
  { paths, exclude }: { readonly paths: readonly string[]; readonly exclude: readonly string[] },
): Promise<ReadPages> {
  const asked = await Promise.all(paths.map(path => fromRoot(path, project)))
  const isAsked = (page: string) =>
    asked.length === 0 || asked.some(path => path === '' || isAt(page, path))
  const isExcluded = (page: string) => exclude.some(path => isAt(page, path.replace(/\/$/, '')))
  const named = (await pagesIn(project)).filter(page => isAsked(page) && !isExcluded(page))
  const pages: ReadPage[] = []
  const unread: string[] = []
  for (const path of named) {
    const bytes = await project.files.readIfPresent(project.at(path))
    const text = bytes && bytes.length <= pageCharsMax ? decodedUtf8(bytes) : undefined
    if (text !== undefined) pages.push(readPage(path, text))
    else if (bytes !== undefined) unread.push(path)
  }
  return { pages, unread, existing: await existingOf(pages, project) }
}

const isAt = (page: string, path: string) => page === path || page.startsWith(`${path}/`)

async function fromRoot(given: string, { root, cwd, files }: Project): Promise<string> {
  const path = resolvePath(cwd(), given)
  const isInside = path === root || path.startsWith(`${root}/`)
  if (isInside && (await files.kindOf(path)) !== undefined) return path.slice(root.length + 1)
  throw new Fault('usage', `there is no page or folder ${JSON.stringify(given)} in ${root}`, {
    hint: 'Name a Markdown file or a folder of the project, or leave the names out.',
  })
}

async function pagesIn(project: Project): Promise<readonly string[]> {
  const { root, env, files } = project
  if ((await repositoryAround(root, files)) === undefined) return await pagesBelow('', project)
  const [processes, disk] = await Promise.all([project.processes(), project.disk()])
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', '*.md']
  const answer = await askGit({ root, env, processes, disk }, root, args, {
    bytesMax: listBytesMax,
  })
  if (answer.exitCode === 0 && answer.isWhole) {
    return [...new Set(answer.stdout.split('\0').slice(0, -1))].sort()
  }
  throw new Fault('unavailable', `git ls-files failed in ${root}: ${answer.complaint}`, {
    hint: 'Run the same git command by hand to see why.',
  })
}

/** Without git. Folders of packages and hidden ones hold the pages of others. */
async function pagesBelow(folder: string, project: Project): Promise<readonly string[]> {
  const found: string[] = []
  const disk = await project.disk()
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const { name } of await project.files.list(project.at(at === '' ? '.' : at))) {
      const path = at === '' ? name : `${at}/${name}`
      const kind = (await disk.entry(project.at(path)))?.kind
      const isForeign = name.startsWith('.') || name === 'node_modules'
      if (kind === 'folder' && !isForeign) folders.push(path)
      if (kind === 'file' && name.endsWith('.md')) found.push(path)
    }
  }
  return found.sort()
}

/** Those of the named paths that exist. */
async function existingOf(
  pages: readonly ReadPage[],
  { files, ...project }: Project,
): Promise<ReadonlySet<string>> {
  const named = new Set(
    pages.flatMap(page => [
      ...page.links.flatMap(({ target }) => targetOf(page.path, target)?.path ?? []),
      ...specsIn(page).flatMap(({ target }) => placesOf(page.path, target)),
    ]),
  )
  const existing = new Set<string>()
  for (const path of named) {
    if (await files.kindOf(project.at(path === '' ? '.' : path))) existing.add(path)
  }
  return existing
}
