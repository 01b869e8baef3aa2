/** The doors of devices, made of what the slices do with reports and what they want of devices. */
import {
  authenticateDevice,
  configurationListener,
  type DeviceDoors,
  readDesiredConfigurations,
  startIntake,
} from './features/devices/index.ts'
import { telemetryListener } from './features/telemetry/index.ts'
import type { AppContext } from './platform/context.ts'

export function openDoors(ctx: AppContext): DeviceDoors {
  const hooks = { tagsChanged: () => Promise.resolve(), leaving: () => Promise.resolve() }
  return {
    authenticate: (credentials) => authenticateDevice(ctx, credentials, hooks),
    intake: startIntake(ctx, [configurationListener, telemetryListener]),
    desired: async (workspaceId, deviceIds) => {
      const configurations = await readDesiredConfigurations(ctx, workspaceId, deviceIds)
      return new Map(
        [...configurations].map(([deviceId, { acknowledgedVersion, ...config }]) => [
          deviceId,
          { config, acknowledgedVersion, update: null },
        ]),
      )
    },
  }
}
