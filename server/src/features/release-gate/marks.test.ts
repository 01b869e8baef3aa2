/** Marks say what the release gate does, whatever a workspace asks of it. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  cpeOf,
  givenDecision,
  givenProduct,
  givenVersion,
  refreshKept,
} from '../../../test/given-findings.ts'
import { toggleExploited } from '../../../test/given-knowledge.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import { SEVERITIES } from '../../formats/advisories/model.ts'
import { classify } from '../../formats/ssvc/classes.ts'
import { listMarks, readMark } from '../firmware/index.ts'
import { assessGate } from './service.ts'
import { keepUrgency } from './urgency-service.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => new Date('2026-11-29T12:00:00Z')
  await test.ctx.db
    .insertInto('vulnerabilitySources')
    .values({ source: 'nvd', lastSuccessAt: new Date() })
    .execute()
})

const CLASSES = [
  0,
  classify({ exploitation: 'A', automatable: 'Y', technicalImpact: 'T' }),
  classify({ exploitation: 'N', automatable: 'N', technicalImpact: 'P' }),
]

const Decision = fc.constantFrom(
  {},
  { assessment: 'Exploitable' as const },
  { assessment: 'NotAffected' as const },
  { assessment: 'NotAffected' as const, ignored: true },
  { ignored: true },
  { ignored: false },
)

const Finding = fc.record({
  severity: fc.constantFrom(...SEVERITIES),
  ssvcClass: fc.constantFrom(...CLASSES),
  isExploited: fc.boolean(),
  decision: Decision,
  /** What is decided once urgent findings were counted. */
  laterDecision: Decision,
})

const Component = fc.record({
  licenses: fc.constantFrom(
    ['MIT'],
    ['MIT'],
    ['AGPL-3.0-only'],
    ['AGPL-3.0-only OR MIT'],
    ['?'],
    [],
  ),
  /** null: nothing is said of its support. Else until when; `none`: no end is planned. */
  statedEnd: fc.constantFrom('none', 'none', '2026-11-29', '2026-11-30', '2030-01-01', null),
  listedEnd: fc.constantFrom('2026-11-29', '2030-01-01', 'ended', 'none', 'unclear', null),
})

const Version = fc.record({
  findings: fc.array(Finding, { maxLength: 2 }),
  components: fc.array(Component, { minLength: 1, maxLength: 3 }),
  supportEndsOn: fc.constantFrom(null, '2028-01-01'),
})

const OUTCOMES = ['denied', 'unknown', 'notListed'] as const
const Rules = fc.record({
  settings: fc.record({
    gateForbidsExploitedAcceptances: fc.boolean(),
    gateSupport: fc.constantFrom('NotAsked', 'NotEnded', 'UntilPromise'),
  }),
  gateFrom: fc.constantFrom(null, null, 'Act', 'Attend'),
  licences: fc.option(
    fc.record({
      allow: fc.constantFrom([], ['MIT']),
      deny: fc.constant(['AGPL-3.0-only']),
      review: fc.constant([]),
      failOn: fc.subarray([...OUTCOMES]),
    }),
  ),
})

type Given<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never

async function givenFindings(findings: Given<typeof Finding>[]) {
  const { product, cpes, cveIds } = await givenProduct(
    test.ctx,
    findings.map(({ severity }) => severity),
  )
  for (const [index, { ssvcClass, isExploited }] of findings.entries()) {
    const id = cveIds[index] ?? ''
    await sql`update vulnerabilities set ssvc_class = ${ssvcClass} where id = ${id}`.execute(
      test.ctx.db,
    )
    if (isExploited) await toggleExploited(test.ctx.db, id)
  }
  await sql`update vulnerability_sources set score_revision = score_revision + 1`.execute(
    test.ctx.db,
  )
  return { component: { packageName: product, version: '1.0', cpes }, cveIds }
}

const UNDATED = new Map<string, readonly [endsOn: string | null, hasEnded: boolean | null]>([
  ['ended', [null, true]],
  ['none', [null, false]],
  ['unclear', [null, null]],
])

/** The cycle of a package by itself, as the source lists it. */
async function listEnd(packageName: string, end: string) {
  const [endsOn, hasEnded] = UNDATED.get(end) ?? [end, null]
  await sql`
    insert into support_cycles (product, cycle, is_lts, ends_on, has_ended)
    values (${packageName}, '1', false, ${endsOn}::date, ${hasEnded}::boolean)`.execute(test.ctx.db)
  await sql`
    insert into support_products (name, label, identifiers, cycles, first_seen_at, changed_at)
    values (${packageName}, 'Product', '[]', '[]', now(), now())`.execute(test.ctx.db)
  await sql`
    insert into package_support (package_id, product, cycle, key, version)
    select package_id, ${packageName}, '1', 'name', '1' from sbom_components
    where package_name = ${packageName} and package_id is not null`.execute(test.ctx.db)
}

