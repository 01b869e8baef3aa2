import type { AppContext } from '../../platform/context.ts'
import { listSources } from './store.ts'

const SOURCES = ['cvelist', 'nvd', 'osv', 'kev', 'epss'] as const

/** Every source: one that never brought anything is shown as that, not left out. */
export async function getSources(ctx: Pick<AppContext, 'db'>) {
  const known = new Map((await listSources(ctx.db)).map((row) => [row.source, row]))
  const sources = SOURCES.map((source) => ({
    lastAttemptAt: null,
    lastSuccessAt: null,
    lastError: null,
    snapshotAt: null,
    recordCount: 0,
    skippedCount: 0,
    ...known.get(source),
    source,
  }))
  return { sources }
}
