/** hawkBit's interface for devices: its routes with the members that clients send, changed. */
import fc from 'fast-check'
import { type Door, openDoor } from './door.ts'
import { jsonBytes, mutated, oddTexts, spoiled } from './mutations.ts'
import { some } from './sbom-documents.ts'
import { ask, type FuzzRequest, type World } from './world.ts'

const BASE = '/{{mine.workspaceId}}/controller/v1/{{mine.ddiDeviceId}}'

const ids = fc.oneof(
  { arbitrary: fc.constantFrom('{{mine.actionId}}'), weight: 6 },
  fc.constantFrom(
    '{{theirs.actionId}}',
    '0',
    '-1',
    '1e3',
    '99999999999999999999',
    '%00',
    '%zz',
    'x',
    '',
  ),
  oddTexts.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 3_000)),
)

const answers = fc.record(
  {
    id: fc.constantFrom('{{mine.actionId}}', '1', 1),
    time: fc.constantFrom('20260101T000000', 1_767_225_600_000, '2026-01-01T00:00:00Z'),
    status: some({
      execution: fc.constantFrom(
        'closed',
        'proceeding',
        'canceled',
        'scheduled',
        'rejected',
        'resumed',
        'downloaded',
        'download',
        'x',
      ),
      result: some({
        finished: fc.constantFrom('success', 'failure', 'none', 'x'),
        progress: some({ cnt: fc.integer(), of: fc.integer() }),
      }),
      code: fc.integer(),
      details: fc.oneof(fc.array(oddTexts, { maxLength: 3 }), oddTexts),
    }),
    confirmation: fc.constantFrom('confirmed', 'denied', 'x'),
    details: fc.array(oddTexts, { maxLength: 2 }),
    mode: fc.constantFrom('merge', 'replace', 'remove', 'x'),
    data: fc.dictionary(oddTexts, oddTexts, { maxKeys: 4, noNullPrototype: true }),
    initiator: oddTexts,
    remark: oddTexts,
  },
  { requiredKeys: ['status'], noNullPrototype: true },
)

const reads = fc.oneof(
  fc.constant(''),
  ids.map((id) => `/deploymentBase/${id}`),
  ids.map((id) => `/deploymentBase/${id}?c=1&actionHistory=${id}`),
  ids.map((id) => `/installedBase/${id}`),
  ids.map((id) => `/cancelAction/${id}`),
  ids.map((id) => `/confirmationBase/${id}`),
  fc.constantFrom(
    '/confirmationBase',
    '/softwaremodules/{{mine.moduleId}}/artifacts',
    '/softwaremodules/{{mine.moduleId}}/artifacts/{{mine.fileName}}',
    '/softwaremodules/{{mine.moduleId}}/artifacts/{{mine.fileName}}.MD5SUM',
    '/softwaremodules/{{theirs.moduleId}}/artifacts/{{theirs.fileName}}',
    '/softwaremodules/%00/artifacts/..%2f..',
  ),
)

const writes = fc.oneof(
  ids.map((id) => ['POST', `/deploymentBase/${id}/feedback`] as const),
  ids.map((id) => ['POST', `/cancelAction/${id}/feedback`] as const),
  ids.map((id) => ['POST', `/confirmationBase/${id}/feedback`] as const),
  fc.constantFrom(
    ['PUT', '/configData'] as const,
    ['POST', '/confirmationBase/activateAutoConfirm'] as const,
    ['POST', '/confirmationBase/deactivateAutoConfirm'] as const,
  ),
)

const keys = fc.oneof(
  { arbitrary: fc.constant('TargetToken {{mine.ddiDeviceKey}}'), weight: 20 },
  fc.constantFrom(
    'GatewayToken {{mine.ddiDeviceKey}}',
    'TargetToken {{theirs.ddiDeviceKey}}',
    'TargetToken',
    'Bearer {{mine.apiKey}}',
    '',
  ),
)

const types = fc.oneof(
  { arbitrary: fc.constant('application/json'), weight: 9 },
  fc.constantFrom(
    'application/hal+json;charset=x',
    'text/plain',
    'application/cbor',
    '/',
    'multipart/form-data',
  ),
)

const odd = fc.oneof(
  { arbitrary: fc.constant<Record<string, string>>({}), weight: 6 },
  fc.constantFrom<Record<string, string>>(
    { range: 'bytes=5-1' },
    { range: 'bytes=0-0,2-3' },
    { range: 'bytes=-999999999999' },
    { 'if-none-match': '"x"' },
    { accept: 'x' },
  ),
)

const cases: fc.Arbitrary<FuzzRequest> = fc.oneof(
  fc.tuple(reads, keys, odd).map(([path, authorization, more]) => ({
    method: 'GET',
    url: `${BASE}${path}`,
    headers: { authorization, ...more },
  })),
  fc
    .tuple(writes, keys, types, spoiled(mutated(answers).map(jsonBytes), 6))
    .map(([[method, path], authorization, type, body]) => ({
      method,
      url: `${BASE}${path}`,
      headers: { authorization, 'content-type': type },
      body,
    })),
)

export function ddiDoor(world: World): Door {
  return openDoor({
    atOnce: 2,
    cases,
    run: async (one) => {
      await ask(world, one)
    },
  })
}
