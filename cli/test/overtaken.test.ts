/** Two people change one thing: whoever was slower is told, and overwrites nothing. */
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, expect, it } from 'vitest'
import { createDeviceIssuer } from '../../server/src/features/device-issuers/service.ts'
import { givenAuthority } from '../../server/test/given-certificates.ts'
import { type Fleet, givenFleet } from '../../server/test/given-fleet.ts'
import { EXIT } from '../src/exit-codes.ts'
import { createProgram } from '../src/program.ts'
import { type Environment, givenFile, runPlimsoll, startService } from './service.ts'

let service: Awaited<ReturnType<typeof startService>>
let environment: Environment
let fleet: Fleet

beforeAll(async () => {
  service = await startService({ withWorker: false })
  fleet = await givenFleet(service, 1)
  environment = service.environmentOf(fleet.client)
})

const run = (...args: string[]) => runPlimsoll(environment, args)
const json = async <Answer>(...args: string[]) =>
  JSON.parse((await run(...args, '--json')).stdout) as Answer

/** Runs the command; somebody else changes the thing of this id after the command has read it. */
async function runOvertaken(id: string, args: readonly string[], change: () => Promise<unknown>) {
  let isChanged = false
  const proxy = createServer((request, response) => {
    void forward(request).then(async (answer) => {
      const body = await answer.text()
      if (!isChanged && request.method === 'GET' && request.url?.endsWith(id)) {
        isChanged = true
        await change()
      }
      response.writeHead(answer.status, {
        'content-type': answer.headers.get('content-type') ?? '',
        ...(answer.headers.has('etag') && { etag: answer.headers.get('etag') ?? '' }),
      })
      response.end(body)
    })
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const { port } = proxy.address() as AddressInfo
  const outcome = await runPlimsoll(
    { ...environment, PLIMSOLL_URL: `http://127.0.0.1:${port}` },
    args,
  )
  proxy.close()
  expect(isChanged).toBe(true)
  return outcome
}

async function forward(request: IncomingMessage): Promise<Response> {
  const { method = 'GET', url = '', headers } = request
  const sent = ['authorization', 'content-type', 'if-match'].flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as [string, string]] : []
  })
  const body = method === 'GET' ? null : await text(request)
  return fetch(`${service.url}${url}`, { method, headers: sent, body })
}

const givenAdvisoryFile = (title: string) =>
  givenFile(`${title}.json`, JSON.stringify({ title, summary: 'S', vulnerabilities: [] }))

const OVERTAKEN = {
  exitCode: EXIT.error,
  stdout: '',
  stderr:
    'Somebody else changed it meanwhile, so nothing was written: look at it again, and repeat the command.\n',
}

it('keeps what somebody else changed of a roll-out', async () => {
  const { id } = await fleet.deploy('2.0', { phases: [{ percent: 50 }, { percent: 100 }] })
  const update = ['deployment', 'update', id, '--cohort', fleet.cohortId]

  const slower = await runOvertaken(id, [...update, '--phase', '70:1h'], () =>
    run(...update, '--phase', '60:2h'),
  )
  const again = await run(...update, '--note', 'second try')

  expect(slower).toEqual(OVERTAKEN)
  expect(again.exitCode).toBe(EXIT.ok)
  expect(await json('deployment', 'show', id, '--cohort', fleet.cohortId)).toMatchObject({
    phases: [{ percent: 50 }, { percent: 60, waitSeconds: 7200 }, { percent: 100 }],
    note: 'second try',
  })
})

it('keeps what somebody else changed of a webhook', async () => {
  const to = ['--to', 'https://hooks.example.com/a']
  const { id } = await json<{ id: string }>('webhook', 'create', '--name', 'Chat', ...to)
  const update = ['webhook', 'update', id]

  const slower = await runOvertaken(id, [...update, '--name', 'Talk'], () =>
    run(...update, '--state', 'disabled'),
  )

  expect(slower).toEqual(OVERTAKEN)
  expect((await run('webhook', 'list')).stdout).toMatch(/Chat +Disabled/)
})

it('keeps what somebody else changed of a target', async () => {
  const create = ['notification-target', 'create', '--name', 'On call']
  const { id } = await json<{ id: string }>(...create, '--email', 'a@example.com')
  const update = ['notification-target', 'update', id]

  const slower = await runOvertaken(id, [...update, '--name', 'Nobody'], () =>
    run(...update, '--email', 'b@example.com'),
  )

  expect(slower).toEqual(OVERTAKEN)
  expect(await json('notification-target', 'show', id)).toMatchObject({
    name: 'On call',
    emailAddresses: ['b@example.com'],
  })
})

it('replaces a rule by a file only as long as the rule is what the file was made of', async () => {
  const rule = {
    name: 'Hot',
    type: 'MetricFixedThreshold',
    evaluationFrequency: '1m',
    condition: { metric: 'temperature', operator: 'GreaterThan', threshold: 80, window: '5m' },
  }
  const fresh = givenFile('fresh.json', JSON.stringify(rule))
  const { id } = await json<{ id: string }>('alert-rule', 'create', '--file', fresh)
  const shown = await json<object>('alert-rule', 'show', id)
  const edited = givenFile('edited.json', JSON.stringify({ ...shown, name: 'Hotter' }))
  const update = ['alert-rule', 'update', id, '--file']

  const slower = await runOvertaken(id, [...update, edited], () => run('alert-rule', 'disable', id))
  const late = await run(...update, edited)
  const kept = await json('alert-rule', 'show', id)
  const forced = await run(...update, fresh)

  expect(slower).toEqual(OVERTAKEN)
  expect(late.exitCode).toBe(EXIT.error)
  expect(late.stderr).toBe(
    `Hot was changed after it was written to ${edited}, so it stays: write the file anew with alert-rule show --json, or take updatedAt out of it to replace the rule all the same.\n`,
  )
  expect(kept).toMatchObject({ name: 'Hot', state: 'Disabled' })
  expect(forced.stdout).toBe(`Hot: replaced, ${id}\n`)
})

