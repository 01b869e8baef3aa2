/** Acts of a page, each with its notice and its way back; what they change is read again. */
import { useQueryClient } from '@tanstack/react-query'
import { useWorkspaceId } from '../session.ts'
import { markSummariesStale } from '../workspace-queries.ts'
import { type Act, useActs } from './acts.ts'

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
  /** The value before, and the value that is sent. */
  before: Value
  after: Value
  /** Reads the value as it is now. */
  read: () => Promise<Value>
  write: (value: Value) => Promise<unknown>
}

/** Writes, and takes back by writing what was before, unless somebody has written something else since. */
export async function writeValue<Value>({ before, after, read, write }: Change<Value>) {
  await write(after)
  return async () => {
    if (JSON.stringify(await read()) !== JSON.stringify(after))
      return 'It stayed: somebody has changed it since.'
    await write(before)
    return undefined
  }
}
