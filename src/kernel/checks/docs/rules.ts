/** The rules of `premath docs-coherence-check`. Adding one is an entry here. */
import { nearest } from '../../text/nearest.ts'
import type { Rules } from '../check.ts'
import { type CommandIndex, type WrongName, wrongNameIn } from './command-index.ts'
import { placesOf, targetOf } from './link-target.ts'
import { commandsIn, specsIn } from './page-commands.ts'
import type { ReadPage } from './read-page.ts'

export interface DocsFacts {
  readonly pages: readonly ReadPage[]
  /** The linked paths that exist. */
  readonly existing: ReadonlySet<string>
  readonly commands: CommandIndex
  /** The kinds of all documents that premath reads and writes. */
  readonly kinds: readonly string[]
  /** Pages that are too large to read, or are not text. */
  readonly unread: readonly string[]
}

export const docsRules: Rules<DocsFacts> = {
  unknown_command: {
    means: 'Every premath command in the code of a page exists.',
    next: 'Correct the command; premath help --all lists them.',
    look: (facts, tally) => lookAtNames(facts, 'command', tally),
  },
  unknown_flag: {
    means: 'Every flag of a premath command in the code of a page exists.',
    next: 'Correct the flag; premath help <command> lists those of a command.',
    look: (facts, tally) => lookAtNames(facts, 'flag', tally),
  },
  unknown_kind: {
    means: 'Every kind of document that a page names exists.',
    next: 'Correct the name; premath schema lists all kinds.',
    look({ pages, kinds }, tally) {
      for (const { path, code } of pages) {
        for (const { text, line, is } of code) {
          if (is !== 'span' || !/^premath(\.[a-z_]+)+\.v\d+$/.test(text)) continue
          tally.checked()
          if (kinds.includes(text)) continue
          const meant = nearest(text, kinds)
          const hint = meant && { next: `Did you mean ${meant}? premath schema lists all kinds.` }
          tally.found({
            at: `${path}:${line}`,
            message: `no document has the kind ${text}`,
            ...hint,
          })
        }
      }
    },
  },
  missing_spec: {
    means: 'Every spec document that a page names by itself exists.',
    next: 'Correct the path, or write the document: premath spec create.',
    look({ pages, existing }, tally) {
      for (const page of pages) {
        for (const { target, line } of specsIn(page)) {
          tally.checked()
          if (placesOf(page.path, target).some(path => existing.has(path))) continue
          tally.found({ at: `${page.path}:${line}`, message: `there is no document ${target}` })
        }
      }
    },
  },
  broken_link: {
    means: 'Every relative link leads to a file or folder of the project.',
    next: 'Correct the path, or remove the link.',
    look({ pages, existing }, tally) {
      for (const { path, links } of pages) {
        for (const { target, line } of links) {
          const named = targetOf(path, target)
          if (named === undefined) continue
          tally.checked()
          if (named.path === path || existing.has(named.path)) continue
          tally.found({ at: `${path}:${line}`, message: `${target} leads to no file` })
        }
      }
    },
  },
  broken_anchor: {
    means: 'Every anchor of a link is a heading of its page.',
    next: 'Correct the part after #.',
    look({ pages }, tally) {
      const anchorsOf = new Map(pages.map(page => [page.path, page.anchors]))
      for (const { path, links } of pages) {
        for (const { target, line } of links) {
          const named = targetOf(path, target)
          const anchors = named && anchorsOf.get(named.path)
          if (!named?.anchor || !anchors) continue
          tally.checked()
          if (anchors.has(named.anchor) || anchors.has(named.anchor.toLowerCase())) continue
          const meant = nearest(named.anchor, [...anchors])
          const next = meant && { next: `Did you mean #${meant}?` }
          tally.found({ at: `${path}:${line}`, message: `${target} names no heading`, ...next })
        }
      }
    },
  },
  unread_page: {
    means: 'Every page can be read.',
    next: 'Save it as UTF-8 text, or split it.',
    look({ pages, unread }, tally) {
      tally.checked(pages.length + unread.length)
      for (const at of unread) tally.found({ at, message: 'it is too large, or not UTF-8 text' })
    },
  },
}

type Tally = Parameters<Rules<DocsFacts>[string]['look']>[1]

function lookAtNames({ pages, commands }: DocsFacts, is: WrongName['is'], tally: Tally): void {
  for (const page of pages) {
    for (const { words, line } of commandsIn(page)) {
      tally.checked()
      const wrong = wrongNameIn(words, commands)
      if (wrong?.is !== is) continue
      const next = wrong.meant === undefined ? {} : { next: `Did you mean ${wrong.meant}?` }
      const at = `${page.path}:${line}`
      tally.found({ at, message: `there is no ${is} ${wrong.named}`, ...next })
    }
  }
}
