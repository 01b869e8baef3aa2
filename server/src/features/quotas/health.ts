/** What the management port says about quotas: which are nearly used up. */
import type { AppContext } from '../../platform/context.ts'
import type { Extra } from '../../platform/management.ts'
import { listNearLimits } from './service.ts'

export function reportQuotaHealth(ctx: Pick<AppContext, 'db' | 'now' | 'config'>): Extra {
  return {
    detail: 'quotas',
    describe: async () => {
      const near = await listNearLimits(ctx)
      return { near: near.length, usedUp: near.filter(({ used, limit }) => used >= limit).length }
    },
    gauges: [
      {
        name: 'plimsoll_quota_used_ratio',
        help: 'Share of a limit that a workspace has used; only from 0.8 on',
        labelNames: ['workspace', 'quota'],
        values: async () =>
          (await listNearLimits(ctx)).map(({ workspaceId, quota, share }) => ({
            labels: { workspace: workspaceId, quota },
            value: share,
          })),
      },
    ],
  }
}
