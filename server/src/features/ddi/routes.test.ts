import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { readByteRanges } from '../../../test/byteranges.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { newId } from '../../platform/ids.ts'
import {
  ddiClient,
  givenDdiDevice,
  givenDeviceKey,
  givenOfferedUpdate,
  givenVersionWithArtifact,
  runningOf,
} from '../../../test/given-ddi.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp({ publicUrl: 'https://plimsoll.example' })
  client = await givenClient(test)
})

const givenDevice = () => givenDdiDevice(test, client)
const hex = (algorithm: string, bytes: Buffer) => createHash(algorithm).update(bytes).digest('hex')

describe('who may ask', () => {
  it.each(['TargetToken', 'GatewayToken', 'targettoken'])(
    'takes a device key as %s',
    async (scheme) => {
      const { workspaceId } = client
      const { deviceId, deviceKey } = await givenDevice()

      const response = await ddiClient(test, { workspaceId, deviceId, deviceKey }, { scheme }).get(
        '',
      )

      expect(response.statusCode).toBe(200)
    },
  )

  it('refuses everything else with 401, and says no more', async () => {
    const { workspaceId } = client
    const { deviceId, deviceKey } = await givenDevice()
    const other = await givenDevice()
    const theirs = await givenClient(test)
    const foreignKey = await givenDeviceKey(test, theirs.workspaceId)
    const whose = { workspaceId, deviceId, deviceKey }

    const answers = await Promise.all([
      test.app.inject({ url: other.base }),
      ddiClient(test, whose, { scheme: 'Bearer' }).get(''),
      ddiClient(test, { ...whose, deviceKey: foreignKey }).get(''),
      ddiClient(test, { ...whose, deviceId: other.deviceId }).get(''),
      ddiClient(test, { ...whose, workspaceId: theirs.workspaceId }).get(''),
      ddiClient(test, { ...whose, workspaceId: 'DEFAULT' }).get(''),
      ddiClient(test, { ...whose, workspaceId: crypto.randomUUID() }).get(''),
    ])

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 401))
    expect(
      new Set(answers.map(({ body }) => (JSON.parse(body) as { detail: string }).detail)).size,
    ).toBe(1)
  })

  it.each([
    'AA:BB:CC:00:11:22',
    'dev%2Fone',
    'ger%C3%A4t',
    'a%20b',
    '.hidden',
    'dev@site',
    'x'.repeat(129),
  ])('says that no device can have the id %s', async (deviceId) => {
    const { workspaceId } = client
    const deviceKey = await givenDeviceKey(test, workspaceId)

    const response = await ddiClient(test, { workspaceId, deviceId, deviceKey }).get('')

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      type: '/problems/device-id-not-possible',
      detail: expect.stringContaining(JSON.stringify(decodeURIComponent(deviceId))) as unknown,
    })
  })

  it('registers a device with a key of the fleet, where the workspace lets it', async () => {
    const fresh = await givenClient(test)
    const { workspaceId } = fresh
    const deviceKey = await givenDeviceKey(test, workspaceId)
    const device = ddiClient(test, { workspaceId, deviceId: 'new-one', deviceKey })

    const before = await device.get('')
    await test.ctx.db
      .updateTable('workspaces')
      .set({ deviceAutoRegistration: true })
      .where('id', '=', workspaceId)
      .execute()
    const after = await device.get('')

    expect([before.statusCode, after.statusCode]).toEqual([404, 200])
  })

  it('tells a device that asks too often to wait', async () => {
    const strict = await startTestApp({ deviceRequestsPerMinute: 2 }, test.connectionString)
    const { workspaceId } = client
    const { deviceId, deviceKey } = await givenDevice()
    const device = ddiClient(strict, { workspaceId, deviceId, deviceKey })

    const answers = await Promise.all(Array.from({ length: 11 }, () => device.get('')))

    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.headers['retry-after']).toBeDefined()
  })

  it('drops a device whose key was revoked at its next request', async () => {
    const device = await givenDevice()
    await device.poll()
    await test.ctx.db
      .updateTable('deviceKeys')
      .set({ revokedAt: test.ctx.now() })
      .where('workspaceId', '=', client.workspaceId)
      .where('deviceId', '=', device.deviceId)
      .execute()

    expect((await device.get('')).statusCode).toBe(401)
  })
})

