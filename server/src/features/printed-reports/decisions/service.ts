/** Reads what the report of the decisions of a period says. */
import { parseInstant, parseOptionalInstant } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { invalid } from '../../../platform/errors.ts'
import { type ReportRequest, readAtOnce, readImprint } from '../imprint-service.ts'
import { renderDecisionsReport } from './page.ts'
import * as store from './store.ts'

const MOST_ROWS = 2000

export function printDecisionsReport(
  ctx: AppContext,
  input: ReportRequest & { from: string; to?: string },
): Promise<string> {
  const { workspaceId } = input
  const from = parseInstant(input.from, '/query/from')
  const to = parseOptionalInstant(input.to, '/query/to') ?? ctx.now()
  if (from >= to) throw invalid('The period ends before it begins.', '/query/from')
  const period = { workspaceId, from, to }
  return readAtOnce(ctx, async (at) =>
    renderDecisionsReport({
      period,
      imprint: await readImprint(at, input),
      counts: await store.countDecided(at.db, period),
      rows: await store.listDecided(at.db, period, MOST_ROWS),
    }),
  )
}
