/** Release lines through the API, and against a naive model. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenMatchedSbom, givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

interface Lines {
  lines: {
    id: string
    name: string
    patterns: string[]
    versionCount: number
    newest: { name: string } | null
  }[]
  withoutLine: { versionCount: number; newest: { name: string } | null }
}
interface Version {
  id: string
  name: string
  line: { id: string; name: string } | null
  isNewestOfLine: boolean
}

const TWO = { name: '2.x LTS', patterns: ['^2\\.'] }
const THREE = { name: '3.x', patterns: ['^3\\.'] }

async function givenFirmware(...names: string[]): Promise<string> {
  const created = await client.post('/firmwares', { slug: `fw-${crypto.randomUUID()}` })
  const { id } = created.json<{ id: string }>()
  for (const name of names) await addVersion(id, { name })
  return `/firmwares/${id}`
}

const addVersion = (firmwareId: string, body: object) =>
  client.post(`/firmwares/${firmwareId}/versions`, body)

const putLines = (firmware: string, ...lines: object[]) =>
  client.put(`${firmware}/lines`, { lines })

const readLines = async (firmware: string) => (await client.get(`${firmware}/lines`)).json<Lines>()

const listVersions = async (firmware: string) =>
  (await client.get(`${firmware}/versions`)).json<{ firmwareVersions: Version[] }>()
    .firmwareVersions

/** "2.5 (2.x LTS, newest)", newest first. */
const describeVersions = (versions: readonly Version[]) =>
  versions.map(
    ({ name, line, isNewestOfLine }) =>
      `${name} (${line?.name ?? 'no line'}${isNewestOfLine ? ', newest' : ''})`,
  )