describe('a poll', () => {
  it('answers with the polling interval and what is wanted', async () => {
    const device = await givenDevice()

    const response = await device.get('')

    expect(response.headers['content-type']).toBe('application/hal+json;charset=utf-8')
    expect(response.headers['content-length']).toBe(String(response.body.length))
    expect(response.json()).toEqual({
      config: { polling: { sleep: '00:05:00' } },
      _links: {
        configData: { href: `https://plimsoll.example${device.base}/configData` },
      },
    })
  })

  it.each`
    write                               | because
    ${(tag: string) => tag}             | ${'it is sent back'}
    ${(tag: string) => `W/${tag}`}      | ${'a proxy that compresses made it weak'}
    ${(tag: string) => `"a", W/${tag}`} | ${'it is one of several'}
    ${() => '*'}                        | ${'any will do'}
  `('says nothing twice to a client that names the tag, as $because', async ({ write }) => {
    const device = await givenDevice()
    const { headers } = await device.get('')
    const named = (write as (tag: string) => string)(String(headers['etag']))

    const again = await device.get('', { 'if-none-match': named })

    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  it('makes the device seen, by this door and this client', async () => {
    const device = await givenDevice()

    await device.poll()

    const row = await test.ctx.db
      .selectFrom('devices')
      .select(['door', 'client', 'lastSeenAt'])
      .where('workspaceId', '=', client.workspaceId)
      .where('id', '=', device.deviceId)
      .executeTakeFirstOrThrow()
    expect(row).toMatchObject({ door: 'Ddi', client: 'libcurl-agent/1.0' })
    expect(row.lastSeenAt).not.toBeNull()
  })

  it.each([
    [1, '00:00:01'],
    [3_725, '01:02:05'],
    [86_399, '23:59:59'],
  ])('writes %i seconds as %s', async (devicePollingSeconds, sleep) => {
    const device = await givenDevice()
    const set = (seconds: number) =>
      test.ctx.db
        .updateTable('workspaces')
        .set({ devicePollingSeconds: seconds })
        .where('id', '=', client.workspaceId)
        .execute()
    await set(devicePollingSeconds)

    const { config } = await device.poll()

    await set(300)
    expect(config.polling.sleep).toBe(sleep)
  })
})

describe('the polling interval', () => {
  it('is that of the cohort where it has one, within its jitter, and the same at each poll', async () => {
    const devices = await Promise.all(Array.from({ length: 8 }, () => givenDevice()))
    const cohort = { name: newId(), pollingSeconds: 36_000, pollingJitterPercent: 10 }
    const made = await client.post('/deployment-cohorts', cohort)
    const { id } = made.json<{ id: string }>()
    const path = `/deployment-cohorts/${id}`
    const deviceIds = devices.map(({ deviceId }) => deviceId)
    await client.put(`${path}/devices`, { deviceIds })
    const read = async () => {
      const polls = await Promise.all(devices.map((device) => device.poll()))
      return polls.map(({ config }) => {
        const [hours = 0, minutes = 0, seconds = 0] = config.polling.sleep.split(':').map(Number)
        return hours * 3600 + minutes * 60 + seconds
      })
    }

    const [first, again] = [await read(), await read()]
    await client.patch(path, { pollingJitterPercent: 0 })
    const exact = await read()
    await client.patch(path, { pollingSeconds: null })
    const ofWorkspace = await read()

    expect(made.json()).toMatchObject(cohort)
    expect(again).toEqual(first)
    expect(new Set(first).size).toBeGreaterThan(4)
    expect(first.every((seconds) => seconds >= 32_400 && seconds <= 39_600)).toBe(true)
    expect(new Set(exact)).toEqual(new Set([36_000]))
    expect(new Set(ofWorkspace)).toEqual(new Set([300]))
    expect((await client.patch(path, { pollingSeconds: 86_400 })).statusCode).toBe(400)
  })
})

describe('configData', () => {
  it.each`
    reports                                                                                       | expected         | because
    ${[{ serial: 'A' }, { serial: 'B' }, { serial: 'A' }]}                                        | ${'serial'}      | ${'hardware has one serial number'}
    ${[{ mac_address: 'A' }, { mac_address: 'B' }]}                                               | ${undefined}     | ${'a board was replaced once'}
    ${[{ state: 'A' }, { state: 'B' }, { state: 'A' }]}                                           | ${undefined}     | ${'states go to and fro'}
    ${[{ version: '1' }, { version: '2' }, { version: '1' }]}                                     | ${undefined}     | ${'it was rolled back'}
    ${[{ version: '1' }, { version: '2' }, { version: '1' }, { version: '2' }, { version: '1' }]} | ${'firmware gw'} | ${'nobody rolls back and forth so often'}
  `(
    'tells whether two devices report in turn: $expected, as $because',
    async ({ reports, expected }) => {
      const device = await givenDevice()

      for (const { version = '1', ...attributes } of reports as Record<string, string>[])
        await device.put('/configData', { data: { 'firmware.gw': version, ...attributes } })

      const shown = (await client.get(`/devices/${device.deviceId}`)).json<{
        alternation: { name: string } | null
      }>()
      expect(shown.alternation?.name).toBe(expected)
    },
  )

  const attributesOf = async (deviceId: string) => {
    const { attributes } = await test.ctx.db
      .selectFrom('devices')
      .select('attributes')
      .where('workspaceId', '=', client.workspaceId)
      .where('id', '=', deviceId)
      .executeTakeFirstOrThrow()
    return attributes
  }

  it('is asked for until it was sent, and merged, replaced and removed', async () => {
    const device = await givenDevice()

    const first = await device.put('/configData', { data: { VIN: 'JH4', hwRevision: '2' } })
    const { _links } = await device.poll()
    await device.put('/configData', { mode: 'merge', data: { hwRevision: '3', site: 'A' } })
    const merged = await attributesOf(device.deviceId)
    await device.put('/configData', { mode: 'remove', data: { VIN: '' } })
    const removed = await attributesOf(device.deviceId)
    await device.put('/configData', { mode: 'replace', data: { only: '1' } })
    const replaced = await attributesOf(device.deviceId)

    expect([first.statusCode, first.body]).toEqual([200, ''])
    expect(_links).toEqual({})
    expect(merged).toEqual({ VIN: 'JH4', hwRevision: '3', site: 'A' })
    expect(removed).toEqual({ hwRevision: '3', site: 'A' })
    expect(replaced).toEqual({ only: '1' })
  })

  it('takes the members old clients send besides', async () => {
    const device = await givenDevice()
    const body = {
      id: '',
      time: '20140511T121314',
      status: { result: { finished: 'success' }, execution: 'closed', details: [''] },
      data: { board: 'qemu' },
    }

    expect((await device.put('/configData', body)).statusCode).toBe(200)
    expect(await attributesOf(device.deviceId)).toEqual({ board: 'qemu' })
  })

  it('tells what runs, by firmware', async () => {
    const device = await givenDevice()
    const { slug, firmwareVersionId } = await givenVersionWithArtifact(test, client)

    await device.put('/configData', {
      data: { [`firmware.${slug}`]: '2.0.0', 'firmware.radio': '7' },
    })

    expect(await runningOf(test, client.workspaceId, device.deviceId)).toEqual([
      { slug, version: '2.0.0', confirmed: true, firmwareVersionId },
      { slug: 'radio', version: '7', confirmed: true, firmwareVersionId: null },
    ])
  })

  it('means by version the firmware its deployment installs', async () => {
    const versions = [await givenVersionWithArtifact(test, client)]
    const { ddi } = await givenOfferedUpdate(test, client, versions)

    await ddi.put('/configData', { data: { version: '1.0.0' } })

    expect(await runningOf(test, client.workspaceId, ddi.deviceId)).toMatchObject([
      { slug: versions[0]?.slug, version: '1.0.0', firmwareVersionId: null },
    ])
  })

  it('shows the version of which nobody knows the firmware, until the client names it', async () => {
    const device = await givenDevice()
    const { slug } = await givenVersionWithArtifact(test, client)
    await givenVersionWithArtifact(test, client)
    const unnamed = async () =>
      (await client.get(`/devices/${device.deviceId}`)).json<Record<string, unknown>>()

    await device.put('/configData', { data: { version: '2.4.1' } })
    const before = await unnamed()
    await device.put('/configData', { data: { [`firmware.${slug}`]: '2.4.1' } })
    const after = await unnamed()

    expect(before).toMatchObject({
      firmware: [],
      unnamedVersion: { attribute: 'version', version: '2.4.1' },
    })
    expect(after).toMatchObject({ firmware: [{ slug, version: '2.4.1' }], unnamedVersion: null })
  })

  it.each([
    ['no object', '[1]', 400],
    ['no data', { mode: 'merge' }, 400],
    ['an unknown mode', { mode: 'mix', data: {} }, 400],
    ['an attribute that is not a text', { data: { a: { b: 1 } } }, 400],
    ['an attribute with U+0000', { data: { a: '\u0000' } }, 400],
    ['an attribute that is too long', { data: { a: 'x'.repeat(1_025) } }, 400],
    ['too many', { data: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, ''])) }, 400],
    ['no JSON', '{"data":', 400],
    ['deep JSON', `{"data":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 400],
    ['a large body', { data: { a: 'x'.repeat(70_000) } }, 413],
  ])('refuses %s', async (_, body, status) => {
    const device = await givenDevice()

    const response = await device.put('/configData', body)

    expect(response.statusCode).toBe(status)
    expect(response.headers['content-type']).toContain('application/problem+json')
  })
})

describe('deploymentBase', () => {
  it('describes the update as clients parse it', async () => {
    const version = await givenVersionWithArtifact(test, client)
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    const { _links } = await ddi.poll()

    const href = _links['deploymentBase']?.href ?? ''
    const response = await ddi.get(href)

    expect(href).toMatch(/\/deploymentBase\/1\?c=\d+$/)
    const file = `https://plimsoll.example${ddi.base}/softwaremodules/100/artifacts/image%20v2.swu`
    expect(response.json()).toEqual({
      id: '1',
      deployment: {
        download: 'forced',
        update: 'forced',
        chunks: [
          {
            part: 'bApp',
            version: '2.0.0',
            name: `Firmware ${version.slug}`,
            artifacts: [
              {
                filename: 'image v2.swu',
                hashes: {
                  sha1: hex('sha1', version.bytes),
                  md5: hex('md5', version.bytes),
                  sha256: hex('sha256', version.bytes),
                },
                size: version.bytes.length,
                _links: {
                  download: { href: file },
                  'download-http': { href: file },
                  md5sum: { href: `${file}.MD5SUM` },
                  'md5sum-http': { href: `${file}.MD5SUM` },
                },
              },
            ],
          },
        ],
      },
    })
  })

  it('has a chunk for each artifact, in their order', async () => {
    const versions = [
      await givenVersionWithArtifact(test, client),
      await givenVersionWithArtifact(test, client, { fileName: 'radio.bin' }),
    ]
    const { ddi } = await givenOfferedUpdate(test, client, versions)

    const response = await ddi.get('/deploymentBase/1')

    const { deployment } = response.json<{
      deployment: { chunks: { artifacts: { filename: string }[] }[] }
    }>()
    expect(deployment.chunks.map((chunk) => chunk.artifacts[0]?.filename)).toEqual([
      'image v2.swu',
      'radio.bin',
    ])
  })

  it.each(['0', '-1', '2', '99999999999', '4294967297', 'x'])('has no action %s', async (id) => {
    const { ddi } = await givenOfferedUpdate(test, client, [
      await givenVersionWithArtifact(test, client),
    ])

    expect((await ddi.get(`/deploymentBase/${id}`)).statusCode).toBe(404)
  })

  it('shows the history it is asked for', async () => {
    const { ddi } = await givenOfferedUpdate(test, client, [
      await givenVersionWithArtifact(test, client),
    ])

    const response = await ddi.get('/deploymentBase/1?actionHistory=-1')

    expect(response.json()).toMatchObject({ actionHistory: { status: 'RUNNING', messages: [] } })
  })
})

