/** Builds the interface of the doors of devices from the slices behind it. */
import { offerUpdates } from './features/deployments/index.ts'
import { authenticateByCertificate } from './features/device-issuers/index.ts'
import {
  authenticateByKey,
  type DeviceCredentials,
  type DevicePrincipal,
  type DeviceDoors,
  issueDesiredConfigurations,
  startIntake,
} from './features/devices/index.ts'
import { completeRotation, tellRotations } from './features/device-keys/index.ts'
import { asking } from './platform/asking.ts'
import type { AppContext } from './platform/context.ts'

export function openDoors(ctx: AppContext, options: { rests?: boolean } = {}): DeviceDoors {
  return {
    // The turns of the workspace are taken only once the key was found to be its own.
    authenticate: (credentials) =>
      asking.run({ workspaceId: credentials.workspaceId.toLowerCase() }, () =>
        authenticate(ctx, credentials),
      ),
    intake: startIntake(ctx, options),
    offerDesired: (workspaceId, deviceIds) =>
      asking.run({ workspaceId }, () => offerDesired(ctx, workspaceId, deviceIds)),
  }
}

async function authenticate(
  ctx: AppContext,
  credentials: DeviceCredentials,
): Promise<DevicePrincipal> {
  if ('certificate' in credentials) return authenticateByCertificate(ctx, credentials)
  const principal = await authenticateByKey(ctx, credentials)
  if (principal.isNext) await completeRotation(ctx, principal)
  return principal
}

async function offerDesired(ctx: AppContext, workspaceId: string, deviceIds: readonly string[]) {
  const configurations = await issueDesiredConfigurations(ctx, workspaceId, deviceIds)
  const known = [...configurations.keys()]
  const updates = await offerUpdates(ctx, workspaceId, known)
  const asked = known.filter((deviceId) => configurations.get(deviceId)?.isAskedForKey)
  const keys = await tellRotations(ctx, workspaceId, asked)
  return new Map(
    [...configurations].map(([deviceId, { acknowledgedVersion, version, logSeverity }]) => [
      deviceId,
      {
        config: { version, logSeverity },
        acknowledgedVersion,
        update: updates.get(deviceId) ?? null,
        key: keys.get(deviceId) ?? null,
      },
    ]),
  )
}
