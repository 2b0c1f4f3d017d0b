/** The rules of `premath doctrine-check`. Adding one is an entry here. */
import { nearest } from '../../text/nearest.ts'
import { shellWord } from '../../text/shell-word.ts'
import type { Rules, Tally } from '../check.ts'
import { type CommandIndex, wrongNameIn } from '../docs/command-index.ts'
import { commandsOf } from '../docs/shell-commands.ts'
import { hostActions, knownClaims, routes } from './contract.ts'

export interface OperationFact {
  readonly command: string
  readonly opId: string
  readonly effect: 'read' | 'projection' | 'mutation'
  readonly hasDescription: boolean
  readonly hasOutput: boolean
}

export interface ToolFact {
  readonly tool: string
  readonly action: string
  readonly command: string
  /** Its own id, where the contracts name one mode of a command. */
  readonly opId: string | undefined
}

export interface InstructionFact {
  /** From the root of the project. */
  readonly path: string
  /** Why premath would not read it, with the failure class. */
  readonly refused: { readonly failureClass: string; readonly message: string } | undefined
  readonly requestedChecks: readonly string[]
  readonly capabilityClaims: readonly string[]
}

export interface DoctrineFacts {
  readonly operations: readonly OperationFact[]
  readonly tools: readonly ToolFact[]
  readonly commands: CommandIndex
  /** The reference page of the commands; `undefined` if the package has none. */
  readonly reference: string | undefined
  /** The claims of the project's registry. */
  readonly claims: readonly string[]
  readonly instructions: readonly InstructionFact[]
  /** The checks that the project's own policies require, with the file of each policy. */
  readonly requiredChecks: readonly { readonly path: string; readonly checkId: string }[]
  /** The command of each check, from `.premath/checks.json`. */
  readonly checks: ReadonlyMap<string, string>
}

