/** Formats times and durations. */

/** `0.4 s`, `42 s`, `3:07`, `1:02:03`. */
export function spanOf(milliseconds: number): string {
  if (milliseconds < 10_000) return `${(Math.max(0, milliseconds) / 1000).toFixed(1)} s`
  const whole = Math.floor(milliseconds / 1000)
  if (whole < 60) return `${whole} s`
  const [hours, minutes, seconds] = [
    Math.floor(whole / 3600),
    Math.floor(whole / 60) % 60,
    whole % 60,
  ]
  const padded = (part: number) => String(part).padStart(2, '0')
  return hours > 0
    ? `${hours}:${padded(minutes)}:${padded(seconds)}`
    : `${minutes}:${padded(seconds)}`
}

/** `14:03:59` as the clock of the reader shows it. Artifacts and JSON have UTC. */
export function clockTime(at: bigint): string {
  const time = new Date(Number(at / 1_000_000n))
  return [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map(part => String(part).padStart(2, '0'))
    .join(':')
}
