/** Makes the drafts hold; its notice has the way back. */
import type { OwnerRules, WithEntityTag } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { useFormAct } from '../../components/form-act.ts'
import { usePerform } from '../../components/perform.ts'
import { putBack } from '../../components/put-back.ts'
import { useWorkspaceId } from '../../session.ts'
import { type Drafts, restoreOwners, writeDrafts } from './drafts.ts'
import type { StatedOwners } from './queries.ts'

interface Saving {
  opened: WithEntityTag<OwnerRules>
  drafts: Drafts
  onDone: () => void
}

export function useSave({ opened, drafts, onDone }: Saving) {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('owners', 'findings')
  const act = useFormAct(onDone)
  const write = (body: StatedOwners, ifStill: WithEntityTag) =>
    api.put('/workspaces/{workspaceId}/owner-rules', { params: { workspaceId }, body, ifStill })
  const save = () =>
    act.send((form) =>
      perform({
        text: 'Owners follow from the rules that you state now',
        form,
        send: async () => {
          const written = await write(writeDrafts(drafts), opened)
          return () => putBack(() => write(restoreOwners(opened, written), written))
        },
      }),
    )
  return { save, isPending: act.isPending, error: act.error, reset: act.reset }
}

export type Save = ReturnType<typeof useSave>
