/** What the management port says about crashes. */
import type { AppContext } from '../../platform/context.ts'
import type { Extra } from '../../platform/management.ts'
import { sumNotKept } from './hours-store.ts'

export function reportCrashHealth(ctx: Pick<AppContext, 'db'>): Extra {
  return {
    detail: 'crashes',
    describe: async () => ({ notKept: await sumNotKept(ctx.db) }),
    gauges: [
      {
        name: 'plimsoll_crashes_not_kept',
        help: 'Crashes of existing devices that were counted and not kept within the retention, by reason (dropped: too many of a device or of a workspace, malformed)',
        labelNames: ['workspace', 'reason'],
        values: async () =>
          (await sumNotKept(ctx.db)).flatMap(({ workspaceId, dropped, malformed }) => [
            { labels: { workspace: workspaceId, reason: 'dropped' }, value: dropped },
            { labels: { workspace: workspaceId, reason: 'malformed' }, value: malformed },
          ]),
      },
    ],
  }
}
