/** The way back of an act whose thing somebody else may have changed since. */
import { ApiProblem } from '@plimsoll/api-client'

const PRECONDITION_FAILED = 412

/** The service refused a change, as somebody else has changed the thing since it was read. */
export const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof ApiProblem && error.problem.status === PRECONDITION_FAILED

export const IT_STAYED = 'It stayed: somebody has changed it since.'

/** Answers what stayed as it is, if anything. */
export async function putBack(send: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await send()
    return undefined
  } catch (error) {
    if (!isChangedMeanwhile(error)) throw error
    return IT_STAYED
  }
}
