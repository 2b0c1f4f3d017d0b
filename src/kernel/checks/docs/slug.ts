/** The anchors of headings, as GitHub and most renderers make them. */

/** Repeated headings get a number. */
export function slugger(): (heading: string) => string {
  const seen = new Map<string, number>()
  return heading => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}
