import { Type } from 'typebox'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { exportComponents } from './export-service.ts'
import * as schemas from './schemas.ts'
import { listSbomComponents, streamFirmwareVersionComponents } from './service.ts'
import {
  FirmwareVersionComponentCounts,
  ListWorkspaceComponentsCommand,
  WorkspaceComponentPage,
} from './workspace-list/schemas.ts'
import { countVersionComponents, listWorkspaceComponents } from './workspace-list/service.ts'

const tags = ['SBOMs']
const SbomParams = defineWorkspaceParams('sbomId')

export function registerComponentRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/components/list',
    {
      config: { scope: 'SBOMs: read', namesIn: 'filter' },
      schema: {
        operationId: 'listWorkspaceComponents',
        summary: 'The components of all SBOMs of the workspace by name, a page at a time',
        tags,
        params: WorkspaceParams,
        body: ListWorkspaceComponentsCommand,
        response: { 200: WorkspaceComponentPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => listWorkspaceComponents(reading, { ...params, ...body }),
  )

  app.get(
    '/sboms/:sbomId/components/export',
    {
      config: { isExpensive: true, scope: 'SBOMs: read' },
      schema: {
        operationId: 'exportSbomComponents',
        summary: 'The components of one SBOM in document order, as CSV',
        description:
          'A text that a spreadsheet would read as a formula gets an apostrophe in front.',
        tags,
        params: SbomParams,
        produces: ['text/csv'],
        response: {
          200: { content: { 'text/csv': { schema: Type.String() } } },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, reading }, reply) => {
      const { content, fileName } = await exportComponents(reading, params)
      return reply
        .type('text/csv; charset=utf-8; header=present')
        .header('content-disposition', formatAttachmentHeader(fileName))
        .send(content)
    },
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/component-counts',
    {
      config: { isExpensive: true, scope: 'SBOMs: read' },
      schema: {
        operationId: 'countFirmwareVersionComponents',
        summary:
          'The components of a firmware version by the end of their support, and by what the licence rules say',
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: FirmwareVersionComponentCounts, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => countVersionComponents(reading, params),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/sbom-components',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'listFirmwareVersionComponents',
        summary: 'All components of a firmware version; equal declarations are merged',
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: schemas.FirmwareVersionComponents, ...defineProblems(400, 404) },
      },
    },
    async ({ params }, reply) => {
      const components = await streamFirmwareVersionComponents(ctx, params)
      return reply.type('application/json; charset=utf-8').send(components)
    },
  )

  app.post(
    '/sboms/:sbomId/components/list',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'listSbomComponents',
        summary: 'The components of one SBOM in document order, a page at a time',
        tags,
        params: SbomParams,
        body: schemas.ListSbomComponentsCommand,
        response: { 200: schemas.SbomComponentPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => listSbomComponents(reading, { ...params, ...body }),
  )
}
