/** Writes what the sources said on a day of the story as files that the importer reads. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importFeeds, type StagingSession } from '../../features/advisories/index.ts'
import { parseSeverityWord } from '../../formats/advisories/severity.ts'
import { DAY_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { type AdvisoryFact, ADVISORIES } from '../data/advisories.ts'
import { writeSupportList } from './upkeep.ts'

/** The day on which the service can match it. */
const heardOn = ({ published, rangeKnown }: AdvisoryFact): string => rangeKnown ?? published

const APART_DAYS = 3

/** The days on which the sources are asked: each time takes a while, so news of a few days is fetched together. */
export function listNewsDays(): string[] {
  const days = ADVISORIES.flatMap((fact) => [heardOn(fact), fact.exploited?.added ?? heardOn(fact)])
  const groups: { first: string; last: string }[] = []
  for (const day of [...new Set(days)].toSorted()) {
    const group = groups.at(-1)
    if (group && daysBetween(group.first, day) <= APART_DAYS) group.last = day
    else groups.push({ first: day, last: day })
  }
  return groups.map(({ last }) => last)
}

const daysBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / DAY_MS

interface News {
  staging: StagingSession
  sinceDay: string
  day: string
  /** Sources without news answer, too, so that none of them is old. */
  isLast: boolean
}

/** Imports what the sources say by the end of the day and did not say on `sinceDay`. */
export async function importNews(
  ctx: AppContext,
  { staging, sinceDay, day, isLast }: News,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-demo-'))
  try {
    const isNew = (at: string) => at > sinceDay && at <= day
    const isSaid = ({ published, ssvc }: AdvisoryFact) =>
      isNew(published) || (ssvc !== undefined && isNew(ssvc.decided))
    const files = {
      'cvelist.jsonl': writeLines(
        ADVISORIES.filter((fact) => isLast || isSaid(fact)).map((fact) => cveRecord(fact, day)),
      ),
      'osv.jsonl': writeLines(
        ADVISORIES.filter(isOfCurl)
          .filter((fact) => isLast || isSaid(fact))
          .map(osvRecord),
      ),
      ...((isLast || ADVISORIES.some(({ rangeKnown = '' }) => isNew(rangeKnown))) && {
        'nvd.json': JSON.stringify(nvdPage(day)),
      }),
      ...((isLast || ADVISORIES.some(({ exploited }) => exploited && isNew(exploited.added))) && {
        'kev.json': JSON.stringify(exploitedUntil(day)),
      }),
      ...((isLast || sinceDay === '') && {
        'endoflife.json': JSON.stringify(writeSupportList(day)),
      }),
      ...((isLast || ADVISORIES.some((fact) => fact.epss && isSaid(fact))) && {
        'epss.csv': scoresUntil(day),
      }),
    }
    for (const [name, text] of Object.entries(files))
      if (text !== '') await writeFile(join(folder, name), text)
    await importFeeds(ctx, { path: folder, staging, onProgress: () => undefined })
  } finally {
    await rm(folder, { recursive: true })
  }
}

const writeLines = (records: readonly object[]) =>
  records.map((one) => JSON.stringify(one)).join('\n')

/** CVE JSON 5.1, as far as the importer reads it, on a day. A record whose range NVD found has none. */
function cveRecord(fact: AdvisoryFact, day: string) {
  const [, vendor = '', product = ''] = fact.cpe.split(':')
  const published = `${fact.published}T12:00:00.000Z`
  const decided = fact.ssvc && fact.ssvc.decided <= day ? fact.ssvc : undefined
  const provider = { shortName: vendor, dateUpdated: published }
  return {
    dataType: 'CVE_RECORD',
    dataVersion: '5.1',
    cveMetadata: {
      cveId: fact.id,
      state: 'PUBLISHED',
      datePublished: published,
      dateUpdated: decided ? `${decided.decided}T20:00:00.000Z` : published,
    },
    containers: {
      cna: {
        providerMetadata: provider,
        title: fact.title,
        descriptions: [{ lang: 'en', value: `${fact.title}. The source tells more.` }],
        ...(fact.rangeKnown === undefined
          ? {
              affected: [
                { vendor, product, defaultStatus: 'unaffected', versions: listVersions(fact) },
              ],
              cpeApplicability: [{ nodes: [createNode(fact)] }],
            }
          : { affected: [NOT_STATED] }),
        metrics: createMetrics(fact),
        problemTypes: [
          { descriptions: [{ lang: 'en', type: 'CWE', cweId: fact.cwe, description: fact.cwe }] },
        ],
        references: [{ url: fact.source }],
      },
      ...(decided && { adp: [createDecision(fact.id, decided)] }),
    },
  }
}

/** As CISA's Vulnrichment adds it to the record. */
const createDecision = (id: string, ssvc: NonNullable<AdvisoryFact['ssvc']>) => ({
  title: 'CISA ADP Vulnrichment',
  providerMetadata: { shortName: 'CISA-ADP', dateUpdated: `${ssvc.decided}T20:00:00.000Z` },
  metrics: [
    {
      other: {
        type: 'ssvc',
        content: {
          id,
          role: 'CISA Coordinator',
          options: [
            { Exploitation: ssvc.exploitation },
            { Automatable: ssvc.automatable },
            { 'Technical Impact': ssvc.technicalImpact },
          ],
          version: '2.0.3',
          timestamp: `${ssvc.decided}T20:00:00.000Z`,
        },
      },
    },
  ],
})

