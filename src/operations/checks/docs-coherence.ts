import { textField } from '../../field.ts'
import { judge } from '../../kernel/checks/check.ts'
import { openProject } from '../../project/open.ts'
import { checkAnswer } from '../../render/check-answer.ts'
import { DocsReport } from '../../wire/checks/check-report.ts'
import { operation } from '../operation.ts'

export const docsCoherenceCheck = operation({
  group: 'checks',
  opId: 'op/ci.docs_coherence_check',
  summary: 'Check that the pages of a project name what exists.',
  description:
    'Reads the Markdown pages of the project: those that git tracks or would track. Each premath command and flag in a code span or in a fenced sh, bash, shell or console block must exist, each kind of document too, and each relative link and its anchor must lead somewhere. A line that ends in "# exits 2" shows wrong usage on purpose, and blocks of spec documents are left to premath spec run. Exits 1 if there is a finding, and names file, line and the name that was probably meant.',
  effect: 'read',
  input: {
    paths: textField('path', 'A page, or a folder of pages; without one, every page.', {
      positional: true,
      many: true,
      path: true,
    }),
    exclude: textField('path', 'A page or folder to leave out, from the root of the project.', {
      many: true,
    }),
  },
  output: DocsReport,
  examples: {
    'premath docs-coherence-check': 'wrong commands, flags and links in all pages',
    'premath docs-coherence-check docs --exclude CHANGELOG.md --json': 'the same of some pages',
  },

  async run(input, context) {
    // The Markdown reader is large, and help needs none.
    const { readPages } = await import('../../project/checks/docs.ts')
    const { docsRules } = await import('../../kernel/checks/docs/rules.ts')
    const { commandIndex } = await import('../command-index.ts')
    const { publishedSchemas } = await import('../../project/published-schemas.ts')
    const facts = {
      ...(await readPages(await openProject(context), input)),
      commands: await commandIndex(),
      kinds: Object.keys(publishedSchemas()),
    }
    const about = { action: 'docs-coherence-check', checkKind: 'premath.docs_coherence.v1' }
    return checkAnswer(about, judge('docs', docsRules, facts))
  },
})
