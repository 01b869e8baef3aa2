import type { Desired, DeviceDoors } from '../devices/index.ts'

export type Ask = (workspaceId: string, deviceId: string) => Promise<Desired | undefined>

interface Round {
  deviceIds: Set<string>
  answers: Promise<ReadonlyMap<string, Desired>>
}

/**
 * Devices of a workspace that ask while others are being answered are answered together next. A round begins after its
 * last device has asked, so that each sees what came of its own words.
 */
export function askTogether(read: DeviceDoors['desired']): Ask {
  const gathering = new Map<string, Round>()
  const underWay = new Map<string, Promise<unknown>>()

  function gather(workspaceId: string): Round {
    const deviceIds = new Set<string>()
    const round = { deviceIds, answers: answer(workspaceId, deviceIds) }
    gathering.set(workspaceId, round)
    return round
  }

  async function answer(workspaceId: string, deviceIds: ReadonlySet<string>) {
    // At the earliest when the first one has been gathered; the failure of a round is that of its own devices.
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
    const round = gathering.get(workspaceId) ?? gather(workspaceId)
    round.deviceIds.add(deviceId)
    return (await round.answers).get(deviceId)
  }
}
