/** Texts of drafts by what is known, without a service. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { propertyRuns } from '../../../../test/property-runs.ts'
import {
  DRAFT_STAGES,
  type DraftStage,
  LATEST_FIELD_SET,
} from '../../../formats/law/report-fields.ts'
import { type CaseFact, readStanding } from '../case-facts.ts'
import { listFieldValues } from './draft.ts'
import type { DraftFacts } from './draft-facts.ts'
import { renderFields, renderMarkdown, renderText } from './render.ts'
import { describeVersions } from './version-ranges.ts'

const NOW = new Date('2026-11-05T10:00:00Z')

let count = 0
const fact = (kind: CaseFact['kind'], more: Partial<CaseFact> = {}): CaseFact => ({
  id: `fact-${(count += 1)}`,
  kind,
  recordedAt: NOW,
  byType: 'User',
  byId: 'vera',
  byEmail: 'vera@acme.example',
  instant: null,
  isEstimate: false,
  text: null,
  detail: {},
  correctsId: null,
  ...more,
})

const LINE = {
  name: 'Gateway',
  manufacturer: 'Acme GmbH',
  memberStates: ['FR', 'DE'],
  productClass: 'ImportantI',
  category: null,
  supportEndsIn: '2031-12',
  timeZone: 'Europe/Berlin',
} as const

const facts = (more: Partial<DraftFacts> = {}, stated: readonly CaseFact[] = []): DraftFacts => ({
  now: NOW,
  type: 'Vulnerability',
  title: 'CVE-2026-31431 in busybox',
  cveId: 'CVE-2026-31431',
  signal: null,
  manufacturer: 'Acme GmbH',
  lines: [LINE],
  standing: readStanding(stated),
  versions: [
    { firmware: 'Gateway', lineId: null, version: '1.0.0', isAffected: false },
    { firmware: 'Gateway', lineId: null, version: '1.1.0', isAffected: true },
    { firmware: 'Gateway', lineId: null, version: '1.2.0', isAffected: true },
    { firmware: 'Gateway', lineId: null, version: '1.3.0', isAffected: true },
    { firmware: 'Gateway', lineId: null, version: '1.4.0', isAffected: false },
  ],
  components: [{ name: 'busybox', version: '1.36.0' }],
  deviceCount: 1_204,
  devicesByVersion: [{ version: 'Gateway 1.2.0', deviceCount: 1_204 }],
  deviceStates: [],
  record: {
    cveId: 'CVE-2026-31431',
    source: 'cvelist',
    description: 'A flaw in the shell.',
    severity: 'Critical',
    euvdId: 'EUVD-2026-9',
    cwes: [{ id: 'CWE-787', name: 'Out-of-bounds Write' }],
    cvssScores: [
      {
        version: '3.1',
        vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:U/C:H/I:L/A:N',
        baseScore: 9.1,
        baseSeverity: 'CRITICAL',
        source: 'nvd@nist.gov',
      },
    ],
    epssScore: 0.42,
    epssPercentile: 0.97,
    exploitedSources: [{ source: 'cisa', dateAdded: '2026-11-01' }],
  },
  rollOuts: [
    {
      name: 'Fix',
      cohort: 'Pilot',
      firmware: 'Gateway',
      version: '1.4.0',
      startedAt: new Date('2026-11-04T08:00:00Z'),
      endedAt: null,
      state: 'Running',
      succeeded: 40,
      failed: 2,
      total: 90,
    },
  ],
  decisions: [],
  ...more,
})

const read = (
  known: DraftFacts,
  stage: DraftStage = 'EarlyWarning',
  written: readonly CaseFact[] = [],
) =>
  new Map(listFieldValues(LATEST_FIELD_SET, known, { stage, written }).map((one) => [one.key, one]))

const AWARE = fact('Awareness', { instant: new Date('2026-11-02T21:40:00Z'), isEstimate: true })

it('fills an early warning in by line, findings, record, devices and roll-outs', () => {
  const fields = read(facts({}, [AWARE]))
  const text = (key: string) => fields.get(key)?.text

  expect(text('memberStates')).toBe('Germany (DE), France (FR)')
  expect(text('versions')).toBe('Gateway 1.1.0 to 1.3.0 (3 versions)')
  expect(text('component')).toBe('busybox 1.36.0')
  expect(text('productClass')).toBe('Important, class I')
  expect(text('supportEnded')).toBe('No, supported until 2031-12')
  expect(text('awareSince')).toBe(
    '2026-11-02 21:40 UTC (2026-11-02 22:40 Europe/Berlin) (estimated)',
  )
  expect(text('euvdId')).toBe('EUVD-2026-9')
  expect(text('severity')).toContain('CVSS 3.1: 9.1 (critical) by nvd@nist.gov')
  expect(text('severity')).toContain('EPSS: 42.0 %')
  expect(text('severity')).toContain('CISA since 2026-11-01')
  expect(text('impact')).toContain('1,204 devices report an affected version')
  expect(text('measuresTaken')).toContain(
    'Gateway 1.4.0 to Pilot since 2026-11-04 08:00 UTC: running; 40 of 90 devices updated, 2 failed.',
  )
  expect([...fields.values()].filter(({ isMissing }) => isMissing)).toEqual([])
  expect(read(facts(), 'Notification').get('attackVector')?.text).toBe(
    'Attack vector: network; attack complexity: low; privileges required: none; user interaction: required',
  )
})

it('calls neither an incident nor a vulnerability of no known component a component of the product', () => {
  const none = { components: [], versions: [], record: undefined, rollOuts: [] }
  const title = 'Signing key leaked'
  const incident = facts({ ...none, type: 'Incident', title, cveId: null })

  expect(read(incident).get('summary')?.text).toMatch(/^Signing key leaked; product: [^;]+ by \S/)
  expect(read(incident).get('summary')?.text).not.toContain('component')
  expect(read(facts(none)).get('summary')?.text).toMatch(/^CVE-\S+; product: /)
  expect(read(facts()).get('summary')?.text).toMatch(/ in busybox 1\.36\.0, a component of /)
})

it('says what is missing, and proposes nothing that nobody knows', () => {
  const unknown = facts({
    lines: [],
    manufacturer: '',
    versions: [],
    components: [],
    devicesByVersion: [],
    record: undefined,
    rollOuts: [],
  })
  const missing = [...read(unknown).values()].filter(({ isMissing }) => isMissing)

  expect(missing.map(({ key }) => key)).toEqual([
    'manufacturer',
    'memberStates',
    'product',
    'versions',
    'awareSince',
  ])
  expect(read(unknown).get('impact')).toMatchObject({ text: '', origin: 'Nothing' })
  expect(read(unknown, 'Notification').get('measuresTaken')).toMatchObject({
    isMissing: true,
    wantedBy: 'Law',
  })
})

it('takes no plan, and nothing cancelled, for a measure that is available', () => {
  const [running] = facts().rollOuts
  const rollOuts = (more: object) => (running ? [{ ...running, ...more }] : [])
  const planned = read(facts({ rollOuts: rollOuts({ startedAt: new Date('2026-11-09') }) }))
  const cancelled = read(facts({ rollOuts: rollOuts({ state: 'Cancelled' }) }))

  expect(planned.get('measureAvailableSince')?.text).toBe('')
  expect(planned.get('measureSoon')?.text).toBe('Yes')
  expect(cancelled.get('measuresTaken')?.text).toBe('')
  expect(read(facts()).get('measureAvailableSince')).toMatchObject({
    source: expect.stringContaining('nobody has confirmed it') as string,
  })
})

const submitted = (stage: DraftStage, fields: { key: string; text: string }[]) =>
  fact('Report', {
    instant: new Date('2026-11-03T09:00:00Z'),
    text: 'x',
    detail: { stage, fields, fieldSet: '1.3' },
  })

it('carries on what was submitted, and not what the CSIRT did not accept', () => {
  const report = submitted('EarlyWarning', [{ key: 'summary', text: 'As submitted' }])
  const invalid = fact('ReportInvalidated', { detail: { reportId: report.id } })

  expect(read(facts({}, [report]), 'Notification').get('summary')).toMatchObject({
    text: 'As submitted',
    origin: 'CarriedOn',
    source: 'early warning of 2026-11-03 09:00 UTC',
  })
  expect(read(facts({}, [report, invalid]), 'Notification').get('summary')).toMatchObject({
    origin: 'Proposed',
  })
  const optional = submitted('EarlyWarning', [{ key: 'impact', text: '3 devices' }])
  expect(read(facts({}, [optional]), 'Notification').get('impact')).toMatchObject({
    origin: 'Proposed',
    submittedText: '3 devices',
  })
})

const wrote = (key: string, stage: DraftStage, text: string | null) =>
  fact('Field', { text, detail: { field: key, stage, fieldSet: '1.3' } })

it.each`
  texts                                              | stage             | text         | origin        | because
  ${[['EarlyWarning', 'a']]}                         | ${'EarlyWarning'} | ${'a'}       | ${'Written'}  | ${'somebody wrote it'}
  ${[['EarlyWarning', 'a']]}                         | ${'Notification'} | ${'a'}       | ${'Written'}  | ${'it was written before'}
  ${[['Notification', 'b']]}                         | ${'EarlyWarning'} | ${undefined} | ${'Proposed'} | ${'it was written for a later report'}
  ${[['EarlyWarning', 'a'], ['Notification', 'b']]}  | ${'Notification'} | ${'b'}       | ${'Written'}  | ${'the later report has its own'}
  ${[['EarlyWarning', 'a'], ['EarlyWarning', null]]} | ${'EarlyWarning'} | ${undefined} | ${'Proposed'} | ${'it was taken back'}
  ${[['EarlyWarning', '']]}                          | ${'EarlyWarning'} | ${''}        | ${'Written'}  | ${'somebody emptied it'}
`(
  'has $origin text of $texts at $stage, as $because',
  ({
    texts,
    stage,
    text,
    origin,
  }: {
    texts: [DraftStage, string | null][]
    stage: DraftStage
    text: string | undefined
    origin: string
  }) => {
    const written = texts.map(([of, said]) => wrote('impact', of, said))
    const field = read(facts(), stage, written).get('impact')
    expect(field?.origin).toBe(origin)
    if (text !== undefined) expect(field?.text).toBe(text)
  },
)

it('counts as the platform does, and names what is too long', () => {
  const field = read(facts(), 'EarlyWarning', [
    wrote('title', 'EarlyWarning', '😀'.repeat(128)),
  ]).get('title')
  expect(field).toMatchObject({ characterCount: 256, most: 255, isTooLong: true })
})

const version = fc.record({
  firmware: fc.constantFrom('Gateway', 'A sensor with a long name', 'Hub'),
  lineId: fc.constantFrom(null, 'a', 'b'),
  version: fc.string({ minLength: 1, maxLength: 40 }),
  isAffected: fc.boolean(),
})

it('proposes no text that is longer than its field, however many versions there are', () => {
  fc.assert(
    fc.property(
      fc.array(version, { maxLength: 400 }),
      fc.string({ minLength: 1, maxLength: 255 }),
      fc.constantFrom(...DRAFT_STAGES),
      (versions, title, stage) => {
        const rollOuts = Array.from({ length: 100 }, () => facts().rollOuts).flat()
        const known = facts({ versions, title, rollOuts })
        for (const field of read(known, stage).values())
          expect([field.key, field.isTooLong]).toEqual([field.key, false])
      },
    ),
    { numRuns: propertyRuns(200, 20) },
  )
})

it('names each affected version or stands it between two, and never one that is not affected as an end', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), (affected) => {
      const versions = affected.map((isAffected, index) => ({
        firmware: 'Gateway',
        lineId: null,
        version: `v${index}`,
        isAffected,
      }))
      const text = describeVersions(versions, 255)
      const covered = new Set<number>()
      for (const [, from = '', , to] of text.matchAll(/v(\d+)( to v(\d+))?/g))
        for (let at = Number(from); at <= Number(to ?? from); at += 1) covered.add(at)
      expect([...covered].toSorted((a, b) => a - b)).toEqual(
        affected.flatMap((isAffected, index) => (isAffected ? [index] : [])),
      )
    }),
    { numRuns: propertyRuns(500, 100) },
  )
})

const rendered = (text: string) => ({
  stage: 'EarlyWarning' as const,
  article: '14(2)(a)',
  title: 'A *case* <b>',
  isDrill: true,
  fieldSet: '1.3',
  now: NOW,
  fields: [...read(facts(), 'EarlyWarning', [wrote('summary', 'EarlyWarning', text)]).values()],
})

it('exports texts as they are, marks a drill, and lets nothing in them become Markdown', () => {
  const text = '=1+1 <script>x</script>\n````\n# no heading ‮'
  expect(renderText(rendered(text))).toContain(
    `3 Summary [${text.length}/4000 characters]\n${text}`,
  )
  expect(renderText(rendered(text))).toContain('DRILL')
  const markdown = renderMarkdown(rendered(text))
  expect(markdown).toContain(`\`\`\`\`\`text\n${text}\n\`\`\`\`\``)
  expect(markdown).toContain(String.raw`A \*case\* \<b\>`)
})

it('says in an export where each text comes from that nobody wrote or confirmed', () => {
  const text = renderText(rendered('x'))
  expect(text).toContain('1 Type [proposed from: case]\n')
  expect(text).toContain('3 Summary [1/4000 characters]\nx')
  expect(text).toContain('nobody has confirmed it]\n')
  expect(renderMarkdown(rendered('x'))).toContain('## 1 Type (proposed from: case)')
})

it('keeps the order of the platform in what was submitted, and leaves empty fields out', () => {
  const fields = [
    { number: '2', label: 'Title', text: 'One' },
    { number: '3', label: 'Summary', text: '' },
    { number: '6', label: 'Product', text: 'Gateway' },
  ]
  expect(renderFields(fields)).toBe('2 Title\nOne\n\n6 Product\nGateway')
})
