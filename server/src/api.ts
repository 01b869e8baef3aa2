/** The HTTP app, built from the slices' routes. */
import { readConfig } from './config.ts'
import { advisoryRoutes } from './features/advisories/index.ts'
import { auditRoutes } from './features/audit/index.ts'
import { installAuthentication, installGuard, setupRoutes } from './features/auth/index.ts'
import { findingRoutes } from './features/findings/index.ts'
import { firmwareRoutes } from './features/firmware/index.ts'
import { sbomContentRoute, sbomRoutes, sourceFileRoutes } from './features/sboms/index.ts'
import { inventoryChanged, vexRoutes } from './features/vex/index.ts'
import { whoamiRoute, workspaceRoutes } from './features/workspaces/index.ts'
import type { AppContext } from './platform/context.ts'
import { type App, createApp, installRateLimit } from './platform/http/app.ts'
import { createLog } from './platform/log.ts'
import { problemPageRoute } from './platform/http/problem-pages.ts'
import { VERSION } from './version.ts'

export async function buildApi(ctx: AppContext, options = { checkResponses: false }): Promise<App> {
  const { log, config } = ctx
  const app = await createApp({ log, version: VERSION, publicUrl: config.publicUrl, ...options })
  problemPageRoute(app)
  // What a person who opens the address first looks for.
  app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/docs'))
  setupRoutes(app, ctx)
  sbomContentRoute(app, ctx)
  await app.register(async (authenticated: App) => {
    installAuthentication(authenticated, ctx)
    await installRateLimit(authenticated, config.rateLimitPerMinute)
    whoamiRoute(authenticated, ctx)
  })
  await app.register(
    async (workspace: App) => {
      installGuard(workspace, ctx)
      await installRateLimit(workspace, config.rateLimitPerMinute)
      workspaceRoutes(workspace, ctx)
      auditRoutes(workspace, ctx)
      firmwareRoutes(workspace, ctx)
      sbomRoutes(workspace, ctx, inventoryChanged)
      sourceFileRoutes(workspace, ctx)
      advisoryRoutes(workspace, ctx)
      findingRoutes(workspace, ctx)
      vexRoutes(workspace, ctx)
    },
    { prefix: '/workspaces/:workspaceId' },
  )
  return app
}

/** The description of the API alone. Routes reach into their context only when they are called. */
export async function describeApi(): Promise<unknown> {
  const described = { config: readConfig({}), log: createLog('silent') }
  const app = await buildApi(described as AppContext)
  await app.ready()
  return app.swagger()
}
