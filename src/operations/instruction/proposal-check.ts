import type { Page } from '../../answer.ts'
import { textField } from '../../field.ts'
import { isRefused, refused } from '../../kernel/instruction/instruction-refusal.ts'
import { type CheckedProposal, checkProposal } from '../../kernel/instruction/proposal.ts'
import { smallDocument, Unreadable } from '../../project/small-document.ts'
import { refusedInstruction, verdictMessage } from '../../render/instruction-answer.ts'
import { factsPage } from '../../render/titled-page.ts'
import { ProposalCheckAnswer } from '../../wire/answers/instruction.ts'
import { operation } from '../operation.ts'

export const proposalCheck = operation({
  group: 'instruction',
  summary: 'Check a proposal and its obligations.',
  description:
    'Prints the canonical form, its digests, the obligations and whether each is met. Exits 0 if all are met, 1 if one is not, and 2 if the input is not a proposal.',
  effect: 'read',
  opId: 'op/instruction.proposal_check',
  input: {
    proposal: textField('file', 'The proposal as JSON; - reads stdin.', {
      document: true,
      required: true,
      path: true,
    }),
  },
  output: ProposalCheckAnswer,
  examples: {
    'premath proposal-check --proposal proposal.json --json': 'its digests and obligations',
  },

  async run({ proposal: path }, context) {
    const action = 'proposal-check'
    const document = await smallDocument(path, context)
    if (document instanceof Unreadable) {
      return refusedInstruction(
        action,
        refused('proposal_invalid_shape', `${path}: ${document.why}`),
      )
    }
    const proposal = checkProposal(document, context.sha256)
    if (isRefused(proposal)) return refusedInstruction(action, proposal)
    const { outcome, failureClasses } = proposal.discharge
    return {
      output: proposal,
      yes: outcome === 'accepted',
      ...verdictMessage(failureClasses, unmetIn(proposal)),
      render: page => proposalPage(proposal, page),
    }
  },
})

function unmetIn({ discharge }: CheckedProposal): string {
  const unmet = discharge.steps.filter(({ status }) => status === 'failed')
  return `${unmet.map(({ kind }) => kind).join(', ')} is not met`
}

function proposalPage({ canonical, digest, kcirRef, discharge }: CheckedProposal, page: Page) {
  return factsPage(
    `${canonical.proposalKind} for ${canonical.targetCtxRef}`,
    [
      ['outcome', discharge.outcome],
      ...discharge.steps.map(({ kind, status, failureClass }) => {
        return [kind, failureClass === undefined ? status : `${status}: ${failureClass}`] as const
      }),
      ['digest', digest],
      ['kcirRef', kcirRef],
    ],
    page,
  )
}
