import { Fault } from '../../fault.ts'
import { textField } from '../../field.ts'
import { changeFields, idField } from '../../input/issue-fields.ts'
import { newCommentId } from '../../kernel/issues/issue-comment.ts'
import { visible } from '../../kernel/text/visible.ts'
import { callerIn } from '../../project/authority/authority.ts'
import type { OperationContext } from '../../project/context.ts'
import {
  namingSource,
  readDocument,
  sourceName,
  standardInput,
} from '../../project/named-document.ts'
import { openProject } from '../../project/open.ts'
import { briefOf } from '../../render/issues/issue-answer.ts'
import { CommentAnswer } from '../../wire/answers/issue-changes.ts'
import { changeIssues } from '../change-issues.ts'
import { operation } from '../operation.ts'

export const issueComment = operation({
  group: 'issue',
  summary: 'Add a comment to an issue.',
  description:
    'A comment needs no lease, and neither renews nor ends one. A closed issue takes comments too, and keeps its proof. premath issue show prints them, and premath prime and the handoff packet give the last ones to the agent. The author is a name for readers: premath does not verify it. In the work of a step it asks the harness, which adds the comment after the step. Exits 4 while the issue is landing, and 1 if there is no such issue or the text is blank.',
  effect: 'mutation',
  opId: 'op/issue.comment',
  input: {
    ...idField,
    text: textField('text', 'The comment; - reads stdin.', { positional: true, sentence: true }),
    file: textField('file', 'A file with the comment, instead of the text; - reads stdin.', {
      path: true,
    }),
    author: textField(
      'name',
      'Who says it. Defaults to PREMATH_OPERATOR or the name of the user. In the work of a step it is always the worker.',
    ),
    ...changeFields,
  },
  output: CommentAnswer,
  examples: {
    'premath issue comment bd-1 "The timeout is 30 s since Monday"': 'the comment is added',
    'git diff | premath issue comment bd-1 - --author ana': 'a comment from stdin',
  },

  async run({ id, text, file, author, ...rest }, context) {
    const comment = {
      id: newCommentId(context.random()),
      author: author ?? callerIn(context),
      text: await textOf({ text, file }, context),
    }
    const project = await openProject(context)
    const change = { action: 'issue.comment', id, comment } as const
    return await changeIssues(project, rest, change, ({ issue, comment }) => ({
      output: {
        comment: comment && {
          author: comment.author,
          createdAt: comment.created_at,
          id: comment.id,
          text: comment.text,
        },
        issue: issue && briefOf(issue),
      },
      text: () => `Commented on ${visible(`${issue?.id} as ${comment?.author}`)}\n`,
    }))
  },
})

interface Given {
  readonly text: string | undefined
  readonly file: string | undefined
}

async function textOf({ text, file }: Given, context: OperationContext): Promise<string> {
  if (text !== undefined && file !== undefined) {
    throw new Fault('usage', '<text> and --file exclude each other: pass one of them')
  }
  const path = text === standardInput ? text : file
  if (path !== undefined) {
    return await namingSource(sourceName(path), () => readDocument(path, context))
  }
  if (text !== undefined) return text
  throw new Fault('usage', '<text> is missing', {
    hint: 'Give the comment as a text, as - for stdin, or with --file <file>.',
  })
}
