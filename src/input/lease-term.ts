import { Fault } from '../fault.ts'
import { isLeaseTerm, leaseTermRange } from '../kernel/issues/lease-term.ts'

/** Checked before anything is created, because no lease with such a term can be granted. */
export function mustBeLeaseTerm(seconds: number): void {
  if (isLeaseTerm(seconds)) return
  throw new Fault('usage', `--lease-ttl-seconds must be ${leaseTermRange}, not ${seconds}`, {
    hint: `Pass ${leaseTermRange} seconds.`,
  })
}