const NOT_STATED = {
  vendor: 'n/a',
  product: 'n/a',
  versions: [{ version: 'n/a', status: 'affected' }],
}

const createNode = (fact: AdvisoryFact) => ({
  operator: 'OR',
  negate: false,
  cpeMatch: listMatches(fact, `cpe:2.3:${fact.cpe}:*:*:*:*:*:*:*:*`),
})

/** A page of NVD's API 2.0 with what it had analysed by the day, of records that needed it. */
function nvdPage(day: string) {
  const vulnerabilities = ADVISORIES.flatMap((fact) => {
    const { rangeKnown = '9999', id, published, title } = fact
    if (rangeKnown > day) return []
    const times = {
      published: `${published}T12:00:00.000`,
      lastModified: `${rangeKnown}T12:00:00.000`,
    }
    const descriptions = [{ lang: 'en', value: title }]
    const configurations = [{ nodes: [createNode(fact)] }]
    return { cve: { id, ...times, vulnStatus: 'Analyzed', descriptions, configurations } }
  })
  const { length } = vulnerabilities
  const counts = { resultsPerPage: length, startIndex: 0, totalResults: length }
  return {
    ...counts,
    format: 'NVD_CVE',
    version: '2.0',
    timestamp: `${day}T12:00:00.000`,
    vulnerabilities,
  }
}

const isOfCurl = ({ cpe }: AdvisoryFact) => cpe.endsWith(':haxx:curl')

/** curl publishes records in the form of OSV, too. They name no package. */
function osvRecord(fact: AdvisoryFact) {
  const published = `${fact.published}T12:00:00Z`
  const events = listStretches(fact).flatMap(({ from, end, isEndPart }) => [
    { introduced: from === '*' ? '0' : from },
    { [isEndPart ? 'last_affected' : 'fixed']: end },
  ])
  return {
    schema_version: '1.5.0',
    id: `CURL-${fact.id}`,
    aliases: [fact.id],
    published,
    modified: published,
    summary: fact.title,
    affected: [{ ranges: [{ type: 'SEMVER', events }] }],
  }
}

interface Stretch {
  from: string
  end: string
  isEndPart: boolean
}

function listStretches({ affected }: AdvisoryFact): Stretch[] {
  return affected.split(', ').map((text) => {
    const [from = '*', end = ''] = text.split(' ')
    return { from, end: end.slice(1), isEndPart: end.startsWith('=') }
  })
}

function listVersions(fact: AdvisoryFact) {
  return listStretches(fact).map(({ from, end, isEndPart }) => ({
    version: from === '*' ? '0' : from,
    [isEndPart ? 'lessThanOrEqual' : 'lessThan']: end,
    status: 'affected',
    versionType: 'custom',
  }))
}

function listMatches(fact: AdvisoryFact, criteria: string) {
  return listStretches(fact).map(({ from, end, isEndPart }) => ({
    vulnerable: true,
    criteria,
    ...(from !== '*' && { versionStartIncluding: from }),
    [isEndPart ? 'versionEndIncluding' : 'versionEndExcluding']: end,
  }))
}

function createMetrics({ severity }: AdvisoryFact) {
  if (severity === undefined) return []
  if (parseSeverityWord(severity) !== undefined)
    return [{ format: 'other', other: { type: 'publisher', content: { text: severity } } }]
  const version = severity.slice('CVSS:'.length, 'CVSS:3.1'.length)
  return [{ [version === '4.0' ? 'cvssV4_0' : 'cvssV3_1']: { version, vectorString: severity } }]
}

/** CISA's catalogue as it was on the day: it always holds all entries. */
function exploitedUntil(day: string) {
  const vulnerabilities = ADVISORIES.flatMap(({ id, cpe, cwe, title, exploited }) => {
    if (!exploited || exploited.added > day) return []
    const [, vendorProject, product] = cpe.split(':')
    return {
      cveID: id,
      vendorProject,
      product,
      vulnerabilityName: exploited.name,
      dateAdded: exploited.added,
      shortDescription: title,
      requiredAction: "Apply the vendor's update or stop using the product.",
      dueDate: exploited.due,
      knownRansomwareCampaignUse: 'Unknown',
      notes: '',
      cwes: [cwe],
    }
  })
  return {
    title: 'CISA Catalog of Known Exploited Vulnerabilities',
    catalogVersion: day.replaceAll('-', '.'),
    dateReleased: `${day}T00:00:00.0000Z`,
    count: vulnerabilities.length,
    vulnerabilities,
  }
}

function scoresUntil(day: string): string {
  const rows = ADVISORIES.flatMap(({ id, epss, ...fact }) =>
    epss && heardOn({ id, ...fact }) <= day ? [`${id},${epss[0]},${epss[1]}`] : [],
  )
  return [
    '#model_version:v2025.03.14,score_date:2026-08-16T00:00:00Z',
    'cve,epss,percentile',
    ...rows,
    '',
  ].join('\n')
}
