/** Finds verify commands that exit 0 whatever the work did. Says so only if it is certain. */
import { quotedText } from '../text/visible.ts'

/** A plain `exit` is none of them: it has the status of the command before it. */
const success = String.raw`(?:(?:/usr)?/bin/)?true|:|exit\s+0`

const alone = new RegExp(String.raw`^(?:#.*|(?:${success}|exit)(?:\s+#.*)?|echo(?:\s+[\w.,!-]+)*)$`)

/** The status of the last command is that of the whole, unless the shell ended before it. */
const atEnd = new RegExp(String.raw`^([^\n]+?)(?:\|\||;)\s*(?:${success})$`)

const mayEndBefore = /[#'"`\\(){}]|\$\(|\b(?:exit|exec|set|trap|kill|then|do)\b/

export function cannotFail(command: string): boolean {
  const text = command.trim()
  if (alone.test(text)) return true
  const before = atEnd.exec(text)?.[1]
  return before !== undefined && !mayEndBefore.test(before)
}

/** What to tell a person about such a command, once. */
export const cannotFailNotice = (command: string): string | undefined =>
  cannotFail(command)
    ? `the verification ${quotedText(command.trim())} cannot fail, so it proves nothing about the work`
    : undefined
