/** The way back of an act whose thing somebody else may have changed since. */
import { ApiProblem } from '@plimsoll/api-client'

const CHANGED_SINCE = 412
export const IT_STAYED = 'It stayed: somebody has changed it since.'

/** Answers what stayed as it is, if anything. */
export async function putBack(send: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await send()
    return undefined
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.problem.status !== CHANGED_SINCE) throw error
    return IT_STAYED
  }
}
