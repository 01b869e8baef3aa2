import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  WorkspaceParams,
  defineWorkspaceParams,
} from '../../platform/http/schemas.ts'
import { PackageOverrideCommand } from '../sboms/index.ts'
import { OverridePreview } from './schemas.ts'
import { previewOverride } from './service.ts'

const OverrideParams = defineWorkspaceParams('overrideId')

export function registerOverridePreviewRoutes(app: App): void {
  app.post(
    '/package-overrides/preview',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'previewPackageOverride',
        summary: 'What creating a package override would change; nothing is written',
        description:
          'Takes the body that creates an override, and refuses what creating it would refuse. Answers the components that it would apply to, and the findings that would appear, disappear or change their confidence.',
        tags: ['SBOMs'],
        params: WorkspaceParams,
        body: PackageOverrideCommand,
        response: { 200: OverridePreview, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, reading }) => previewOverride(reading, { ...params, stated: body }),
  )

  app.post(
    '/package-overrides/:overrideId/preview',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'previewPackageOverrideUpdate',
        summary: 'What replacing a package override would change; nothing is written',
        description:
          'Takes the body that replaces the override, and refuses what that would refuse.',
        tags: ['SBOMs'],
        params: OverrideParams,
        body: PackageOverrideCommand,
        response: { 200: OverridePreview, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, reading }) => previewOverride(reading, { ...params, stated: body }),
  )

  app.post(
    '/package-overrides/:overrideId/preview-deletion',
    {
      config: { isExpensive: true, scope: 'Vulnerabilities: read' },
      schema: {
        operationId: 'previewPackageOverrideDeletion',
        summary: 'What deleting a package override would change; nothing is written',
        tags: ['SBOMs'],
        params: OverrideParams,
        response: { 200: OverridePreview, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => previewOverride(reading, params),
  )
}
