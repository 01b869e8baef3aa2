/** Builds the interface of the doors of devices from the slices behind it. */
import { offerUpdates } from './features/deployments/index.ts'
import {
  authenticateDevice,
  type DeviceDoors,
  issueDesiredConfigurations,
  startIntake,
} from './features/devices/index.ts'
import type { AppContext } from './platform/context.ts'

export function openDoors(ctx: AppContext): DeviceDoors {
  return {
    authenticate: (credentials) => authenticateDevice(ctx, credentials),
    intake: startIntake(ctx),
    offerDesired: async (workspaceId, deviceIds) => {
      const configurations = await issueDesiredConfigurations(ctx, workspaceId, deviceIds)
      const updates = await offerUpdates(ctx, workspaceId, [...configurations.keys()])
      return new Map(
        [...configurations].map(([deviceId, { acknowledgedVersion, ...config }]) => [
          deviceId,
          { config, acknowledgedVersion, update: updates.get(deviceId) ?? null },
        ]),
      )
    },
  }
}
