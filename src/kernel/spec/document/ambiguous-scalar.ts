/** Detects plain scalars that YAML 1.1 and YAML 1.2 read as different values. */

/** The YAML 1.1 reading in words; `undefined` if both versions agree. */
export function oldReading(source: string): string | undefined {
  // Fast exit: most words are longer or start differently.
  if (source.length > 40 || !/^[-+.\dnoy]/i.test(source)) return undefined
  return readings.find(([pattern]) => pattern.test(source))?.[1]
}

const readings: readonly (readonly [pattern: RegExp, means: string])[] = [
  [/^(?:yes|Yes|YES|on|On|ON)$/, 'true'],
  [/^(?:no|No|NO|off|Off|OFF)$/, 'false'],
  [/^[-+]?0[0-7_]+$/, 'a number in base 8'],
  [/^0o[0-7]+$/, 'text'],
  [/^[-+]?0b[01_]+$/, 'a number in base 2'],
  [/^[-+]?0x[\da-fA-F_]*_[\da-fA-F_]*$/, 'a number in base 16'],
  [/^[-+]?[1-9]\d*_[\d_]*$/, 'a number'],
  [/^[-+]?\d[\d_]*\.[\d_]*_[\d_]*$/, 'a number'],
  [/^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/, 'a number in base 60'],
  [/^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|[ \t]+)\d{1,2}:\d{2}:\d{2}.*)?$/, 'a date'],
  // YAML 1.1 requires a dot before an exponent and a sign in it.
  [/^[-+]?(?:\d+[eE][-+]?\d+|(?:\d+\.\d*|\.\d+)[eE]\d+)$/, 'text'],
]
