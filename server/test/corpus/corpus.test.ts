/** The labelled corpus (docs/guide/corpus.md). `npm run corpus` runs it and prints what came out. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startTestApp } from '../app.ts'
import { describeWithSharedData } from '../shared-data.ts'
import { componentOf, readLabels, type Label } from './labels.ts'
import { type KnownGap, outcomeOf, reportOf, type Outcome } from './outcome.ts'
import { isCovered, recordsOf } from './real-records.ts'
import { matchCorpus, type Matches } from './run.ts'

type Run = 'records' | 'shared'

const ACCEPTED = join(import.meta.dirname, 'accepted.json')
/** Only so that a machine with much to do is not taken for one that hangs. */
const PATIENCE = 300_000
const isAccepting = process.env['PLIMSOLL_CORPUS_ACCEPT'] === '1'
const isReporting = process.env['PLIMSOLL_CORPUS_REPORT'] === '1'
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
    const feeds = join(import.meta.dirname, 'records')

    const outcome = await runOf('records', labels, feeds)

    expect(textsOf(outcome.lost)).toEqual([])
    expect(textsOf(outcome.unexplained)).toEqual([])
  },
  PATIENCE,
)

describeWithSharedData('against the published records, the corpus', (folder) => {
  it(
    'loses no true match',
    async () => {
      const { feeds, cveIds } = recordsOf(folder, new Set(labels.map(({ cve }) => cve)))

      const known = labels.filter(({ cve, component }) => cveIds.has(cve) && isCovered(component))
      const outcome = await runOf('shared', known, feeds)

      expect(textsOf(outcome.lost)).toEqual([])
      expect(textsOf(outcome.unexplained)).toEqual([])
    },
    PATIENCE,
  )
})

async function runOf(run: Run, of: readonly Label[], feeds: string): Promise<Outcome> {
  const test = await startTestApp()
  await test.startWorker()
  const matches = await matchCorpus(test, { labels: of, feeds })
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
