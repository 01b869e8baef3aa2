import { Type } from 'typebox'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import { sendPage } from '../../platform/http/pages.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { formatNoticeText, renderNotice } from './notice.ts'
import * as schemas from './schemas.ts'
import {
  getFirmwareRules,
  getNotice,
  getVersionLicences,
  getWorkspaceRules,
  replaceFirmwareRules,
  replaceWorkspaceRules,
} from './service.ts'

const tags = ['SBOMs']
const VersionParams = defineWorkspaceParams('firmwareVersionId')

export function registerLicenceRoutes(app: App, ctx: AppContext): void {
  registerEditable(app, {
    path: '/licence-rules',
    tags,
    scope: 'Workspace settings',
    params: WorkspaceParams,
    command: schemas.ReplaceWorkspaceRulesCommand,
    answer: schemas.WorkspaceLicenceRules,
    get: {
      operationId: 'getLicenceRules',
      summary: 'Which licences may ship in firmwares that have no rules of their own',
    },
    put: {
      operationId: 'replaceLicenceRules',
      summary: 'State which licences may ship',
      description:
        'They hold at once, in the release gate too: `GET …/firmware-versions/{id}/licences` judges by them when it is asked.',
    },
    patch: {
      operationId: 'patchLicenceRules',
      summary: 'Change which licences may ship',
      name: 'LicenceRulesPatch',
    },
    read: (named) => getWorkspaceRules(ctx.db, named),
    write: (change) => replaceWorkspaceRules(ctx, change),
  })

  registerEditable(app, {
    path: '/firmwares/:firmwareId/licence-rules',
    tags,
    scope: 'Firmware',
    params: defineWorkspaceParams('firmwareId'),
    command: schemas.ReplaceFirmwareRulesCommand,
    answer: schemas.FirmwareLicenceRules,
    get: {
      operationId: 'getFirmwareLicenceRules',
      summary: 'Which licences may ship in a firmware',
    },
    put: {
      operationId: 'replaceFirmwareLicenceRules',
      summary: 'State which licences may ship in a firmware, or that those of the workspace hold',
    },
    patch: {
      operationId: 'patchFirmwareLicenceRules',
      summary: 'Change which licences may ship in a firmware',
      name: 'FirmwareLicenceRulesPatch',
    },
    read: (named) => getFirmwareRules(ctx.db, named),
    write: (change) => replaceFirmwareRules(ctx, change),
  })

  app.get(
    '/firmware-versions/:firmwareVersionId/licences',
    {
      config: { isExpensive: true, scope: 'SBOMs: read' },
      schema: {
        operationId: 'getFirmwareVersionLicences',
        summary: 'The licences that components of a firmware version state, judged by the rules',
        description:
          'Of SPDX the concluded licence counts, or the declared one where nothing is concluded; in CycloneDX all of a list hold together. What is unknown is never allowed.',
        tags,
        params: VersionParams,
        response: { 200: schemas.VersionLicences, ...defineProblems(400, 404) },
      },
    },
    ({ params, reading }) => getVersionLicences(reading.db, params),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/notice',
    {
      config: { isExpensive: true, scope: 'SBOMs: read' },
      schema: {
        operationId: 'getFirmwareVersionNotice',
        summary: 'The notice of a firmware version: its components and the texts of their licences',
        description:
          'Texts are those of the SPDX licence list. Licences without one are named; copyright lines are not in SBOMs.',
        tags,
        params: VersionParams,
        produces: ['text/plain'],
        response: {
          200: { content: { 'text/plain': { schema: Type.String() } } },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, reading }, reply) =>
      reply
        .type('text/plain; charset=utf-8')
        .serializer(String)
        .send(formatNoticeText(await getNotice(reading.db, params))),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/notice/page',
    {
      config: { isExpensive: true, scope: 'SBOMs: read' },
      schema: {
        operationId: 'printFirmwareVersionNotice',
        summary: 'The notice of a firmware version as a page',
        tags,
        params: VersionParams,
        produces: ['text/html'],
        response: {
          200: { content: { 'text/html': { schema: Type.String() } } },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, reading }, reply) =>
      sendPage(reply, renderNotice(await getNotice(reading.db, params))),
  )
}
