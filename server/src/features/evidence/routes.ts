import { Type } from 'typebox'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { listEvidenceKeys, rotateEvidenceKey } from './keys-service.ts'
import { EvidenceKey, EvidenceKeyList, EvidenceQuery } from './schemas.ts'
import { createEvidence } from './service.ts'

const tags = ['Cases']

export function registerEvidenceRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/product-lines/:productLineId/evidence',
    {
      config: { isExpensive: true, scope: 'Cases: read' },
      schema: {
        operationId: 'createEvidence',
        summary: 'Everything about a product line as one signed tar file',
        description:
          'SBOMs as they were received, findings, decisions, uptake, roll-outs, cases with the exact texts of reports, reports from outside without how whoever reported can be reached, reports to makers of components, and advisories, with an index by numbers of Annex VII, `SHA256SUMS`, its Ed25519 signature and the public key. The key needs `Firmware: read`, `SBOMs: read`, `Vulnerabilities: read`, `Deployments: read` and `Devices: read` as well. The audit log keeps who asked.',
        tags,
        params: defineWorkspaceParams('productLineId'),
        querystring: EvidenceQuery,
        produces: ['application/x-tar'],
        response: {
          200: {
            content: { 'application/x-tar': { schema: Type.String({ format: 'binary' }) } },
          },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, query, principal, reading }, reply) => {
      const { content, fileName } = await createEvidence(ctx, reading, {
        ...params,
        ...query,
        principal,
      })
      return reply
        .type('application/x-tar')
        .header('content-disposition', formatAttachmentHeader(fileName))
        .send(content)
    },
  )

  app.get(
    '/evidence-keys',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'listEvidenceKeys',
        summary: 'List the public keys that evidence bundles are signed with, newest first',
        tags,
        params: WorkspaceParams,
        response: { 200: EvidenceKeyList, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listEvidenceKeys(reading.db, params),
  )

  app.post(
    '/evidence-keys/rotate',
    {
      config: { scope: 'Workspace settings: write' },
      schema: {
        operationId: 'rotateEvidenceKey',
        summary: 'Sign evidence bundles with a new key from now on',
        description:
          'Bundles of the former key can be verified as before: each has its public key, which the list keeps.',
        tags,
        params: WorkspaceParams,
        response: { 201: EvidenceKey, ...defineProblems(400, 404) },
      },
    },
    async ({ params, principal: { actor } }, reply) =>
      reply.code(201).send(await rotateEvidenceKey(ctx, { ...params, actor })),
  )
}
