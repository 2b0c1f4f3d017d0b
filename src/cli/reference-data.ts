/**
 * The data of the reference pages. The build writes it to `dist/in-process/reference.json`, and the
 * templates in `docs/spec/templates/` turn it into pages. The manual page is made from it too.
 */
import type { RuleText } from '../kernel/checks/check.ts'
import { docsRules } from '../kernel/checks/docs/rules.ts'
import { doctrineRules } from '../kernel/checks/doctrine/rules.ts'
import { hygieneRules } from '../kernel/checks/hygiene/rules.ts'
import { relocationClasses } from '../kernel/harness/relocation/relocation-classes.ts'
import { instructionClasses } from '../kernel/instruction/instruction-classes.ts'
import { type RefusalClass, refusalClasses } from '../kernel/issues/refusal-classes.ts'
import { proofClasses } from '../kernel/proof/proof-classes.ts'
import { builtins, namespaces } from '../kernel/spec/lang/builtins.ts'
import { rules } from '../kernel/turn/rules/index.ts'
import { operations } from '../operations/index.ts'
import { type Group, groups, type Operation } from '../operations/operation.ts'
import { everydayCommands } from '../operations/short-names.ts'
import { coherenceObligations } from '../project/checks/coherence/obligations.ts'
import { projectPaths } from '../project/setup/added-files.ts'
import { version } from '../project/version.ts'
import { exitOfRefusal } from '../render/issues/issue-answer.ts'
import { allCommands } from './commands.ts'
import { environment } from './environment.ts'
import { exitCodes } from './exit-code.ts'
import { globalFlags, shownField } from './flags.ts'
import { explained, purpose, usage } from './help.ts'

export async function referenceData() {
  const commands = await Promise.all(
    Object.entries(allCommands(operations)).map(
      async ([command, load]) => [command, await load()] as const,
    ),
  )
  const byName = new Map(commands)
  return {
    version,
    purpose,
    everyday: everydayCommands.map(command => ({
      command,
      summary: byName.get(command)?.summary ?? '',
    })),
    files: projectPaths,
    environment,
    globalFlags: Object.entries(globalFlags).map(([name, means]) => ({ name, means })),
    exitCodes: Object.entries(exitCodes).map(([code, means]) => ({ code, means })),
    groups: (Object.keys(groups) as Group[]).map(group => ({
      title: groups[group],
      commands: commands
        .filter(([, one]) => one.group === group)
        .map(([command, one]) => commandEntry(command, one)),
    })),
    namespaces: Object.keys(namespaces).map(namespace => ({
      namespace,
      builtins: builtins
        .filter(({ name }) => name.startsWith(`${namespace}.`))
        .map(({ short, takes, means, lazy }) => ({
          ...{ short, means: cell(means) },
          takes: lazy === undefined ? takes.join(', ') : 'one or more',
        })),
    })),
    classes: {
      gate: classRows(rules),
      relocation: classRows(relocationClasses),
      issue: classRows(refusalClasses).map(row => ({
        ...row,
        exitCode: exitOfRefusal({ failureClass: row.name as RefusalClass }),
      })),
      instruction: classRows(instructionClasses),
      proof: classRows(proofClasses),
      check: [
        ...checkRows('hygiene', hygieneRules),
        ...checkRows('docs', docsRules),
        ...checkRows('doctrine', doctrineRules),
        ...checkRows('coherence', coherenceObligations),
      ],
    },
  }
}

function commandEntry(command: string, one: Operation) {
  const fields = Object.entries(one.input).map(([name, field]) => ({
    shown: shownField(name, field),
    means: cell(explained(field)),
  }))
  const examples = Object.entries(one.examples).map(([line, shows]) => ({ line, shows }))
  return {
    command,
    summary: one.summary,
    opId: one.opId,
    usage: usage(command, one).join(' '),
    shortFor: one.shortFor ?? null,
    description: one.description ?? null,
    // A section shows its heading only if there are rows.
    fields: fields.length > 0 ? { rows: fields } : null,
    examples: examples.length > 0 ? { rows: examples } : null,
  }
}

const checkRows = (check: string, rules: Readonly<Record<string, RuleText>>) =>
  Object.entries(rules).map(([id, { means, next }]) => ({
    ...{ name: `${check}.${id}`, means: cell(means), remedy: cell(next) },
  }))

interface FailureClass {
  readonly means: string
  readonly remedy?: string
}

function classRows<Class extends FailureClass>(classes: Readonly<Record<string, Class>>) {
  return Object.entries(classes)
    .map(([name, { means, remedy = '', ...rest }]) => ({
      ...rest,
      ...{ name, means: cell(means), remedy: cell(remedy) },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Text for a cell of a Markdown table. */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
