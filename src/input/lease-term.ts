import { Fault } from '../fault.ts'
import { isLeaseTerm, leaseTermRange } from '../kernel/issues/lease-term.ts'

/** Found out before anything is made: nobody could hold an issue under such a lease. */
export function mustBeLeaseTerm(seconds: number): void {
  if (isLeaseTerm(seconds)) return
  throw new Fault('usage', `--lease-ttl-seconds is ${seconds}: a lease cannot last so`, {
    hint: `Give ${leaseTermRange}.`,
  })
}
