import type { DesiredState, DeviceDoors } from '../devices/index.ts'

export type ReadDesired = (
  workspaceId: string,
  deviceId: string,
) => Promise<DesiredState | undefined>

interface Batch {
  deviceIds: Set<string>
  answers: Promise<ReadonlyMap<string, DesiredState>>
}

/**
 * Batches reads of what is desired: devices of a workspace that ask during a read share the next one. A batch is read
 * after its last device has asked, so that each device sees the effect of its own report.
 */
export function batchDesired(read: DeviceDoors['offerDesired']): ReadDesired {
  const gathering = new Map<string, Batch>()
  const underWay = new Map<string, Promise<unknown>>()

  function gather(workspaceId: string): Batch {
    const deviceIds = new Set<string>()
    const batch = { deviceIds, answers: answer(workspaceId, deviceIds) }
    gathering.set(workspaceId, batch)
    return batch
  }

  async function answer(workspaceId: string, deviceIds: ReadonlySet<string>) {
    // Waits for the previous batch. Its failure concerns only its own devices.
    await Promise.allSettled([underWay.get(workspaceId)])
    gathering.delete(workspaceId)
    const answers = read(workspaceId, [...deviceIds])
    underWay.set(workspaceId, answers)
    try {
      return await answers
    } finally {
      if (underWay.get(workspaceId) === answers) underWay.delete(workspaceId)
    }
  }

  return async (workspaceId, deviceId) => {
    const batch = gathering.get(workspaceId) ?? gather(workspaceId)
    batch.deviceIds.add(deviceId)
    return (await batch.answers).get(deviceId)
  }
}
