import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { problems, WorkspaceParams } from '../../platform/http/schemas.ts'
import { PackageOverrideCommand } from '../sboms/index.ts'
import { OverridePreview } from './schemas.ts'
import { previewOverride } from './service.ts'

export function overridePreviewRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/package-overrides/preview',
    {
      config: { scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'previewPackageOverride',
        summary: 'What creating a package override would change; nothing is written',
        description:
          'Takes the body that creates an override, and refuses what creating it would refuse. Answers the components that it would apply to, and the findings that would appear, disappear or change their confidence.',
        tags: ['SBOMs'],
        params: WorkspaceParams,
        body: PackageOverrideCommand,
        response: { 200: OverridePreview, ...problems(400, 404, 409) },
      },
    },
    ({ params, body }) => previewOverride(ctx, { ...params, ...body }),
  )
}
