import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../../platform/http/schemas.ts'
import { TrustedKeyProofs } from './schemas.ts'
import { getKeyProofs } from './service.ts'

export function registerKeyProofRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/trusted-keys/:trustedKeyId/proofs',
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'getTrustedKeyProofs',
        summary: 'Count the firmware versions whose proof rests on one trusted key alone',
        description:
          'What is no longer verified once the key is deleted. A file that another trusted key has signed, too, does not count.',
        tags: ['Trusted keys'],
        params: defineWorkspaceParams('trustedKeyId'),
        response: { 200: TrustedKeyProofs, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getKeyProofs({ db: reading.db, now: ctx.now }, params),
  )
}
