import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams, Exactly } from '../../../platform/http/schemas.ts'
import { FirmwareChain } from './schemas.ts'
import { getChain } from './service.ts'

const DESCRIPTION = `Whether each image of a firmware version is linked to an SBOM, and whether devices run that image. \`Proved\`: a statement that a trusted key signed names both, or devices report
the hash. \`Stated\`: the SBOM, an unsigned statement or the name of the version says so. \`Missing\`: nothing says so. \`Differs\`: something says otherwise. \`Unknown\`: it cannot be
told yet. It is that of now: which keys were trusted, and which images ran, is not kept for the past.`

export function registerChainRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/firmware-versions/:firmwareVersionId/chain',
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'getFirmwareChain',
        summary: 'Show what links the SBOMs, images and devices of a firmware version',
        description: DESCRIPTION,
        tags: ['Firmware'],
        params: defineWorkspaceParams('firmwareVersionId'),
        // Whoever asks for a past day would take the chain of now for that of then.
        querystring: Exactly({}),
        response: { 200: FirmwareChain, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getChain({ db: reading.db, now: ctx.now }, params),
  )
}
