import type { Tx } from '../../../platform/db/connect.ts'

/** The worst first. */
export async function listFiredSeries(
  tx: Tx,
  { workspaceId, ruleId, limit }: { workspaceId: string; ruleId: string; limit: number },
) {
  return tx
    .selectFrom('alertSeries')
    .select(['series', 'label', 'value'])
    .where('workspaceId', '=', workspaceId)
    .where('ruleId', '=', ruleId)
    .where('until', 'is', null)
    .orderBy('value', (order) => order.desc().nullsLast())
    .orderBy('series')
    .limit(limit)
    .execute()
}
