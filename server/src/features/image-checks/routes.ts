import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, defineWorkspaceParams } from '../../platform/http/schemas.ts'
import { ImageVerificationList } from './schemas.ts'
import { listVerifications } from './service.ts'

const DESCRIPTION = `The format of an artifact is recognised by its content after the upload, and its signatures are checked with the trusted keys of the
workspace (MCUboot, SWUpdate, RAUC, Mender, and signatures beside the artifact). The answer holds with the keys that are trusted now. States: \`Verified\` by a trusted key; \`Untrusted\`: signed, by no trusted key;
\`NotSigned\`; \`FormatNotKnown\`; \`NotChecked\`: it could not be checked, and the reason says why; \`Broken\`: the bytes are not those that were signed; \`Checking\`: not
done yet.`

export function registerImageCheckRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/firmware-versions/:firmwareVersionId/image-verifications',
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'listImageVerifications',
        summary: 'Show what the artifacts of a firmware version state and who signed them',
        description: DESCRIPTION,
        tags: ['Firmware'],
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: ImageVerificationList, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => listVerifications({ db: reading.db, now: ctx.now }, params),
  )
}
