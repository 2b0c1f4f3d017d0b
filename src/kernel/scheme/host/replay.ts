/** Answers host calls from recorded effects, and finds the first difference. */
import { HostEffect } from '../../../wire/scheme/host-effect.ts'
import { Flaw, shaped } from '../../artifact/flaw.ts'
import { isJsonObject, type Json, jsonIn } from '../../json.ts'
import type { HostCall } from './host-effect.ts'

/** Reads a result document, or one effect per line. */
export function readRecordedEffects(text: string): readonly HostEffect[] | Flaw {
  const rows = recordedRows(text)
  if (rows === undefined) return new Flaw('is neither a result of scheme-eval nor lines of effects')
  const effects: HostEffect[] = []
  for (const [at, row] of rows.entries()) {
    const effect = shaped(HostEffect, row)
    if (effect instanceof Flaw) return new Flaw(`effect ${at + 1} ${effect}`)
    effects.push(effect)
  }
  return effects
}

function recordedRows(text: string): readonly Json[] | undefined {
  const whole = jsonIn(text)
  if (isJsonObject(whole) && Array.isArray(whole['effects'])) return whole['effects']
  const lines = text.split('\n').filter(line => line.trim() !== '')
  const rows = lines.map(jsonIn)
  return rows.every(row => row !== undefined) ? rows : undefined
}

export class Replay {
  readonly #effects: readonly HostEffect[]
  #next = 0

  constructor(effects: readonly HostEffect[]) {
    this.#effects = effects
  }

  get used(): number {
    return this.#next
  }

  /** The recorded effect of a call, or the difference in words. */
  answer({ action, argsDigest, number }: HostCall): HostEffect | string {
    const effect = this.#effects[this.#next]
    if (effect === undefined) {
      const count = this.#effects.length
      return `the count differs: ${count} calls are recorded, and call ${number} is ${action}`
    }
    if (effect.action !== action) {
      return `the action of call ${number} differs: ${effect.action} is recorded, and the program calls ${action}`
    }
    if (effect.argsDigest !== argsDigest) {
      return `the args digest of call ${number} (${action}) differs: ${effect.argsDigest} is recorded, and the program passes ${argsDigest}`
    }
    this.#next++
    return effect
  }

  /** Recorded effects that the program did not ask for. */
  missing(): string | undefined {
    const count = this.#effects.length
    if (this.#next === count) return undefined
    return `the count differs: ${count} calls are recorded, and the program made ${this.#next}`
  }
}
