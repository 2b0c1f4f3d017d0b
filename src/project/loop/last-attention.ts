/** The attention of the last run that called for any. */
import { Flaw } from '../../kernel/artifact/flaw.ts'
import { readAs } from '../../kernel/artifact/read.ts'
import { attentionPathDefault } from '../../kernel/harness/run/run-attention.ts'
import { jsonIn } from '../../kernel/json.ts'
import { Attention } from '../../wire/run/attention.ts'
import type { Project } from '../open.ts'

/** The file grows with every run, and only its end is about the last one. */
const endBytes = 64 * 1024

/** Newest first. Lines that cannot be read are skipped. */
export async function lastAttention({ at, disk }: Project): Promise<readonly Attention[]> {
  const file = await (await disk()).open(at(attentionPathDefault))
  if (file === undefined) return []
  try {
    const { size } = await file.stamp()
    const end = await file.read(Math.max(0, size - endBytes), endBytes)
    const rows = new TextDecoder().decode(end).split('\n').flatMap(rowIn).reverse()
    return rows.filter(({ runId }) => runId === rows[0]?.runId)
  } finally {
    await file.close()
  }
}

function rowIn(line: string): readonly Attention[] {
  const row = readAs(Attention, jsonIn(line))
  return row instanceof Flaw ? [] : [row]
}
