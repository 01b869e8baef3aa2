/** Moves devices to a cohort, with the way back. */
import type { BodyOf, UndoneDeviceBatch } from '@plimsoll/api-client'
import { api } from '../api.ts'
import { formatCountOf } from '../format/counts.ts'
import { useWorkspaceId } from '../session.ts'
import type { ActForm } from './acts.ts'
import { usePerform } from './perform.ts'

type Selected = Pick<BodyOf<'moveDevices'>, 'deviceIds' | 'filter'>

interface Move {
  target: Selected
  /** null: tag rules decide. */
  cohortId: string | null
}

export const moveDevices = (
  workspaceId: string,
  { target, cohortId, dryRun }: Move & { dryRun: boolean },
) =>
  api.post('/workspaces/{workspaceId}/devices/bulk-move', {
    params: { workspaceId },
    body: { ...target, deploymentCohortId: cohortId, dryRun },
  })

interface SentMove extends Move {
  form: ActForm
  count: number
  cohortName?: string | undefined
}

export function useMoveAct() {
  const workspaceId = useWorkspaceId()
  const perform = usePerform('devices', 'deployments')
  return ({ form, count, cohortName, ...move }: SentMove) =>
    perform({
      form,
      text: `${formatCountOf(count, 'device')}: ${cohortName === undefined ? 'left to the tag rules' : `picked for ${cohortName}`}`,
      send: async () => {
        const { deviceBatchId } = await moveDevices(workspaceId, { ...move, dryRun: false })
        return deviceBatchId === null
          ? undefined
          : () => undoDevices(workspaceId, 'move', deviceBatchId)
      },
    })
}

/** Answers with what stayed, in words: devices that were changed since. */
export async function undoDevices(
  workspaceId: string,
  act: 'tag' | 'move',
  deviceBatchId: string,
): Promise<string | undefined> {
  const params = { workspaceId, deviceBatchId }
  return describeLeft(
    act === 'tag'
      ? await api.post('/workspaces/{workspaceId}/devices/bulk-tag/{deviceBatchId}/undo', {
          params,
        })
      : await api.post('/workspaces/{workspaceId}/devices/bulk-move/{deviceBatchId}/undo', {
          params,
        }),
  )
}

function describeLeft({ left, leftDeviceIds: [first] }: UndoneDeviceBatch): string | undefined {
  if (left === 0) return undefined
  const named = first === undefined ? '' : ` (${first}${left > 1 ? ', …' : ''})`
  return `${formatCountOf(left, 'device')} stayed, changed since${named}.`
}
