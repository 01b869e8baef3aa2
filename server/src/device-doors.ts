/** Builds the interface of the doors of devices from the slices behind it. */
import { offerUpdates } from './features/deployments/index.ts'
import { authenticateByCertificate } from './features/device-issuers/index.ts'
import {
  authenticateByKey,
  type DeviceDoors,
  issueDesiredConfigurations,
  startIntake,
} from './features/devices/index.ts'
import { asking } from './platform/asking.ts'
import type { AppContext } from './platform/context.ts'

export function openDoors(ctx: AppContext, options: { rests?: boolean } = {}): DeviceDoors {
  return {
    // The turns of the workspace are taken only once the key was found to be its own.
    authenticate: (credentials) =>
      asking.run({ workspaceId: credentials.workspaceId.toLowerCase() }, () =>
        'certificate' in credentials
          ? authenticateByCertificate(ctx, credentials)
          : authenticateByKey(ctx, credentials),
      ),
    intake: startIntake(ctx, options),
    offerDesired: (workspaceId, deviceIds) =>
      asking.run({ workspaceId }, () => offerDesired(ctx, workspaceId, deviceIds)),
  }
}

async function offerDesired(ctx: AppContext, workspaceId: string, deviceIds: readonly string[]) {
  const configurations = await issueDesiredConfigurations(ctx, workspaceId, deviceIds)
  const updates = await offerUpdates(ctx, workspaceId, [...configurations.keys()])
  return new Map(
    [...configurations].map(([deviceId, { acknowledgedVersion, ...config }]) => [
      deviceId,
      { config, acknowledgedVersion, update: updates.get(deviceId) ?? null },
    ]),
  )
}
