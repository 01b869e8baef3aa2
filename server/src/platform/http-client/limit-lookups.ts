import { asking, NO_WORKSPACE } from '../asking.ts'
import { type TurnLimits, Turns } from '../turns.ts'
import type { Lookup } from './dispatchers.ts'

/**
 * Workspaces take turns at lookups. One whose name server does not answer keeps its turn until it times out. A lookup that
 * gets no turn in time fails like one without an answer.
 */
export function limitLookups(lookup: Lookup, limits: TurnLimits): Lookup {
  const turns = new Turns(limits)
  return (hostname, options, callback) => {
    const { workspaceId } = asking.getStore() ?? NO_WORKSPACE
    turns.take(workspaceId).then(
      (end) =>
        lookup(hostname, options, (error, addresses) => {
          end()
          callback(error, addresses)
        }),
      () => callback(Object.assign(new Error('no turn in time'), { code: 'EAI_AGAIN' }), []),
    )
  }
}
