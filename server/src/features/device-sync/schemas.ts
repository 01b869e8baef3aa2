import { Type } from 'typebox'
import { NextKeyWire, SyncAnswerWire, SyncWire } from '../../formats/device-messages/schemas.ts'
import { ProblemSchema } from '../../platform/http/schemas.ts'

export const DeviceParams = Type.Object({ workspaceId: Type.String(), deviceId: Type.String() })

const inBoth = ($id: string, schema: object) => ({
  'application/json': { schema: { ...schema, $id } },
  'application/cbor': { schema: { ...schema, $id } },
})

export const SyncBody = { content: inBoth('DeviceSync', SyncWire) }

const problem = (description: string) => ({
  description,
  content: { 'application/problem+json': { schema: ProblemSchema } },
})

export const syncAnswers = {
  200: {
    description:
      'The reports are stored. The answer is the desired state of the device; null: nothing to do',
    content: inBoth('DeviceSyncAnswer', SyncAnswerWire),
  },
  400: problem('The body is malformed and nothing was stored; errors name the places'),
  401: problem('The device key is missing, malformed, unknown, revoked or for another device'),
  404: problem('The device does not exist, and the workspace does not allow devices to register'),
  413: problem('The body is too large'),
  415: problem('The body has a Content-Encoding'),
  429: problem('Too many requests of this device'),
  500: problem('Internal error; the detail contains the request id, which is also in the log'),
  503: problem('The service or its database is unavailable; send the same again'),
}

const {
  401: unauthorized,
  404: notRegistered,
  429: tooMany,
  500: internal,
  503: busy,
} = syncAnswers

export const keyAnswers = {
  201: {
    description: 'The next key, shown this once',
    content: inBoth('NextDeviceKey', NextKeyWire),
  },
  401: unauthorized,
  403: problem('The key is one of all devices, or it is a certificate'),
  404: notRegistered,
  409: problem('Nobody asked the device to replace its key'),
  429: tooMany,
  500: internal,
  503: busy,
}