export const doctrineRules: Rules<DoctrineFacts> = {
  op_id: {
    means: 'Every operation has one op id, and no other operation has it.',
    next: 'Give it an id of its own: opId in its declaration.',
    look({ operations }, tally) {
      const owners = new Map<string, string>()
      for (const { command, opId } of operations) {
        tally.checked()
        const owner = owners.get(opId)
        if (!/^op\/[a-z]+\.[a-z][a-z0-9_]*$/.test(opId)) {
          tally.found({ at: command, message: `${JSON.stringify(opId)} cannot be an op id` })
        } else if (owner !== undefined) {
          tally.found({ at: command, message: `${opId} is the id of premath ${owner} too` })
        }
        owners.set(opId, command)
      }
    },
  },
  route: {
    means: 'Every route of the contracts leads to one operation.',
    next: 'Give the operation of that job the id of the route.',
    look({ operations }, tally) {
      for (const route of routes) {
        tally.checked()
        const found = operations.filter(({ opId }) => opId === route).map(({ command }) => command)
        if (found.length === 1) continue
        const message =
          found.length === 0 ? 'no operation has it' : `it leads to ${found.join(', ')}`
        tally.found({ at: route, message })
      }
    },
  },
  host_action: {
    means: 'Every host action of the contracts is exposed once, as the operation that they name.',
    next: 'Correct its line in the list of exposed operations.',
    look(facts, tally) {
      for (const [action, { opId }] of Object.entries(hostActions)) {
        tally.checked()
        const [tool, ...others] = facts.tools.filter(one => one.action === action)
        const actual = tool && (tool.opId ?? operationOf(facts, tool.command)?.opId)
        if (tool === undefined) tally.found({ at: action, message: 'it is not exposed' })
        else if (others.length > 0) tally.found({ at: action, message: 'it is exposed twice' })
        else if (actual !== opId) {
          tally.found({
            at: action,
            message: `it leads to ${actual ?? 'no operation'}, not ${opId}`,
          })
        }
      }
    },
  },
  tool: {
    means: 'Every tool has a name of its own, an operation and a description.',
    next: 'Complete the declaration of the operation, or correct the line of the tool.',
    look(facts, tally) {
      const names = new Set<string>()
      for (const { tool, command } of facts.tools) {
        tally.checked()
        for (const message of toolFlaws(tool, operationOf(facts, command), names)) {
          tally.found({ at: tool, message })
        }
        names.add(tool)
      }
    },
  },
  read_only: {
    means: 'A host action that the contracts call a query changes nothing, and a mutation writes.',
    next: 'Correct the effect of the operation, which the hints of its tool come from.',
    look(facts, tally) {
      for (const { tool, action, command } of facts.tools) {
        const contract = hostActions[action]
        const effect = operationOf(facts, command)?.effect
        if (contract === undefined || effect === undefined) continue
        tally.checked()
        if (contract.changes === (effect !== 'read')) continue
        const named = contract.changes ? 'a mutation' : 'a query'
        tally.found({ at: tool, message: `${action} is ${named}, and its effect is ${effect}` })
      }
    },
  },
  reference: {
    means: 'The reference page lists every command with its op id.',
    next: 'npm run generate writes the page.',
    look({ operations, reference }, tally) {
      if (reference === undefined) return tally.note('the package has no reference page')
      for (const { command, opId } of operations) {
        tally.checked()
        const at = reference.indexOf(`### premath ${command}\n`)
        const end = reference.indexOf('\n### ', at + 1)
        const section = at === -1 ? '' : reference.slice(at, end === -1 ? undefined : end)
        if (section === '') tally.found({ at: command, message: 'the page does not list it' })
        else if (!section.includes(`\`${opId}\``)) {
          tally.found({ at: command, message: `its section does not name ${opId}` })
        }
      }
    },
  },
  claim: {
    means: 'Every capability that the registry claims is known, and its commands exist.',
    next: 'Correct .premath/capability-registry.json.',
    look({ claims, commands }, tally) {
      for (const claim of claims) {
        tally.checked()
        lookAtClaim(claim, commands, tally)
      }
    },
  },
  instruction: {
    means: 'Every instruction in instructions/ is valid, and its claims name changes that exist.',
    next: 'Correct capabilityClaims in the instruction.',
    look({ instructions, tools }, tally) {
      for (const { path, refused, capabilityClaims } of instructions) {
        tally.checked()
        if (refused) {
          const next = `premath instruction-check --instruction ${shellWord(path)} says how to correct it.`
          tally.found({ at: path, ...refused, next })
        }
        for (const claim of capabilityClaims) {
          const action = /^capabilities\.change_morphisms\.(.+)$/.exec(claim)?.[1]
          if (action === undefined || action === 'all') continue
          if (tools.some(({ tool }) => tool === action)) continue
          tally.found({ at: path, message: `${claim} names no operation` })
        }
      }
    },
  },
  check_command: {
    means: 'Every check that an instruction or a policy asks for has a command that exists.',
    next: 'Add the command to .premath/checks.json, or correct it there.',
    look({ instructions, requiredChecks, checks, commands }, tally) {
      const asked = [
        ...instructions.flatMap(({ path, requestedChecks }) =>
          requestedChecks.map(checkId => ({ path, checkId })),
        ),
        ...requiredChecks,
      ]
      for (const { path, checkId } of asked) {
        tally.checked()
        if (checks.has(checkId)) continue
        tally.found({ at: path, message: `the check ${checkId} has no command` })
      }
      for (const [checkId, command] of checks) {
        tally.checked()
        for (const { words } of commandsOf('premath', command)) {
          const wrong = wrongNameIn(words, commands)
          if (wrong === undefined) continue
          tally.found({ at: checkId, message: `there is no ${wrong.is} ${wrong.named}` })
        }
      }
    },
  },
}

/** The longest name that fits every host, which puts its own prefix before it. */
const toolCharsMax = 64 - 'mcp__premath__'.length

function toolFlaws(
  tool: string,
  operation: OperationFact | undefined,
  others: ReadonlySet<string>,
): readonly string[] {
  if (operation === undefined) return ['it names no operation']
  return [
    ...(/^[a-z][a-z_]*$/.test(tool) ? [] : ['its name is not lower-case words']),
    ...(tool.length <= toolCharsMax ? [] : [`its name has more than ${toolCharsMax} characters`]),
    ...(others.has(tool) ? ['another tool has its name'] : []),
    ...(operation.hasDescription ? [] : ['its operation has no description']),
  ]
}

const operationOf = ({ operations }: DoctrineFacts, command: string) =>
  operations.find(one => one.command === command)

function lookAtClaim(claim: string, commands: CommandIndex, tally: Tally): void {
  const served = Object.hasOwn(knownClaims, claim) ? knownClaims[claim] : undefined
  if (served === undefined) {
    const meant = nearest(claim, Object.keys(knownClaims))
    const next = meant && { next: `Did you mean ${meant}?` }
    tally.found({ at: claim, message: 'premath knows no such claim', ...next })
  }
  for (const command of served ?? []) {
    if (commands.has(command)) continue
    tally.found({ at: claim, message: `its command premath ${command} does not exist` })
  }
}
