/** Values of a case as the texts that requests send. */
import { unlimitedMeter } from '../lang/meter.ts'
import { printText } from '../lang/print-value.ts'
import { isList, type SpecValue } from '../lang/value.ts'

/** One header as it is sent or was received. */
export type Header = readonly [name: string, value: string]

/** A list repeats its name. */
export function pairsIn(mapping: ReadonlyMap<string, SpecValue>): readonly Header[] {
  return [...mapping].flatMap(([name, one]) =>
    (isList(one) ? one : [one]).map(item => [name, textOf(item)] as const),
  )
}

/** Null is empty; other values are their JSON text. */
export function textOf(value: SpecValue | undefined): string {
  if (value === undefined || value === null) return ''
  const printed = printText(value, unlimitedMeter())
  return typeof printed === 'string' ? printed : ''
}

export const jsonText = (value: SpecValue): string =>
  typeof value === 'string' ? JSON.stringify(value) : String(printText(value, unlimitedMeter()))
