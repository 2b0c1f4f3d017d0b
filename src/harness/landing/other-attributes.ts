import { askLanding, type LandingPlace } from './landing-git.ts'

/**
 * Makes the next checkout write every file, if the commit has other attributes than the files on the
 * disk. Git leaves a file alone that both commits have, although its attributes may ask for another
 * encoding or other line ends, as a fresh clone would have.
 */
export async function forgetOtherAttributes(
  place: LandingPlace,
  { top, gitFolder, commit }: Checkout,
): Promise<void> {
  const asked = ['diff-tree', '--quiet', 'HEAD', commit, '--', ':(top,glob)**/.gitattributes']
  const { exitCode } = await askLanding(place, top, asked)
  if (exitCode !== 0) await place.disk.remove(`${gitFolder}/index`)
}

interface Checkout {
  readonly top: string
  readonly gitFolder: string
  /** The commit that is checked out next. */
  readonly commit: string
}