describe('softwaremodules', () => {
  it('lists and serves the file, whole and in ranges, and its checksum', async () => {
    const version = await givenVersionWithArtifact(test, client)
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    const file = '/softwaremodules/100/artifacts/image%20v2.swu'

    const list = await ddi.get('/softwaremodules/100/artifacts')
    const whole = await ddi.get(file)
    const part = await ddi.get(file, { range: 'bytes=10-19' })
    const beyond = await ddi.get(file, { range: 'bytes=999999-' })
    const other = await ddi.get(file, { range: 'bytes=10-19', 'if-range': '"other"' })
    const checksum = await ddi.get(`${file}.MD5SUM`)

    expect(list.json()).toMatchObject([{ filename: 'image v2.swu', size: version.bytes.length }])
    expect(whole.rawPayload.equals(version.bytes)).toBe(true)
    expect(whole.headers['content-length']).toBe(String(version.bytes.length))
    expect([part.statusCode, part.rawPayload]).toEqual([206, version.bytes.subarray(10, 20)])
    expect([beyond.statusCode, other.statusCode]).toEqual([416, 200])
    expect(checksum.body).toBe(`${hex('md5', version.bytes)}  image v2.swu`)
  })

  it('tells how long a file is without sending it', async () => {
    const version = await givenVersionWithArtifact(test, client)
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    const file = '/softwaremodules/100/artifacts/image%20v2.swu'

    const told = await ddi.head(file)
    const checksum = await ddi.head(`${file}.MD5SUM`)

    expect([told.statusCode, told.body]).toEqual([200, ''])
    expect(told.headers['content-length']).toBe(String(version.bytes.length))
    expect([checksum.statusCode, checksum.body]).toEqual([200, ''])
    expect(checksum.headers['content-length']).toBe(String('image v2.swu'.length + 34))
  })

  it('serves several ranges in one answer', async () => {
    const version = await givenVersionWithArtifact(test, client)
    const { ddi } = await givenOfferedUpdate(test, client, [version])

    const { statusCode, headers, rawPayload } = await ddi.get(
      '/softwaremodules/100/artifacts/image%20v2.swu',
      { range: 'bytes=0-0,5-9' },
    )

    expect(statusCode).toBe(206)
    const parts = readByteRanges(headers['content-type'], rawPayload)
    expect(parts.map(({ bytes }) => bytes)).toEqual([
      version.bytes.subarray(0, 1),
      version.bytes.subarray(5, 10),
    ])
  })

  it('counts downloads by bytes and not among the requests', async () => {
    const strict = await startTestApp({ deviceRequestsPerMinute: 1 }, test.connectionString)
    const version = await givenVersionWithArtifact(strict, client)
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    const device = ddiClient(strict, { ...client, ...ddi })
    const range = 'bytes=0-0,5-9'

    const answers: number[] = []
    for (let request = 0; request < 100; request += 1) {
      const file = '/softwaremodules/100/artifacts/image%20v2.swu'
      answers.push((await device.get(file, { range })).statusCode)
    }

    expect(new Set(answers)).toEqual(new Set([206]))
    expect((await device.get('')).statusCode).toBe(200)
  })

  it("serves no other device's files", async () => {
    const version = await givenVersionWithArtifact(test, client)
    const { ddi } = await givenOfferedUpdate(test, client, [version])
    const other = await givenDevice()
    const file = '/softwaremodules/100/artifacts/image%20v2.swu'

    const foreign = await other.get(file)
    const misnamed = await ddi.get('/softwaremodules/100/artifacts/image')
    const beyond = await ddi.get('/softwaremodules/101/artifacts/image%20v2.swu')

    const answers = [foreign, misnamed, beyond]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404])
  })
})
