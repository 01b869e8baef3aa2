/** Asks many devices to replace their keys themselves, and says before who can. */
import type { BodyOf, RotatedKeys } from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { useFormAct } from '../../components/form-act.ts'
import { usePerform } from '../../components/perform.ts'
import { Command, usePreview } from '../../components/previewed-command.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'

interface RotateKeysFormProps {
  target: Pick<BodyOf<'rotateDeviceKeys'>, 'deviceIds' | 'filter'>
  onDone: () => void
}

const ROTATE = '/workspaces/{workspaceId}/devices/bulk-rotate-keys'

export function RotateKeysForm({ target, onDone }: RotateKeysFormProps) {
  const workspaceId = useWorkspaceId()
  const ask = (dryRun: boolean) =>
    api.post(ROTATE, { params: { workspaceId }, body: { ...target, dryRun } })
  const { preview, data } = usePreview(['rotate-keys', target], ask)
  const perform = usePerform('devices')
  const act = useFormAct(onDone)
  const submit = () =>
    act.send((form) =>
      perform({
        form,
        text: `${formatCountOf(data?.asked ?? 0, 'device')}: asked to replace the key`,
        send: async () => {
          const { keyRotationBatchId } = await ask(false)
          return keyRotationBatchId === null
            ? undefined
            : () => undoRotation(workspaceId, keyRotationBatchId)
        },
      }),
    )
  return (
    <Command
      {...{ preview, act }}
      onSubmit={submit}
      button="Ask them"
      isReady={(data?.asked ?? 0) > 0}
      outcome={data && <Outcome counts={data} />}
    />
  )
}

function Outcome({ counts }: { counts: RotatedKeys }) {
  const { matched, asked, askedBefore, hawkbit, withoutOwnKey, severalKeys } = counts
  const rest: readonly [number, string][] = [
    [askedBefore, 'asked before, and not done yet.'],
    [hawkbit, 'cannot: hawkBit clients have no way to fetch a key.'],
    [withoutOwnKey, 'cannot: no key of its own to replace.'],
    [severalKeys, 'with several keys of its own: all older ones end once the new one is used.'],
  ]
  return (
    <>
      <p>
        {formatCountOf(asked, 'device')} of {matched} will be asked to fetch the next key. The
        present one ends when the next one was used.
      </p>
      <ul>
        {rest
          .filter(([count]) => count > 0)
          .map(([count, what]) => (
            <li key={what}>
              {formatCountOf(count, 'device')}: {what}
            </li>
          ))}
      </ul>
    </>
  )
}

async function undoRotation(
  workspaceId: string,
  keyRotationBatchId: string,
): Promise<string | undefined> {
  const params = { workspaceId, keyRotationBatchId }
  const { left } = await api.post(`${ROTATE}/{keyRotationBatchId}/undo`, { params })
  return left === 0
    ? undefined
    : `${formatCountOf(left, 'device')} fetched the next key already, and will use it.`
}
