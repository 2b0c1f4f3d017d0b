/**
 * Limits for the term of a lease in seconds: a dead holder must not keep an issue, and a slow one
 * must not lose it.
 */

const leaseTtlSecondsMin = 30
export const leaseTtlSecondsMax = 86_400
export const leaseTtlSecondsDefault = 3_600

/** The limits as text, for messages. */
export const leaseTermRange = `${leaseTtlSecondsMin} to ${leaseTtlSecondsMax}`

export const isLeaseTerm = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= leaseTtlSecondsMin && seconds <= leaseTtlSecondsMax