describe('release lines', () => {
  it('change nothing where there are none', async () => {
    const firmware = await givenFirmware('2.4', '3.0', '2.5')

    expect(await readLines(firmware)).toMatchObject({
      lines: [],
      withoutLine: { versionCount: 3, newest: { name: '2.5' } },
    })
    expect(describeVersions(await listVersions(firmware))).toEqual([
      '2.5 (no line, newest)',
      '3.0 (no line)',
      '2.4 (no line)',
    ])
  })

  it('take the versions that their patterns match, now and later', async () => {
    const firmware = await givenFirmware('2.4', '3.0', 'beta')

    const put = await putLines(firmware, TWO, THREE)
    await addVersion(firmware.split('/')[2] ?? '', { name: '2.5' })

    expect(put.json()).toMatchObject({
      lines: [
        { name: '2.x LTS', versionCount: 1, newest: { name: '2.4' } },
        { name: '3.x', versionCount: 1, newest: { name: '3.0' } },
      ],
      withoutLine: { versionCount: 1, newest: { name: 'beta' } },
    })
    expect(describeVersions(await listVersions(firmware))).toEqual([
      '2.5 (2.x LTS, newest)',
      'beta (no line, newest)',
      '3.0 (3.x, newest)',
      '2.4 (2.x LTS)',
    ])
  })

  it('keep a version that is stated to belong to one, and follow a new name', async () => {
    const firmware = await givenFirmware('2.4')
    await putLines(firmware, TWO, { name: 'Acme' })
    const [, acme] = (await readLines(firmware)).lines
    const id = firmware.split('/')[2] ?? ''

    const stated = await addVersion(id, { name: '2.5', statedLineId: acme?.id })
    const renamed = await client.patch(
      `/firmware-versions/${(await listVersions(firmware))[1]?.id ?? ''}`,
      { name: 'old' },
    )
    const wrong = await addVersion(id, { name: '2.6', statedLineId: crypto.randomUUID() })

    expect(stated.json()).toMatchObject({ line: { name: 'Acme' }, isNewestOfLine: true })
    expect(renamed.json()).toMatchObject({ name: 'old', line: null })
    expect(wrong.json()).toMatchObject({ status: 400, errors: [{ pointer: '/statedLineId' }] })
  })

  it('are tried before they hold', async () => {
    const firmware = await givenFirmware('2.4', '3.0')
    const before = await readLines(firmware)

    const lines = [TWO, { name: 'All', patterns: ['.'] }]
    const preview = await client.post(`${firmware}/lines/preview`, { lines })

    expect(preview.json()).toMatchObject({
      versionCount: 2,
      movedCount: 2,
      matchedTwiceCount: 1,
      lines: [
        { name: '2.x LTS', versionCount: 1 },
        { name: 'All', versionCount: 1 },
      ],
      withoutLine: { versionCount: 0 },
      refusedLines: [],
      moved: [
        { firmwareVersion: { name: '3.0' }, from: null, to: 'All' },
        { firmwareVersion: { name: '2.4' }, from: null, to: '2.x LTS' },
      ],
    })
    expect(await readLines(firmware)).toEqual(before)
  })

  it('stay the same lines under another name, and go only when no version is stated to belong to them', async () => {
    const firmware = await givenFirmware()
    await putLines(firmware, TWO)
    const [line] = (await readLines(firmware)).lines
    await addVersion(firmware.split('/')[2] ?? '', { name: 'x', statedLineId: line?.id })

    const renamed = await putLines(firmware, { ...TWO, id: line?.id, name: 'LTS' })
    const gone = await putLines(firmware, THREE)
    const preview = await client.post(`${firmware}/lines/preview`, { lines: [] })

    expect(renamed.json()).toMatchObject({
      lines: [{ id: line?.id, name: 'LTS', versionCount: 1, statedCount: 1 }],
    })
    expect(gone.json()).toMatchObject({ status: 409, type: '/problems/release-line-stated' })
    expect(preview.json()).toMatchObject({ refusedLines: [{ name: 'LTS', statedCount: 1 }] })
    expect((await readLines(firmware)).lines).toMatchObject([{ name: 'LTS' }])
  })

  it.each`
    lines                                           | pointer
    ${[{ name: 'a', patterns: ['(a+)+{9}'] }]}      | ${'/lines/0/patterns/0'}
    ${[{ name: 'a' }, { name: 'A' }]}               | ${'/lines/1/name'}
    ${[{ name: ' ' }]}                              | ${'/lines/0/name'}
    ${[{ name: 'a', id: crypto.randomUUID() }]}     | ${'/lines/0/id'}
    ${[{ name: 'a', patterns: ['x'.repeat(101)] }]} | ${'/lines/0/patterns/0'}
    ${[{ name: 'a', supportEndsOn: 'never' }]}      | ${'/lines/0/supportEndsOn'}
  `('refuses $lines', async ({ lines, pointer }: { lines: object[]; pointer: string }) => {
    const firmware = await givenFirmware()

    const put = await putLines(firmware, ...lines)

    expect(put.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
  })

  it('promise support of their own', async () => {
    const { firmwareVersionId } = await givenVersion(test.ctx, client.workspaceId, [])
    const path = `/firmware-versions/${firmwareVersionId}`
    const { firmware, name } = (await client.get(path)).json<{
      firmware: { id: string }
      name: string
    }>()

    await putLines(`/firmwares/${firmware.id}`, {
      name: 'LTS',
      patterns: [name],
      supportEndsOn: '2031-12-31',
    })

    expect((await client.get(`${path}/support`)).json()).toMatchObject({
      supportEndsOn: '2031-12-31',
    })
  })

  it('are seen by no other workspace', async () => {
    const firmware = await givenFirmware('2.4')
    const stranger = await givenClient(test)

    expect((await stranger.get(`${firmware}/lines`)).statusCode).toBe(404)
    expect((await stranger.put(`${firmware}/lines`, { lines: [] })).statusCode).toBe(404)
  })
})

describe('decisions', () => {
  it('are carried over from the newest version of the line, and to the first of a line from any', async () => {
    const { cpes, cveIds } = await givenProduct(test.ctx, ['High'])
    const component = [{ packageName: 'tool', cpes }]
    const firmware = await givenFirmware()
    const id = firmware.split('/')[2] ?? ''
    await putLines(firmware, TWO, THREE)
    const add = async (name: string, detail?: string) => {
      const { id: firmwareVersionId } = (await addVersion(id, { name })).json<{ id: string }>()
      const version = { workspaceId: client.workspaceId, firmwareVersionId }
      await givenMatchedSbom(test.ctx, version, component)
      const list = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
      const found = (await client.post(list, {})).json<{
        findings: { id: string; cveId: string }[]
      }>()
      const finding = found.findings.find(({ cveId }) => cveIds.includes(cveId))
      const path = `/vulnerability-findings/${finding?.id ?? ''}`
      if (detail !== undefined)
        await client.post(`${path}/assessments`, { assessment: 'InTriage', detail })
      return (await client.get(path)).json<{ detail: string | null }>().detail
    }

    await add('2.0', 'of two')
    expect(await add('3.0')).toBe('of two')
    await add('3.1', 'of three')

    expect(await add('2.1')).toBe('of two')
    expect(await add('3.2')).toBe('of three')
  })
})

/** What a reader of the guide would work out by hand. */
function workOut(
  versions: readonly { name: string; stated: number | undefined; hasSbom: boolean }[],
  patterns: readonly string[],
) {
  const lines = versions.map(({ name, stated }) => {
    const found = patterns.findIndex((pattern) => new RegExp(pattern).test(name))
    return stated ?? (found === -1 ? undefined : found)
  })
  return versions.map((_version, place) => {
    const line = lines[place]
    const earlier = versions
      .map((_one, at) => at)
      .filter((at) => at < place && versions[at]?.hasSbom)
    return {
      line,
      isNewestOfLine: !lines.slice(place + 1).includes(line),
      predecessor: earlier.findLast((at) => lines[at] === line) ?? earlier.at(-1),
    }
  })
}

it('agrees with a naive model about lines, newest versions and predecessors', async () => {
  const PATTERNS = ['^1', '^2', '^[12]', 'a$', 'b', '.']
  const version = fc.record({
    name: fc.string({ unit: fc.constantFrom('1', '2', '3', 'a', 'b'), minLength: 1, maxLength: 4 }),
    stated: fc.option(fc.nat({ max: 2 }), { nil: undefined, freq: 4 }),
    hasSbom: fc.boolean(),
  })
  const versionsOf = fc.uniqueArray(version, {
    selector: ({ name }) => name,
    minLength: 1,
    maxLength: 8,
  })
  const patternsOf = fc.array(fc.constantFrom(...PATTERNS), { minLength: 3, maxLength: 3 })

  await fc.assert(
    fc.asyncProperty(versionsOf, patternsOf, patternsOf, async (versions, first, patterns) => {
      const firmware = await givenFirmware()
      const name = (place: number) => `line ${place}`
      await putLines(firmware, ...first.map((one, at) => ({ name: name(at), patterns: [one] })))
      const { lines } = await readLines(firmware)
      const ids: string[] = []
      for (const { name: called, stated, hasSbom } of versions) {
        const statedLineId = stated === undefined ? null : lines[stated]?.id
        const added = await addVersion(firmware.split('/')[2] ?? '', { name: called, statedLineId })
        const { id: firmwareVersionId } = added.json<{ id: string }>()
        ids.push(firmwareVersionId)
        const of = { workspaceId: client.workspaceId, firmwareVersionId }
        if (hasSbom) await givenMatchedSbom(test.ctx, of, [])
      }

      await putLines(firmware, ...patterns.map((one, at) => ({ name: name(at), patterns: [one] })))

      const listed = new Map((await listVersions(firmware)).map((one) => [one.id, one]))
      const seen = []
      for (const id of ids) {
        const diff = await client.get(`/firmware-versions/${id}/diff-counts`)
        const base = diff.json<{ base?: { id: string } }>().base?.id
        const { line, isNewestOfLine } = listed.get(id) ?? {}
        const at = line ? lines.findIndex((one) => one.id === line.id) : undefined
        const predecessor = base === undefined ? undefined : ids.indexOf(base)
        seen.push({ line: at, isNewestOfLine, predecessor })
      }
      expect(seen).toEqual(workOut(versions, patterns))
    }),
    { numRuns: propertyRuns(40, 8) },
  )
})
