/** The labelled corpus (docs/design/corpus.md). `npm run corpus` runs it and prints what came out. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../app.ts'
import { describeWithSharedData } from '../shared-data.ts'
import { type Changes, changesOf, writeAccepted } from './image-accepted.ts'
import { readImageLabels } from './image-labels.ts'
import { imageReportOf, imageTextsOf, type JudgedLabel, shortfallsOf } from './image-outcome.ts'
import { tellerOf } from './image-records.ts'
import { componentOf, readLabels, type Label } from './labels.ts'
import { type KnownGap, outcomeOf, reportOf, type Outcome } from './outcome.ts'
import { isCovered, type RealRecords, recordsOf } from './real-records.ts'
import { importRecords, matchCorpus, matchImages, type Matches } from './run.ts'

type Run = 'records' | 'shared'

const ACCEPTED = join(import.meta.dirname, 'accepted.json')
/** Only so that a machine with much to do is not taken for one that hangs. */
const PATIENCE = 300_000
const isAccepting = process.env['PLIMSOLL_CORPUS_ACCEPT'] === '1'
const isReporting = process.env['PLIMSOLL_CORPUS_REPORT'] === '1'
const odds = process.env['PLIMSOLL_CORPUS_ODDS'] ?? ''
const labels = readLabels()
const gaps = readJson('known-gaps.json') as Partial<Record<Run, KnownGap[]>>

it('has one label for each component and vulnerability, each with its source', () => {
  const pairs = labels.map(({ cve, component }) => `${cve} ${component}`)

  expect(new Set(pairs).size).toBe(pairs.length)
  expect(labels.length).toBeGreaterThanOrEqual(300)
  for (const { cve, component, source, fact, because } of labels) {
    expect(cve).toMatch(/^CVE-\d{4}-\d{4,}$/)
    expect(componentOf(component).packageName).not.toBe('unnamed')
    expect(source).toMatch(/^https:\/\//)
    expect([fact, because]).not.toContain('')
  }
})

it('gives no reason for gaps that no label has', () => {
  const pairs = new Set(labels.map(({ cve, component }) => `${cve} ${component}`))

  const stray = Object.values(gaps)
    .flat()
    .filter(({ cve, component }) => !pairs.has(`${cve} ${component}`))

  expect(stray).toEqual([])
})

it(
  'loses no true match against its own records',
  async () => {
    const test = await startTestApp()
    await importRecords(test, join(import.meta.dirname, 'records'))
    await test.startWorker()

    const outcome = await runOf('records', labels, test)

    expect(textsOf(outcome.lost)).toEqual([])
    expect(textsOf(outcome.unexplained)).toEqual([])
  },
  PATIENCE,
)

describeWithSharedData('against the published records, the corpus', (folder) => {
  const images = readImageLabels(folder)
  let test: TestApp
  let records: RealRecords

  beforeAll(async () => {
    const wanted = [...labels.map(({ cve }) => cve), ...images.map((label) => label.vulnerability)]
    records = recordsOf(folder, new Set(wanted))
    test = await startTestApp()
    await importRecords(test, records.feeds)
    await test.startWorker()
  }, PATIENCE)

  it(
    'loses no true match',
    async () => {
      const { cveIds } = records

      const known = labels.filter(({ cve, component }) => cveIds.has(cve) && isCovered(component))
      const outcome = await runOf('shared', known, test)

      expect(textsOf(outcome.lost)).toEqual([])
      expect(textsOf(outcome.unexplained)).toEqual([])
    },
    PATIENCE,
  )

  it(
    'loses no true match of a labelled image, and finds nothing false anew',
    async () => {
      const confidenceOf = await matchImages(test, images)
      const teller = tellerOf(images, { feeds: records.feeds, sharedData: folder })

      const judged = images.map((label) => ({
        ...label,
        confidence: confidenceOf(label),
        teller: teller(label),
      }))
      const { lost, wrong } = changesOfImages(judged)

      expect(imageTextsOf(lost)).toEqual([])
      expect(imageTextsOf(wrong)).toEqual([])
      expect(shortfallsOf(judged)).toEqual([])
    },
    PATIENCE,
  )
})

async function runOf(run: Run, of: readonly Label[], test: TestApp): Promise<Outcome> {
  const matches = await matchCorpus(test, of)
  const accepted = readJson('accepted.json') as Partial<Record<Run, Matches>>
  const outcome = outcomeOf(of, matches, {
    accepted: accepted[run] ?? {},
    gaps: gaps[run] ?? [],
  })
  if (isReporting)
    process.stdout.write(
      `\n${reportOf(run === 'records' ? 'own records' : 'published records', outcome)}\n`,
    )
  if (!isAccepting) return outcome
  writeFileSync(ACCEPTED, `${JSON.stringify({ ...accepted, [run]: inOrder(matches) }, null, 2)}\n`)
  return { ...outcome, lost: [] }
}

function changesOfImages(judged: readonly JudgedLabel[]): Changes {
  const changes = changesOf(judged)
  if (isReporting) process.stdout.write(`\n${imageReportOf(judged, changes, odds)}\n`)
  if (!isAccepting) return changes
  writeAccepted(judged)
  return { ...changes, lost: [], wrong: [] }
}

function inOrder(matches: Matches): Matches {
  return Object.fromEntries(
    Object.entries(matches)
      .map(([cve, of]) => [cve, Object.fromEntries(Object.entries(of).toSorted(byName))] as const)
      .toSorted(byName),
  )
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function textsOf(of: readonly Label[]): string[] {
  return of.map(
    ({ cve, component, isAffected }) =>
      `${cve} ${isAffected ? 'affects' : 'does not affect'} ${component}`,
  )
}

/** An empty object where there is no such file yet. */
function readJson(name: string): unknown {
  const path = join(import.meta.dirname, name)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}
