import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { diffRoute } from './diff/routes.ts'
import { exposureRoute } from './exposure/routes.ts'
import { listExportRoutes } from './export/lists-routes.ts'
import { findingExportRoutes } from './export/routes.ts'
import { overviewRoute } from './overview/routes.ts'
import { searchRoute } from './search/routes.ts'
import { trendRoute } from './trend/routes.ts'

export function reportRoutes(app: App, ctx: AppContext): void {
  diffRoute(app, ctx)
  trendRoute(app, ctx)
  exposureRoute(app, ctx)
  overviewRoute(app, ctx)
  searchRoute(app, ctx)
  findingExportRoutes(app, ctx)
  listExportRoutes(app, ctx)
}
