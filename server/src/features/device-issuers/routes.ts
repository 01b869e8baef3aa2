import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import {
  changeDeviceIssuer,
  createDeviceIssuer,
  deleteDeviceIssuer,
  getDeviceIssuer,
  listDeviceIssuers,
  listDeviceRevocations,
  revokeCertificate,
  uploadRevocationList,
} from './service.ts'

const tags = ['Devices']
const IssuerParams = defineWorkspaceParams('deviceIssuerId')
const PATH = '/device-issuers/:deviceIssuerId'
const CRL_BODY_BYTES = 9_000_000
const read = { scope: 'Devices: read' } as const
/** As for device keys: a leaked key of a pipeline shall let no device in. */
const byPerson = { scope: 'Devices: write', needsPerson: 'or terminal' } as const

export function registerDeviceIssuerRoutes(app: App, ctx: AppContext): void {
  app.post(
    '/device-issuers',
    {
      config: byPerson,
      schema: {
        operationId: 'createDeviceIssuer',
        summary: 'Trust an authority that issues certificates of devices',
        description:
          'Devices with such a certificate connect without a key, by MQTT and HTTP. The proof shows that you hold the key of the authority, which then issues for this workspace alone.',
        tags,
        params: WorkspaceParams,
        body: schemas.CreateDeviceIssuerCommand,
        response: { 201: schemas.DeviceIssuer, ...defineProblems(400, 404, 409) },
      },
    },
    async ({ params, body, principal: { actor } }, reply) =>
      reply.code(201).send(await createDeviceIssuer(ctx, { ...params, ...body, actor })),
  )

  app.get(
    '/device-issuers',
    {
      config: read,
      schema: {
        operationId: 'listDeviceIssuers',
        summary: 'List the authorities whose certificates let devices in, and what holds of each',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.DeviceIssuers, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listDeviceIssuers(ctx, reading.db, params),
  )

  registerEditable(app, {
    path: PATH,
    tags,
    scope: 'Devices',
    params: IssuerParams,
    command: schemas.ChangeDeviceIssuerCommand,
    answer: schemas.DeviceIssuer,
    get: { operationId: 'getDeviceIssuer', summary: 'Get an issuer of device certificates' },
    patch: {
      operationId: 'changeDeviceIssuer',
      summary: 'Rename an issuer, or choose what holds when its revocation list has ended',
      name: 'DeviceIssuerPatch',
    },
    delete: {
      operationId: 'deleteDeviceIssuer',
      summary: 'Trust an issuer no more; connections with its certificates end',
      needsPerson: 'or terminal',
      remove: (removal) => deleteDeviceIssuer(ctx, removal),
    },
    read: (one) => getDeviceIssuer(ctx, ctx.db, one),
    write: (change) => changeDeviceIssuer(ctx, change),
  })
  revocationRoutes(app, ctx)
}

function revocationRoutes(app: App, ctx: AppContext): void {
  app.post(
    `${PATH}/revocation-list`,
    {
      config: { scope: 'Devices: write' },
      bodyLimit: CRL_BODY_BYTES,
      schema: {
        operationId: 'uploadRevocationList',
        summary: 'Upload the revocation list (CRL) of an issuer, in place of the one before',
        description:
          'It has to be signed by the issuer and newer than the one before. Connections with certificates that it names end. After its end (nextUpdate) all certificates of the issuer are refused until the next one is uploaded, unless the issuer says otherwise.',
        tags,
        params: IssuerParams,
        body: schemas.UploadRevocationListCommand,
        response: { 200: schemas.TakenRevocationList, ...defineProblems(400, 404, 409) },
      },
    },
    ({ params, body, principal: { actor } }) =>
      uploadRevocationList(ctx, { ...params, ...body, actor }),
  )

  app.get(
    `${PATH}/revocations`,
    {
      config: read,
      schema: {
        operationId: 'listDeviceRevocations',
        summary: 'List revoked certificates of an issuer, the newest first',
        tags,
        params: IssuerParams,
        response: { 200: schemas.DeviceRevocations, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listDeviceRevocations(ctx, reading.db, params),
  )

  app.post(
    `${PATH}/revocations`,
    {
      config: byPerson,
      schema: {
        operationId: 'revokeDeviceCertificate',
        summary: 'Revoke a certificate by its serial number, whether it was seen or not',
        description: 'It cannot be taken back. Connections with it end at once.',
        tags,
        params: IssuerParams,
        body: schemas.RevokeCertificateCommand,
        response: { 200: schemas.RevokedCertificate, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, principal: { actor } }) =>
      revokeCertificate(ctx, { ...params, ...body, actor }),
  )
}
