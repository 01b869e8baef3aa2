import { Type } from 'typebox'
import type { AppContext } from '../../../platform/context.ts'
import { notFound } from '../../../platform/errors.ts'
import type { App } from '../../../platform/http/app.ts'
import {
  Exactly,
  defineProblems,
  Shape,
  defineWorkspaceParams,
} from '../../../platform/http/schemas.ts'
import { isUuid } from '../../../platform/ids.ts'
import { readMark } from '../mark/service.ts'
import { getFirmwareVersion } from '../service.ts'
import { signBadgeToken, isBadgeTokenRight } from './link.ts'
import { drawBadge } from './svg.ts'

const Params = defineWorkspaceParams('firmwareVersionId')

export function registerBadgeRoute(app: App, ctx: AppContext): void {
  app.get(
    '/firmware-versions/:firmwareVersionId/badge',
    {
      config: { scope: 'Firmware: read' },
      schema: {
        operationId: 'getFirmwareVersionBadge',
        summary: 'The address of a picture with the mark of a firmware version',
        description:
          'For a README or a wiki: whoever has the address sees the name and the mark of this version, as they are then, and nothing else.',
        tags: ['Firmware'],
        params: Params,
        response: {
          200: Shape('FirmwareVersionBadge', {
            url: Type.String({ format: 'uri' }),
            markdown: Type.String({ examples: ['![Gateway 2.4.1](https://…/badge.svg?token=…)'] }),
          }),
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params: { workspaceId, firmwareVersionId } }) => {
      const { id, name, firmware } = await getFirmwareVersion(
        ctx.db,
        workspaceId,
        firmwareVersionId,
      )
      const token = signBadgeToken(ctx.signingKey, { workspaceId, firmwareVersionId: id })
      const path = `/workspaces/${workspaceId}/firmware-versions/${id}/badge.svg`
      const url = `${ctx.config.publicUrl}${path}?token=${token}`
      const alt = `${firmware.name} ${name}`.replaceAll(/[\\[\]]/g, String.raw`\$&`)
      return { url, markdown: `![${alt}](${url})` }
    },
  )
}

/** The picture. It needs no API key: the token authorises. */
export function registerBadgeImageRoute(app: App, ctx: AppContext): void {
  app.get(
    '/workspaces/:workspaceId/firmware-versions/:firmwareVersionId/badge.svg',
    {
      schema: {
        hide: true,
        params: Params,
        querystring: Exactly({ token: Type.String({ maxLength: 100 }) }),
      },
    },
    async ({ params: { workspaceId, firmwareVersionId }, query: { token } }, reply) => {
      const version = { workspaceId, firmwareVersionId }
      const isRight = isUuid(workspaceId) && isBadgeTokenRight(ctx.signingKey, version, token)
      if (!isRight) throw notFound('badge', firmwareVersionId)
      const { name, firmware } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
      const { reasons: _, ...mark } = await readMark(ctx, workspaceId, firmwareVersionId)
      return reply
        .type('image/svg+xml; charset=utf-8')
        .header('cache-control', 'public, max-age=60')
        .send(drawBadge(`${firmware.name} ${name}`, mark))
    },
  )
}
