/** The HTTP doors of devices, beside the API on its port. */
import { artifactDownloadRoute } from './features/artifacts/index.ts'
import { ddiRoutes } from './features/ddi/index.ts'
import { deviceSyncRoutes } from './features/device-sync/index.ts'
import { mqttAuthRoutes } from './features/mqtt/index.ts'
import type { DeviceDoors } from './features/devices/index.ts'
import type { AppContext } from './platform/context.ts'
import type { App } from './platform/http/app.ts'

type DeviceRoutes = (app: App, ctx: AppContext, doors: DeviceDoors) => void | Promise<void>

/** Every door that speaks HTTP, in an order that matters to none. */
const DOORS: readonly DeviceRoutes[] = [
  ddiRoutes,
  deviceSyncRoutes,
  artifactDownloadRoute,
  mqttAuthRoutes,
]

export async function deviceRoutes(app: App, ctx: AppContext, doors: DeviceDoors): Promise<void> {
  for (const door of DOORS) await door(app, ctx, doors)
}
