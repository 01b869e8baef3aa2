/** Acts of a page, each with its notice and its way back; what they change is read again. */
import { useQueryClient } from '@tanstack/react-query'
import { useWorkspaceId } from '../session.ts'
import { markSummariesStale } from '../workspace-queries.ts'
import { type Act, useActs } from './acts.ts'
import { IT_STAYED } from './put-back.ts'

/** `topics` begin the keys of the queries that the acts change, and that their undo changes. */
export function usePerform(...topics: readonly string[]): (act: Act) => Promise<boolean> {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const { perform } = useActs()
  const readAgainAfter = async <Answer>(act: () => Promise<Answer>) => {
    try {
      return await act()
    } finally {
      for (const topic of topics)
        void queryClient.invalidateQueries({ queryKey: [topic, workspaceId] })
      markSummariesStale(queryClient, workspaceId)
    }
  }
  return ({ send, ...act }) =>
    perform({
      ...act,
      send: async (tell) => {
        const undo = await readAgainAfter(() => send(tell))
        return undo && ((tellBack) => readAgainAfter(() => undo(tellBack)))
      },
    })
}

interface Change<Value> {
  /** The value that whoever changes it saw, and the value that is sent. */
  before: Value
  after: Value
  /** Reads the value as it is now. */
  read: () => Promise<Value>
  write: (value: Value) => Promise<unknown>
}

/**
 * Writes, unless somebody has written something else meanwhile, and takes back by writing what was before, unless somebody has since.
 * For values without an entity tag: between the look and the write somebody else may still come.
 */
export async function writeValue<Value>({ before, after, read, write }: Change<Value>) {
  const isSame = (one: Value, other: Value) => JSON.stringify(one) === JSON.stringify(other)
  const now = await read()
  if (!isSame(now, before) && !isSame(now, after))
    throw new Error(
      'Somebody else has changed it meanwhile. Look at it again, and repeat your change.',
    )
  await write(after)
  return async () => {
    if (!isSame(await read(), after)) return IT_STAYED
    await write(before)
    return undefined
  }
}
