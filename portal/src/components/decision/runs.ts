/** Large decisions that are under way at the service: how far they are, and how they ended where the connection did not last. */
import { ApiProblem, type DecisionRun } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import type { Tell } from '../acts.ts'

const LOOK_MS = 1_000

export interface RunInView {
  workspaceId: string
  /** The id of the decision batch. */
  id: string
  tell: Tell
}

export async function listMyRuns(workspaceId: string): Promise<readonly DecisionRun[]> {
  const { decisionRuns } = await api.get('/workspaces/{workspaceId}/decision-runs', {
    params: { workspaceId },
    query: { mine: 'true' },
  })
  return decisionRuns
}

/** Tells how far it is while it is being sent. */
export async function tellOfRun<Answer>(
  { workspaceId, id, tell }: RunInView,
  send: () => Promise<Answer>,
): Promise<Answer> {
  const look = async () => {
    // What is under way goes on when a look at it fails.
    const runs = await listMyRuns(workspaceId).catch(() => [])
    const run = runs.find((one) => one.id === id)
    if (run) tellOf(run, tell)
  }
  const timer = setInterval(() => void look(), LOOK_MS)
  try {
    return await send()
  } finally {
    clearInterval(timer)
  }
}

/** A decision that is done under its id already was done by this one. Where the answer was lost, it waits for how it ends. */
export async function followRun(
  followed: RunInView,
  send: () => Promise<string[]>,
): Promise<string[]> {
  try {
    return await tellOfRun(followed, send)
  } catch (error) {
    if (error instanceof ApiProblem) {
      if (error.problem.type.endsWith('/decision-batch-exists')) return [followed.id]
      throw error
    }
    const isDone = await waitForRun(followed).catch(() => false)
    if (isDone) return [followed.id]
    throw error
  }
}

/** Whether it was done, or taken back. */
export async function waitForRun(followed: RunInView): Promise<boolean> {
  const { workspaceId, id, tell } = followed
  for (;;) {
    const run = (await listMyRuns(workspaceId)).find((one) => one.id === id)
    if (run?.state === 'Stopped') return false
    if (!run) break
    tellOf(run, tell)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  const { decisionBatches } = await api.get('/workspaces/{workspaceId}/decision-batches', {
    params: { workspaceId },
    query: { mine: 'true', limit: 100 },
  })
  return decisionBatches.some((batch) => batch.id === id)
}

function tellOf({ doneCount, findingCount }: DecisionRun, tell: Tell): void {
  if (findingCount !== null) tell({ done: doneCount, of: findingCount })
}