/** A component that is judged, and has no finding. */
async function givenPart() {
  const { product } = await givenProduct(test.ctx, ['Low'])
  return { packageName: product, version: '3.0', cpes: [cpeOf(product, '3.0')] }
}

async function givenRuledVersion(client: Client, given: Given<typeof Version>) {
  const { component, cveIds } = await givenFindings(given.findings)
  const others: (Given<typeof Component> & Awaited<ReturnType<typeof givenPart>>)[] = []
  for (const one of given.components) others.push({ ...one, ...(await givenPart()) })
  const version = await givenVersion(test.ctx, client.workspaceId, [
    ...(given.findings.length > 0 ? [{ ...component, licenses: ['MIT'] }] : []),
    ...others,
  ])
  const id = version.firmwareVersionId
  await client.post('/support-statements', { name: component.packageName, endsOn: null })
  for (const { packageName: name, statedEnd, listedEnd } of others) {
    if (listedEnd !== null) await listEnd(name, listedEnd)
    const endsOn = statedEnd === 'none' ? null : statedEnd
    if (statedEnd !== null) await client.post('/support-statements', { name, endsOn })
  }
  const decide = async (when: 'decision' | 'laterDecision') => {
    for (const [index, one] of given.findings.entries())
      if (Object.keys(one[when]).length > 0)
        await givenDecision(test.ctx, version, {
          vulnerabilityId: cveIds[index] ?? '',
          ...one[when],
        })
  }
  await decide('decision')
  const read = await client.get(`/firmware-versions/${id}`)
  const { supportEndsOn } = given
  const firmwareId = read.json<{ firmware: { id: string } }>().firmware.id
  await client.patch(`/firmwares/${firmwareId}`, { supportEndsOn })
  return { id, decideLater: () => decide('laterDecision') }
}

async function setRules(client: Client, rules: Given<typeof Rules>): Promise<void> {
  const answers = [
    await client.patch('/settings', { ...rules.settings, releaseGate: 'Block' }),
    await client.patch('/ssvc', { gateFrom: rules.gateFrom }),
    await client.put('/licence-rules', { rules: rules.licences }),
  ]
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
}

it('shows a version as overloaded exactly where the gate stops it, and never as clear what the gate does not know', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Version, { minLength: 1, maxLength: 3 }),
      Rules,
      async (versions, rules) => {
        const client = await givenClient(test)
        const { workspaceId } = client
        const given: Awaited<ReturnType<typeof givenRuledVersion>>[] = []
        for (const version of versions) given.push(await givenRuledVersion(client, version))
        const ids = given.map(({ id }) => id)
        await setRules(client, rules)
        await refreshKept(test.ctx, { workspaceId })
        await keepUrgency(test.ctx)
        for (const { decideLater } of given) await decideLater()

        const marks = await listMarks(test.ctx, workspaceId, ids)

        for (const id of ids) {
          const gate = await assessGate(test.ctx, { workspaceId, firmwareVersionIds: [id] })
          const { reasons: _reasons, ...mark } = await readMark(test.ctx, workspaceId, id)
          expect(marks.get(id)).toEqual(mark)
          expect([mark.sentence, mark.state === 'Overloaded']).toEqual([
            mark.sentence,
            gate.blocked,
          ])
          const isKnown = gate.support === undefined || gate.support.verdict === 'Passes'
          if (!isKnown) expect(mark.state).not.toBe('Clear')
        }
      },
    ),
    { numRuns: propertyRuns(25) },
  )
})

const FINE: Given<typeof Version> = {
  findings: [],
  components: [{ licenses: ['MIT'], statedEnd: '2030-01-01', listedEnd: null }],
  supportEndsOn: '2028-01-01',
}
const STRICT: Given<typeof Rules> = {
  settings: { gateForbidsExploitedAcceptances: true, gateSupport: 'UntilPromise' },
  gateFrom: 'Act',
  licences: { allow: [], deny: ['AGPL-3.0-only'], review: [], failOn: ['denied'] },
}
const [, ACTIVE = 0, QUIET = 0] = CLASSES
const finding = {
  severity: 'Low' as const,
  ssvcClass: QUIET,
  isExploited: false,
  decision: {},
  laterDecision: {},
}
const part = { licenses: ['MIT'], statedEnd: 'none', listedEnd: null }

