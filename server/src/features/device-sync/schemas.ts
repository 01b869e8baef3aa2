import { Type } from 'typebox'
import { SyncAnswerWire, SyncWire } from '../../formats/device-messages/schemas.ts'

export const DeviceParams = Type.Object({ workspaceId: Type.String(), deviceId: Type.String() })

const inBoth = (schema: object) => ({
  'application/json': { schema },
  'application/cbor': { schema },
})

export const SyncBody = { content: inBoth(SyncWire) }

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } },
})

export const syncAnswers = {
  200: {
    description: 'Stored; what is desired of the device. null: nothing to do',
    content: inBoth(SyncAnswerWire),
  },
  400: problem('Nothing was stored, as the body is malformed; errors name the places'),
  401: problem('The device key is missing, malformed, unknown, revoked or for another device'),
  404: problem('There is no such device, and the workspace does not let devices register'),
  413: problem('The body is too large'),
  415: problem('The body has a Content-Encoding'),
  429: problem('Too many requests of this device'),
  500: problem('A fault on our side; the detail holds the request id the log knows it by'),
  503: problem('The service or its database is not available; send the same again'),
}
