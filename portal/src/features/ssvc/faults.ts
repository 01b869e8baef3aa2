import { ApiProblem } from '@plimsoll/api-client'

/** What the service said of one element of a list that was sent. */
export function findFault(error: unknown, list: string, place: number): string | undefined {
  if (!(error instanceof ApiProblem) || place < 0) return undefined
  const at = `/${list}/${place}`
  const found = error.problem.errors.find(
    ({ pointer }) => pointer === at || pointer.startsWith(`${at}/`),
  )
  return found && `This one ${found.detail}.`
}
