import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { getRetentionOfFirmware, getRetentionOfVersion } from './retention-service.ts'
import * as schemas from './schemas.ts'
import {
  createProductLine,
  deleteProductLine,
  getProductLine,
  listProductLines,
  updateProductLine,
} from './service.ts'

const tags = ['Cases']
const config = { scope: 'Firmware: read' } as const

export function registerProductLineRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/product-lines',
    {
      config: { scope: 'Cases: write' },
      schema: {
        operationId: 'createProductLine',
        summary: 'Create a product line: what is placed on the market under one name',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateProductLineCommand,
        response: { 201: schemas.ProductLine, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createProductLine(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/product-lines',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'listProductLines',
        summary: 'List the product lines, and the firmware in none',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.ProductLineList, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listProductLines(reading.db, params),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/retention',
    {
      config,
      schema: {
        operationId: 'getVersionRetention',
        summary: 'Until when a firmware version and what belongs to it are kept by law',
        tags,
        params: defineWorkspaceParams('firmwareVersionId'),
        response: { 200: schemas.Retention, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getRetentionOfVersion(ctx, reading.db, params),
  )

  app.get(
    '/firmwares/:firmwareId/retention',
    {
      config,
      schema: {
        operationId: 'getFirmwareRetention',
        summary: 'Until when versions of a firmware and what belongs to them are kept by law',
        tags,
        params: defineWorkspaceParams('firmwareId'),
        response: { 200: schemas.Retention, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getRetentionOfFirmware(ctx, reading.db, params),
  )

  registerEditable(app, {
    path: '/product-lines/:productLineId',
    tags,
    scope: 'Cases',
    params: defineWorkspaceParams('productLineId'),
    command: schemas.UpdateProductLineCommand,
    answer: schemas.ProductLine,
    get: { operationId: 'getProductLine', summary: 'Get a product line' },
    put: {
      operationId: 'updateProductLine',
      summary: 'Replace a product line; what is left out is cleared',
      mayConflict: true,
    },
    patch: {
      operationId: 'changeProductLine',
      summary: 'Change fields of a product line',
      name: 'ProductLinePatch',
      mayConflict: true,
    },
    delete: {
      operationId: 'deleteProductLine',
      summary: 'Delete a product line that is in no case',
      mayConflict: true,
      remove: (removal) => deleteProductLine(ctx, removal),
    },
    read: (one) => getProductLine(ctx.db, one),
    write: (change) => updateProductLine(ctx, change),
  })
}