it.each`
  version                                                                                                     | rules                 | sentence
  ${{}}                                                                                                       | ${{}}                 | ${'Clear: nothing undecided of High or above'}
  ${{ components: [{ ...part, licenses: ['AGPL-3.0-only'] }] }}                                               | ${{}}                 | ${'Overloaded: 1 component whose licence may not ship'}
  ${{ components: [{ ...part, licenses: ['AGPL-3.0-only'] }] }}                                               | ${{ licences: null }} | ${'Clear: nothing undecided of High or above'}
  ${{ components: [{ ...part, licenses: [] }] }}                                                              | ${{}}                 | ${'Unknown: the licence of 1 component is not known'}
  ${{ components: [{ ...part, statedEnd: '2026-11-29' }, { ...part, statedEnd: null, listedEnd: 'ended' }] }} | ${{}}                 | ${'Overloaded: 2 components out of support'}
  ${{ components: [{ ...part, statedEnd: '2027-12-31' }] }}                                                   | ${{}}                 | ${'Overloaded: 1 component whose support ends before the promised day'}
  ${{ components: [{ ...part, statedEnd: null, listedEnd: 'unclear' }] }}                                     | ${{}}                 | ${'Unknown: until when some components get fixes is not known'}
  ${{ components: [{ ...part, statedEnd: null }] }}                                                           | ${{}}                 | ${'Unknown: until when some components get fixes is not known'}
  ${{ supportEndsOn: null }}                                                                                  | ${{}}                 | ${'Unknown: until when it is supported was not promised'}
  ${{ findings: [{ ...finding, ssvcClass: ACTIVE }] }}                                                        | ${{}}                 | ${'Overloaded: 1 as urgent as Act by SSVC'}
  ${{ findings: [finding] }}                                                                                  | ${{}}                 | ${'Clear: nothing undecided of High or above'}
  ${{ findings: [{ ...finding, ssvcClass: 0 }] }}                                                             | ${{}}                 | ${'Overloaded: 1 as urgent as Act by SSVC'}
  ${{ findings: [{ ...finding, isExploited: true, decision: { ignored: true } }] }}                           | ${{ gateFrom: null }} | ${'Overloaded: 1 known exploited (1 accepted)'}
  ${{ findings: [{ ...finding, severity: 'High' }], components: [{ ...part, statedEnd: null }] }}             | ${{}}                 | ${'To decide: 1 High without a decision'}
`(
  'says "$sentence" in every answer, of $version by $rules',
  async ({ version, rules, sentence }: { version: object; rules: object; sentence: string }) => {
    const client = await givenClient(test)
    const { id } = await givenRuledVersion(client, { ...FINE, ...version })
    await setRules(client, { ...STRICT, ...rules })
    await refreshKept(test.ctx, client)

    const shown = await client.get(`/firmware-versions/${id}`)
    const { firmware, mark } = shown.json<{
      firmware: { id: string }
      mark: { sentence: string }
    }>()
    const lists = [
      await client.get(`/firmwares/${firmware.id}/versions`),
      await client.get('/firmware-overview'),
      await client.get('/overview'),
    ]

    expect(mark.sentence).toBe(sentence)
    for (const { body } of lists) expect(body).toContain(JSON.stringify(sentence))
    const vulnerable = await client.get('/vulnerable-firmware-versions')
    for (const one of vulnerable.json<{ mark: { sentence: string } }[]>())
      expect(one.mark.sentence).toBe(sentence)
  },
)

it('says that urgent findings are still being counted where they are too many to count at once, and counts them then', async () => {
  const client = await givenClient(test)
  const { workspaceId } = client
  const ids: string[] = []
  for (let count = 0; count < 2; count += 1)
    ids.push((await givenRuledVersion(client, { ...FINE, findings: [finding] })).id)
  await setRules(client, STRICT)
  await refreshKept(test.ctx, client)
  await sql`
    update firmware_version_counters set low = 30000 where workspace_id = ${workspaceId}`.execute(
    test.ctx.db,
  )
  const listSentences = async () => {
    const marks = await listMarks(test.ctx, workspaceId, ids)
    return [...marks.values()].map(({ sentence }) => sentence).toSorted()
  }
  const clear = 'Clear: nothing undecided of High or above'
  const counting = 'Unknown: findings as urgent as Act by SSVC are still being counted'

  const before = await listSentences()
  await keepUrgency(test.ctx)

  expect([before, await listSentences()]).toEqual([
    [clear, counting],
    [clear, clear],
  ])
})
