import type { AppContext } from '../../../platform/context.ts'
import type { App } from '../../../platform/http/app.ts'
import { registerEditable } from '../../../platform/http/editable-resource.ts'
import { defineProblems, defineWorkspaceParams } from '../../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { getLines, previewLines, replaceLines } from './service.ts'

const tags = ['Firmware']
const FirmwareParams = defineWorkspaceParams('firmwareId')

export function registerLineRoutes(app: App, ctx: AppContext): void {
  registerEditable(app, {
    path: '/firmwares/:firmwareId/lines',
    tags,
    scope: 'Firmware',
    params: FirmwareParams,
    command: schemas.ReplaceLinesCommand,
    answer: schemas.FirmwareLines,
    get: {
      operationId: 'getFirmwareLines',
      summary: 'The release lines of a firmware, each with its newest version',
    },
    put: {
      operationId: 'replaceFirmwareLines',
      summary: 'Replace the release lines of a firmware',
      description:
        'Versions move to the lines that match them at once; `POST …/lines/preview` with the same body says what would change. Decisions that were carried over stay.',
      mayConflict: true,
    },
    patch: {
      operationId: 'patchFirmwareLines',
      summary: 'Replace the release lines of a firmware by a merge patch',
      name: 'FirmwareLinesPatch',
      mayConflict: true,
    },
    read: (named) => getLines(ctx.db, named),
    write: (change) => replaceLines(ctx, change),
  })

  app.post(
    '/firmwares/:firmwareId/lines/preview',
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'previewFirmwareLines',
        summary: 'What replacing the release lines would change; nothing is written',
        tags,
        params: FirmwareParams,
        body: schemas.ReplaceLinesCommand,
        response: { 200: schemas.FirmwareLinesPreview, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => previewLines(reading, { ...params, ...body }),
  )
}
