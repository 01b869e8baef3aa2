import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { changeWatch, listMyWatches, readMyWatch } from './service.ts'

const tags = ['Discussions']
const VulnerabilityParams = defineWorkspaceParams('cveId')
/** To watch changes nothing that others see. */
const config = { scope: 'Vulnerabilities: read' } as const

export function registerWatchRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/vulnerabilities/:cveId/watch',
    {
      config,
      schema: {
        operationId: 'getVulnerabilityWatch',
        summary: 'Show whether you watch a vulnerability',
        tags,
        params: VulnerabilityParams,
        response: { 200: schemas.Watch, ...defineProblems(404) },
      },
    },
    ({ params, principal: { actor } }) => readMyWatch(ctx, { ...params, actor }),
  )

  app.put(
    '/vulnerabilities/:cveId/watch',
    {
      config,
      schema: {
        operationId: 'watchVulnerability',
        summary: 'Watch a vulnerability, or watch it no longer',
        description:
          'Whoever watches it gets a mail within a few minutes when a record of it changes, it is listed as exploited, it is found in another version or gone from one, a version holds the fix, or somebody else decides about it. It may be one that no source knows yet.',
        tags,
        params: VulnerabilityParams,
        body: schemas.WatchCommand,
        response: { 200: schemas.Watch, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) => changeWatch(ctx, { ...params, ...body, actor }),
  )

  app.get(
    '/watched-vulnerabilities',
    {
      config,
      schema: {
        operationId: 'listWatchedVulnerabilities',
        summary: 'List the vulnerabilities that you watch',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.WatchedVulnerabilities, ...defineProblems(404) },
      },
    },
    ({ params, principal: { actor } }) => listMyWatches(ctx, { ...params, actor }),
  )
}
