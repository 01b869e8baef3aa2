/** Whom the present work is for: connections and look-ups are given by turns to those who ask for them (decision 21). */
import { AsyncLocalStorage } from 'node:async_hooks'

export interface Requester {
  workspaceId: string
  /** Set for requests that change nothing. Statements of other requests end by the limit of the connection only. */
  read?: { statementMs: number; hungUp: AbortSignal }
}

export const asking = new AsyncLocalStorage<Requester>()

/** What is not about a workspace, as the check of a key, takes turns as one workspace does. */
export const NO_WORKSPACE: Requester = { workspaceId: '' }
