/** Makes what was tried out hold; its notice has the way back. */
import type { WithEntityTag } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { useFormAct } from '../../components/form-act.ts'
import { usePerform } from '../../components/perform.ts'
import { putBack } from '../../components/put-back.ts'
import { useWorkspaceId } from '../../session.ts'
import { applyChanges, type Changes, type StatedInputs } from './stated.ts'

/** `outcomes`: of the tree that would hold. */
export function useApply(changes: Changes, outcomes: readonly string[], onDone: () => void) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('ssvc', 'findings')
  const act = useFormAct(onDone)
  const params = { workspaceId }
  const write = (body: StatedInputs, ifStill: WithEntityTag) =>
    api.put('/workspaces/{workspaceId}/ssvc', { params, body, ifStill })
  const apply = () =>
    act.send((form) =>
      perform({
        text: 'SSVC decides by what you state now',
        form,
        send: async () => {
          const before = await api.get('/workspaces/{workspaceId}/ssvc', { params })
          const written = await write(applyChanges(before, changes, outcomes), before)
          return () => putBack(() => write(before, written))
        },
      }),
    )
  return { apply, isPending: act.isPending, error: act.error, reset: act.reset }
}

export type Apply = ReturnType<typeof useApply>
