/** The rules of `premath ci-hygiene-check`. Adding one is an entry here. */
import type { CompactnessFinding } from '../../issues/graph/graph-compactness.ts'
import type { IssueCheckReport } from '../../issues/issue-check.ts'
import type { Rules, Tally } from '../check.ts'
import { excludes, sampleOf } from './ignore-line.ts'

export interface HygieneFacts {
  /** The index of git, below the project; `undefined` if there is no repository. */
  readonly tracked: readonly string[] | undefined
  /** Those paths, tracked ones and samples, that a `.gitignore` of the repository excludes. */
  readonly ignored: ReadonlySet<string>
  /** Tracked files that begin as a private key. */
  readonly privateKeys: readonly string[]
  /** The lines that `premath init` writes to `.premath/.gitignore`. */
  readonly machineLines: readonly string[]
  /** Folders and files that runs write, which a project may track or ignore. */
  readonly outputs: readonly string[]
  readonly hasPremath: boolean
  /** The lines of `.premath/.gitattributes`. */
  readonly attributes: readonly string[]
  readonly bytesAttribute: string
  readonly hasProofs: boolean
  /** Files that a killed process left half-written. */
  readonly drafts: readonly string[]
  /** `undefined` if the project has no issues. */
  readonly graph:
    | { readonly check: IssueCheckReport; readonly redundant: readonly CompactnessFinding[] }
    | undefined
}

const home = '.premath'

export const hygieneRules: Rules<HygieneFacts> = {
  machine_state_tracked: {
    means: 'Git tracks no cache, lock or journal of one machine.',
    next: 'Run git rm --cached on it, and commit.',
    look({ tracked, machineLines }, tally) {
      if (tracked === undefined) return noRepository(tally)
      const ours = tracked.filter(path => path.startsWith(`${home}/`))
      tally.checked(ours.length)
      for (const path of ours) {
        const line = machineLines.find(one => excludes(one, home, path))
        if (line !== undefined) {
          tally.found({ at: path, message: `git tracks it, and it is state of one machine` })
        }
      }
    },
  },
  ignored_output_tracked: {
    means:
      'A session, trajectory, witness or other output that the project ignores is not tracked.',
    next: 'Run git rm --cached on it; or, to share it, take the line out of .gitignore.',
    look({ tracked, ignored, outputs }, tally) {
      if (tracked === undefined) return noRepository(tally)
      const written = tracked.filter(path =>
        outputs.some(output => path === output || path.startsWith(`${output}/`)),
      )
      tally.checked(written.length)
      for (const path of written) {
        if (ignored.has(path)) {
          tally.found({ at: path, message: 'git tracks it, though a .gitignore excludes it' })
        }
      }
    },
  },
  private_key_tracked: {
    means: 'Git tracks no private key.',
    next: 'Remove it from the history, and make a new key. If premath trust list names the old one, withdraw it: premath trust remove <key id>.',
    look({ tracked, privateKeys }, tally) {
      if (tracked === undefined) return noRepository(tally)
      tally.checked(tracked.length)
      for (const path of privateKeys) {
        tally.found({ at: path, message: 'git tracks a private key' })
      }
    },
  },
  ignore_line_missing: {
    means: 'A .gitignore of the project excludes the state of each machine.',
    next: 'premath init writes the file .premath/.gitignore, if there is none. Otherwise add the line.',
    look({ tracked, ignored, machineLines, hasPremath }, tally) {
      if (tracked === undefined) return noRepository(tally)
      if (!hasPremath) return tally.note('there is no .premath folder')
      tally.checked(machineLines.length)
      for (const line of machineLines) {
        if (!ignored.has(sampleOf(line, home))) {
          tally.found({ at: `${home}/.gitignore`, message: `no line excludes ${home}/${line}` })
        }
      }
    },
  },
  byte_attribute_missing: {
    means: 'Git converts no line ends of proofs.',
    next: 'premath init adds the line to .premath/.gitattributes; commit it with the proofs.',
    look({ tracked, hasProofs, attributes, bytesAttribute }, tally) {
      if (tracked === undefined) return noRepository(tally)
      if (!hasProofs) return tally.note('there are no proofs')
      tally.checked()
      if (!attributes.includes(bytesAttribute)) {
        const at = `${home}/.gitattributes`
        tally.found({ at, message: `the line ${bytesAttribute} is missing` })
      }
    },
  },
  draft_left: {
    means: 'No killed process left a half-written file.',
    next: 'premath doctor --fix removes it.',
    look({ drafts }, tally) {
      tally.checked(drafts.length)
      for (const path of drafts) {
        tally.found({ at: path, message: 'a killed process left it while it wrote' })
      }
    },
  },
  issue_graph: {
    means: 'Each issue states its goal and how to verify it, and no active issues form a cycle.',
    next: 'premath issue update <id> --spec <path> names a spec, and --acceptance <text> states a goal, with its command in back-quotes. premath issue check lists all errors.',
    look({ graph }, tally) {
      if (graph === undefined) return tally.note('the project has no issues')
      tally.checked(graph.check.summary.issueCount)
      for (const { issueId, class: failureClass, message } of graph.check.errors) {
        const next = graphRemedy(failureClass, issueId)
        tally.found({ at: issueId, message, failureClass, ...(next && { next }) })
      }
    },
  },
  issue_graph_compactness: {
    means: 'No dependency repeats what a longer path says, or waits for a closed issue.',
    next: 'premath issue-graph-check --fix removes it.',
    look({ graph }, tally) {
      if (graph === undefined) return tally.note('the project has no issues')
      tally.checked(graph.check.summary.issueCount)
      for (const { issueId, dependsOnId, class: failureClass, message } of graph.redundant) {
        tally.found({ at: `${issueId} -> ${dependsOnId}`, message, failureClass })
      }
    },
  },
}

const noRepository = (tally: Tally) => tally.note('the project is not in a git repository')

/** Where neither a spec nor a goal mends the finding. */
function graphRemedy(failureClass: string, issueId: string): string | undefined {
  if (failureClass === 'issue_graph.dependency.cycle') {
    return 'Remove one dependency of the path: premath dep remove <id> <id>.'
  }
  if (failureClass !== 'issue_graph.issue_type.epic_mismatch') return undefined
  return `Change its type, or its title: premath issue update ${issueId} --type epic.`
}
