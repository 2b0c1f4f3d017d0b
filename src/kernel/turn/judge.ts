/** The whole gate: from parsed input to report. */
import type { JoinReport } from '../../wire/turn/join-report.ts'
import type { Json } from '../json.ts'
import { type Join, joinTurn } from './join.ts'
import { normalizeTurn } from './normalize.ts'
import { joinReport } from './report.ts'
import type { Kit } from './rules/rule.ts'
import type { Turn } from './turn.ts'

export interface Judgement {
  readonly turn: Turn
  readonly join: Join
}

export function judgeTurn(turn: Turn, kit: Kit): Judgement {
  return { turn, join: joinTurn(turn, kit) }
}

/** Throws a `Fault` if the input is not a turn. */
export function judge(input: Json, kit: Kit): JoinReport {
  const turn = normalizeTurn(input, kit)
  return joinReport(turn, joinTurn(turn, kit), kit.sha256)
}
