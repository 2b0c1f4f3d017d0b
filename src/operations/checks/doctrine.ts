import { judge } from '../../kernel/checks/check.ts'
import type { OperationFact } from '../../kernel/checks/doctrine/rules.ts'
import { doctrineRules } from '../../kernel/checks/doctrine/rules.ts'
import { openProject } from '../../project/open.ts'
import { checkAnswer } from '../../render/check-answer.ts'
import { DoctrineReport } from '../../wire/checks/check-report.ts'
import { operation } from '../operation.ts'

export const doctrineCheck = operation({
  group: 'checks',
  opId: 'op/ci.doctrine_check',
  summary: 'Check that operations, tools, host functions, pages and claims agree.',
  description:
    'Compares what premath offers with what the contracts name: every operation has an op id of its own, every route and host action leads to one operation, every tool has a description, a schema and an effect that fits, and the reference page lists everything. Of the project it checks the claims in .premath/capability-registry.json, the instructions in instructions/, and that each check that they or its policies ask for has a command in .premath/checks.json. Exits 1 if something does not agree.',
  effect: 'read',
  input: {},
  output: DoctrineReport,
  examples: {
    'premath doctrine-check': 'each rule, and what breaks it',
    'premath doctrine-check --json': 'the same as obligations',
  },

  async run(_, context) {
    const project = await openProject(context)
    // These load every operation, and help needs none.
    const { commandIndex } = await import('../command-index.ts')
    const { exposed } = await import('../exposed.ts')
    const { projectFacts } = await import('../../project/checks/doctrine.ts')
    const facts = {
      ...(await projectFacts(project)),
      operations: await operationFacts(),
      tools: exposed.map(({ tool, action, command, opId }) => ({ tool, action, command, opId })),
      commands: await commandIndex(),
    }
    const about = { action: 'doctrine-check', checkKind: 'premath.doctrine.v1' }
    return checkAnswer(about, judge('doctrine', doctrineRules, facts))
  },
})

async function operationFacts(): Promise<readonly OperationFact[]> {
  const { operations } = await import('../index.ts')
  return await Promise.all(
    Object.entries(operations).map(async ([command, load]) => {
      const { opId, effect, description, output } = await load()
      const hasDescription = description !== undefined
      return { command, opId, effect, hasDescription, hasOutput: output !== undefined }
    }),
  )
}