const create = async (...args: string[]) => (await json<{ id: string }>(...args)).id

/** Each with a thing of its own, its id, and two changes. */
const CHANGES: [string, () => Promise<{ id: string; line: string[] }>, string[], string[]][] = [
  [
    'firmware update',
    async () => ({ id: await create('firmware', 'create', 'heater'), line: ['heater'] }),
    ['--name', 'A'],
    ['--name', 'B'],
  ],
  [
    'firmware-version update',
    async () => {
      await run('firmware', 'create', 'pump')
      return { id: await create('firmware-version', 'create', 'pump@1'), line: ['pump@1'] }
    },
    ['--build-id', 'a'],
    ['--build-id', 'b'],
  ],
  [
    'device update',
    async () => ({ id: await create('device', 'create', 'mill-1'), line: ['mill-1'] }),
    ['--tag', 'a'],
    ['--tag', 'b'],
  ],
  [
    'device configure',
    async () => {
      await run('device', 'create', 'mill-2')
      return { id: 'mill-2/configuration/desired', line: ['mill-2'] }
    },
    ['--log-severity', 'Debug'],
    ['--log-severity', 'Error'],
  ],
  [
    'cohort update',
    async () => ({ id: await create('cohort', 'create', 'Mills'), line: ['Mills'] }),
    ['--log-severity', 'Debug'],
    ['--log-severity', 'Error'],
  ],
  [
    'product-line update',
    async () => ({
      id: await create('product-line', 'create', '--name', 'Mill', '--manufacturer', 'Acme'),
      line: ['Mill'],
    }),
    ['--contact', 'a'],
    ['--contact', 'b'],
  ],
  [
    'customer update',
    async () => ({ id: await create('customer', 'create', 'Mill owner'), line: ['Mill owner'] }),
    ['--note', 'a'],
    ['--note', 'b'],
  ],
  [
    'supplier-feed update',
    async () => {
      const from = 'https://supplier.example/provider-metadata.json'
      const id = await create('supplier-feed', 'create', '--name', 'Chips', '--from', from)
      return { id, line: [id] }
    },
    ['--name', 'a'],
    ['--name', 'b'],
  ],
  [
    'advisory update',
    async () => {
      const id = await create('advisory', 'draft', '--title', 'A flaw')
      return { id, line: [id] }
    },
    [givenAdvisoryFile('Mine')],
    [givenAdvisoryFile('Yours')],
  ],
  [
    'trusted-key update',
    async () => {
      const { publicKey } = generateKeyPairSync('ed25519')
      const file = givenFile(
        'signer.pem',
        publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      )
      return { id: await create('trusted-key', 'add', file, '--name', 'Signer'), line: ['Signer'] }
    },
    ['--purpose', 'a'],
    ['--purpose', 'b'],
  ],
  [
    'device-issuer update',
    async () => {
      // Only people add authorities.
      const authority = givenAuthority()
      const { workspaceId } = fleet.client
      const { id } = await createDeviceIssuer(service.ctx, {
        workspaceId,
        name: 'Factory',
        certificate: authority.pem,
        actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
        proof: authority.issue(`plimsoll-issuer-${workspaceId}`).pem,
      })
      return { id, line: ['Factory'] }
    },
    ['--after-list-end', 'refuse'],
    ['--after-list-end', 'accept'],
  ],
  [
    'settings update',
    () => Promise.resolve({ id: '/settings', line: [] }),
    ['--device-polling-seconds', '60'],
    ['--device-polling-seconds', '90'],
  ],
  [
    'override update',
    async () => {
      const ignoring = ['--name', 'own', '--ignore', '--reason']
      const id = await create('override', 'create', ...ignoring, 'Ours')
      return { id, line: [id, ...ignoring] }
    },
    ['Mine'],
    ['Yours'],
  ],
]

it.each(CHANGES)('keeps what somebody else wrote by %s', async (name, given, mine, yours) => {
  const { id, line } = await given()
  const update = [...name.split(' '), ...line]

  const slower = await runOvertaken(id, [...update, ...mine], async () => {
    expect(await run(...update, ...yours)).toMatchObject({ exitCode: EXIT.ok })
  })

  expect(slower).toEqual(OVERTAKEN)
  expect(await run(...update, ...mine)).toMatchObject({ exitCode: EXIT.ok })
})

/** Those of the tests above. The types ask every other call for what it read: see GuardedClient. */
it('knows all commands that update', async () => {
  const nouns = (await createProgram()).commands
  const updating = nouns.flatMap((noun) =>
    noun.commands.filter((verb) => verb.name() === 'update').map(() => `${noun.name()} update`),
  )
  const alone = ['deployment update', 'webhook update', 'notification-target update', 'ssvc update']
  const known = new Set([...CHANGES.map(([name]) => name), ...alone, 'alert-rule update'])

  expect(updating.filter((name) => !known.has(name))).toEqual([])
  expect(updating.length).toBeGreaterThan(8)
})
