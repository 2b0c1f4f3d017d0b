/** How long a lease may last, in seconds: a dead holder must not keep an issue, nor a slow one lose it. */

export const leaseTtlSecondsMin = 30
export const leaseTtlSecondsMax = 86_400
export const leaseTtlSecondsDefault = 3_600

/** For people. */
export const leaseTermRange = `${leaseTtlSecondsMin} to ${leaseTtlSecondsMax}`

export const isLeaseTerm = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= leaseTtlSecondsMin && seconds <= leaseTtlSecondsMax
