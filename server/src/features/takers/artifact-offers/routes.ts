import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { countArtifactOffers, getArtifactOffer } from './service.ts'

const tags = ['Deployments']

export function registerArtifactOfferRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/devices/:deviceId/artifact-offer',
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'getArtifactOffer',
        summary: 'Show which artifacts a device is offered, or would be, and why',
        tags,
        params: defineWorkspaceParams('deviceId'),
        querystring: schemas.OfferQuery,
        response: { 200: schemas.ArtifactOffer, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => getArtifactOffer(ctx, { ...params, ...query }),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/artifact-offers',
    {
      config: { scope: 'Deployments: read' },
      schema: {
        operationId: 'countArtifactOffers',
        summary: 'Count the devices that are offered each artifact of a firmware version',
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: schemas.ArtifactOffers, ...defineProblems(404) },
      },
    },
    ({ params }) => countArtifactOffers(ctx, params),
  )
}
