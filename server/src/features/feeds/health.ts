/** What the management port says about vulnerability sources. A source that was never fetched has no age. */
import { formatCountOf } from '../../formats/counts.ts'
import type { AppContext } from '../../platform/context.ts'
import { summariseFaults, type InstallationCheck } from '../../platform/doctor/check.ts'
import type { Extra } from '../../platform/management.ts'
import { getSourceHealth } from './service.ts'
import { STATE_WORDS } from './source-state.ts'

type Source = Awaited<ReturnType<typeof getSourceHealth>>[number]

export function reportSourceHealth(ctx: AppContext): Extra {
  const gauge = (name: string, help: string, valueOf: (source: Source) => number | null) => ({
    name: `plimsoll_vulnerability_source_${name}`,
    help,
    labelNames: ['source'],
    values: async () =>
      (await getSourceHealth(ctx)).flatMap((source) => {
        const value = valueOf(source)
        return value === null ? [] : [{ labels: { source: source.source }, value }]
      }),
  })
  return {
    detail: 'vulnerabilitySources',
    describe: async () =>
      Object.fromEntries(
        (await getSourceHealth(ctx)).map(({ source, state, isFailing, ageSeconds }) => [
          source,
          { status: STATE_WORDS[state], isFailing, ageSeconds },
        ]),
      ),
    gauges: [
      gauge(
        'age_seconds',
        'Seconds since the whole source was last imported; absent: never',
        ({ ageSeconds }) => ageSeconds,
      ),
      gauge(
        'stale',
        '1 when it is older than PLIMSOLL_FEEDS_STALE_HOURS or was never imported',
        (source) => Number(source.isStale),
      ),
      gauge('failing', '1 when the last attempt failed', ({ isFailing }) => Number(isFailing)),
      gauge('records', 'Records known of a source', ({ recordCount }) => recordCount),
      gauge(
        'skipped_records',
        'Records of a source that could not be read',
        (source) => source.skippedCount,
      ),
    ],
  }
}

/** A source that this service does not fetch and nobody imported is no fault: its knowledge may come from elsewhere yet. */
async function findStaleSources(ctx: AppContext) {
  const faults: string[] = []
  const notJudged: string[] = []
  for (const { source, state, ageSeconds, isFetched, lastError } of await getSourceHealth(ctx)) {
    const because = lastError === null ? '' : `: ${lastError.split('\n')[0] ?? ''}`
    const hours =
      ageSeconds === null
        ? ''
        : `, last complete ${formatCountOf(Math.round(ageSeconds / 3_600), 'hour')} ago`
    const text = `${source}: ${STATE_WORDS[state]}${hours}`
    if (state === 'Current') continue
    if (state === 'Stale' || isFetched) faults.push(text + because)
    else notJudged.push(`${text}, and not fetched`)
  }
  return summariseFaults(faults, notJudged)
}

export const sourceChecks: readonly InstallationCheck[] = [
  {
    scope: 'Installation',
    name: 'sources',
    meaning: 'vulnerability sources are younger than PLIMSOLL_FEEDS_STALE_HOURS',
    remedy:
      '`plimsoll-admin feeds sync SOURCE` reads one now; without the internet carry a file in with `feeds import`.',
    find: findStaleSources,
  },
]
