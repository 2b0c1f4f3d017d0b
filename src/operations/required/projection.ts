import { isRefused } from '../../kernel/instruction/instruction-refusal.ts'
import { changedPathsOf } from '../../kernel/required/changed-paths.ts'
import { projectChecks } from '../../kernel/required/projection.ts'
import { openProject } from '../../project/open.ts'
import { openPathRules } from '../../project/required/open-rules.ts'
import { inputField, requiredInput } from '../../project/required/required-input.ts'
import { refusedInstruction } from '../../render/instruction-answer.ts'
import { projectionPage } from '../../render/required-page.ts'
import { RequiredProjection } from '../../wire/required/projection.ts'
import { operation } from '../operation.ts'

export const requiredProjection = operation({
  group: 'required',
  opId: 'op/ci.required_projection',
  summary: 'Find out which checks a change requires.',
  description:
    'Applies the path rules in .premath/required-checks.json to the changed paths. A path that no rule names and that is no document requires the baseline, and so does a change without paths. Nothing runs. Exits 2 if the rules or the paths are invalid.',
  effect: 'read',
  input: inputField('The changed paths as JSON: {"changedPaths": ["src/main.ts"]}'),
  output: RequiredProjection,
  examples: {
    'premath required-projection --input change.json': 'the required checks and why',
    'premath required-projection --input - --json': 'the projection with its digest',
  },

  async run({ input }, context) {
    const action = 'required-projection'
    const failureClass = 'required_projection_invalid'
    const document = await requiredInput(input, failureClass, context)
    if (isRefused(document)) return refusedInstruction(action, document)
    const at = { at: 'changedPaths', failureClass } as const
    const changedPaths = changedPathsOf(document['changedPaths'], at)
    if (isRefused(changedPaths)) return refusedInstruction(action, changedPaths)
    const rules = await openPathRules(await openProject(context))
    if (isRefused(rules)) return refusedInstruction(action, rules)
    const projection = projectChecks(rules, changedPaths, context.sha256)
    return { output: projection, yes: true, render: page => projectionPage(projection, page) }
  },
})
