/** What `admin doctor` examines of matches: that they are what the rules give. */
import { formatCountOf } from '../../formats/counts.ts'
import { randomUUID } from 'node:crypto'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import {
  type Check,
  type CheckFaults,
  type ExamineOptions,
  summariseFaults,
  readSnapshot,
} from '../../platform/doctor/check.ts'
import { KnowledgeChanged } from '../advisories/index.ts'
import { listResolvedNames } from './agreement.ts'
import * as checks from './checks-store.ts'
import { MATCH_RULES_VERSION } from './match.ts'
import { matchPackages, planCandidateQuery } from './match-packages.ts'
import { readMatchKnowledge, rematchPackages } from './service.ts'
import { listCandidates } from './store.ts'

interface Difference {
  packageId: string
  vulnerabilityId: string
  stored: string | undefined
  computed: string | undefined
}

const describeDifference = ({ packageId, vulnerabilityId, stored, computed }: Difference): string =>
  `package ${packageId}, ${vulnerabilityId}: ${stored ?? 'nothing'} is stored, the rules give ${computed ?? 'nothing'}`

const AT_ONCE = 100
const FIRST = '00000000-0000-0000-0000-000000000000'

interface ComparedPackages {
  lastId: string | undefined
  count: number
  differences: Difference[]
}

/** Compares the next packages in one state of the database. A job may be about to match some vulnerabilities again. */
async function comparePackages(db: Db, after: string): Promise<ComparedPackages> {
  const wanted = { after, rulesVersion: MATCH_RULES_VERSION, limit: AT_ONCE }
  const packages = await checks.listPackagesAfter(db, wanted)
  const knowledge = await readMatchKnowledge(db, packages)
  const whole = packages.map(({ id, identity }) => ({
    id,
    identity,
    resolved: listResolvedNames(identity, knowledge.resolve, knowledge.references),
    vulnerabilityIds: undefined,
  }))
  const candidates = await listCandidates(db, planCandidateQuery(whole, knowledge.resolve))
  const ids = packages.map(({ id }) => id)
  const stored = indexVerdicts(await checks.listStoredVerdicts(db, ids))
  const computed = new Map<string, checks.StoredVerdict>()
  for (const { matches, undecided } of matchPackages(whole, candidates, knowledge)) {
    addVerdicts(
      computed,
      matches.map((match) => ({ ...match, verdict: match.confidence })),
    )
    addVerdicts(
      computed,
      undecided.map((one) => ({ ...one, verdict: one.reason })),
    )
  }
  const pending = await checks.listPendingVulnerabilities(db)
  const differences = listDifferences(stored, computed).filter(
    ({ vulnerabilityId }) => !pending.has(vulnerabilityId) && !pending.has('*'),
  )
  return { lastId: ids.at(-1), count: ids.length, differences }
}

type Verdicts = Map<string, checks.StoredVerdict>

const indexVerdicts = (rows: readonly checks.StoredVerdict[]): Verdicts => {
  const verdicts: Verdicts = new Map()
  addVerdicts(verdicts, rows)
  return verdicts
}

function addVerdicts(verdicts: Verdicts, rows: readonly checks.StoredVerdict[]): void {
  for (const { packageId, vulnerabilityId, verdict } of rows)
    verdicts.set(`${packageId} ${vulnerabilityId}`, { packageId, vulnerabilityId, verdict })
}

function listDifferences(stored: Verdicts, computed: Verdicts): Difference[] {
  return [...new Set([...stored.keys(), ...computed.keys()])].toSorted().flatMap((key) => {
    const [old, now] = [stored.get(key), computed.get(key)]
    const one = old ?? now
    if (!one || old?.verdict === now?.verdict) return []
    const { packageId, vulnerabilityId } = one
    return [{ packageId, vulnerabilityId, stored: old?.verdict, computed: now?.verdict }]
  })
}

const PROGRESS_EVERY = 10 * AT_ONCE

/** Batches of compared packages, each in a snapshot of its own: a large installation takes long. */
async function* comparedPackages(
  ctx: AppContext,
  { after, most }: { after: string; most: number },
  onProgress: (text: string) => void,
): AsyncGenerator<ComparedPackages> {
  let last: string | undefined = after
  for (let done = 0; last !== undefined && done < most;) {
    const from: string = last
    const compared = await readSnapshot(ctx, (db) => comparePackages(db, from))
    yield compared
    done += compared.count
    last = compared.lastId
    if (compared.count > 0 && done % PROGRESS_EVERY === 0)
      onProgress(`  ${done} of ${most} packages`)
  }
}

const SAMPLE = 500

async function findMismatches(
  ctx: AppContext,
  { isDeep, onProgress }: ExamineOptions,
): Promise<CheckFaults> {
  const count = await checks.countMatchedPackages(ctx.db)
  const isAll = isDeep || count <= SAMPLE
  const asked = isAll ? { after: FIRST, most: count } : { after: randomUUID(), most: SAMPLE }
  const faults: string[] = []
  let seen = 0
  for await (const { differences, count: compared } of comparedPackages(ctx, asked, onProgress)) {
    seen += compared
    for (const difference of differences) faults.push(describeDifference(difference))
  }
  return summariseFaults(
    faults,
    isAll ? [] : [`matches of ${formatCountOf(count - seen, 'package')}: --deep computes them`],
  )
}

/** A fault in the sample is seldom the only one: all packages are compared. */
async function repairMatches(ctx: AppContext, { onProgress }: ExamineOptions): Promise<void> {
  const all = { after: FIRST, most: Infinity }
  for await (const { differences } of comparedPackages(ctx, all, onProgress))
    await rematchPackages(ctx, [...new Set(differences.map(({ packageId }) => packageId))])
}

const findMisrated = (ctx: AppContext) =>
  readSnapshot(ctx, async (db) =>
    summariseFaults(
      (await checks.listMisratedMatches(db)).map(
        ({ packageId, vulnerabilityId }) =>
          `package ${packageId}, ${vulnerabilityId}: its match has not the severity, score and exploitation of the vulnerability`,
      ),
    ),
  )

async function repairMisrated(ctx: AppContext): Promise<void> {
  const misrated = await readSnapshot(ctx, checks.listMisratedMatches)
  await rematchPackages(ctx, [...new Set(misrated.map(({ packageId }) => packageId))])
}

export const matchingChecks: readonly Check[] = [
  {
    scope: 'Installation',
    name: 'knowledge-jobs',
    meaning: 'a job will match the packages again that a merge concerns',
    find: (ctx) =>
      readSnapshot(ctx, async (db) =>
        summariseFaults(
          (await checks.listForgottenRevisions(db)).map(
            (revision) => `the merge ${revision} waits to be matched, and has no job`,
          ),
        ),
      ),
    repair: async (ctx) => {
      const revisions = await readSnapshot(ctx, checks.listForgottenRevisions)
      await ctx.db.transaction().execute(async (tx) => {
        for (const revision of revisions)
          await ctx.queue.enqueue(tx, KnowledgeChanged, { revision })
      })
    },
  },
  {
    scope: 'Installation',
    name: 'match-ratings',
    meaning: 'matches have the severity, score and exploitation of their vulnerabilities',
    find: findMisrated,
    repair: repairMisrated,
  },
  {
    scope: 'Installation',
    name: 'matches',
    meaning: 'packages match what the rules give',
    find: findMismatches,
    repair: repairMatches,
  },
]
