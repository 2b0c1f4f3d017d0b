/** The upper bound of every time that a case can set: a day. A timer of more than 24 days fires at once. */
export const timeCeilingMs = 86_400_000
