import type { App } from '../../platform/http/app.ts'
import { diffRoute } from './diff/routes.ts'
import { registerExposureRoute } from './exposure/routes.ts'
import { registerFirmwareOverviewRoute } from './firmware-overview/routes.ts'
import { registerOverviewRoute } from './overview/routes.ts'
import { searchRoute } from './search/routes.ts'
import { registerTrendRoute } from './trend/routes.ts'
import { registerVulnerableVersionsRoute } from './vulnerable-versions/routes.ts'

export function reportRoutes(app: App): void {
  diffRoute(app)
  registerTrendRoute(app)
  registerVulnerableVersionsRoute(app)
  registerExposureRoute(app)
  registerOverviewRoute(app)
  registerFirmwareOverviewRoute(app)
  searchRoute(app)
}
