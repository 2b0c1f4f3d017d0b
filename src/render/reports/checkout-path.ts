/** Files as the pages of a repository name them: from its top, wherever the command was run. */

import type { OperationContext } from '../../project/context.ts'
import { absolutePath } from '../../runner/runner-world.ts'

/** Below the checkout where CI says where that is, else below the working folder. */
export function checkoutPath(
  file: string,
  { cwd, env }: Pick<OperationContext, 'cwd' | 'env'>,
): string {
  const path = absolutePath(file, { cwd })
  const checkout = env['GITHUB_WORKSPACE']
  const tops = [...(checkout ? [checkout] : []), cwd()].map(top => top.replace(/\/*$/, '/'))
  const top = tops.find(one => path.startsWith(one))
  return top === undefined ? path : path.slice(top.length)
}
