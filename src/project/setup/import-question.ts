/** Asks if the issues of an earlier tool are imported. */
import { lowerAscii } from '../../kernel/text/clean.ts'
import { counted } from '../../kernel/text/counted.ts'
import type { Asker } from '../context.ts'

/** Enter and Ctrl-D mean yes, as without a terminal. */
export async function askImport(
  ask: Asker | undefined,
  path: string,
  count: number,
): Promise<boolean> {
  if (!ask) return true
  for (let question = `Import ${counted(count, 'issue')} from ${path}? [Y/n] `; ; ) {
    const answer = lowerAscii((await ask(question)) ?? '')
    if (['', 'y', 'yes'].includes(answer)) return true
    if (['n', 'no'].includes(answer)) return false
    question = 'Answer y or n: '
  }
}
