/** What the management port says about alert rules: whether they are evaluated in time. */
import type { AppContext } from '../../platform/context.ts'
import type { Extra } from '../../platform/management.ts'
import { readAlertHealth } from './store.ts'

type Health = Awaited<ReturnType<typeof readAlertHealth>>

export function alertHealth(ctx: Pick<AppContext, 'db' | 'now'>): Extra {
  const read = () => readAlertHealth(ctx.db, ctx.now())
  const gauge = (name: string, help: string, valueOf: (health: Health) => number) => ({
    name: `plimsoll_alert_${name}`,
    help,
    labelNames: [],
    values: async () => [{ labels: {}, value: valueOf(await read()) }],
  })
  return {
    detail: 'alerts',
    describe: read,
    gauges: [
      gauge(
        'evaluation_lag_seconds',
        'How long the alert rule that has waited longest is overdue',
        ({ lagSeconds }) => lagSeconds,
      ),
      gauge('rules', 'Enabled alert rules', ({ enabledRules }) => enabledRules),
      gauge('rules_firing', 'Alert rules with an open incident', ({ firingRules }) => firingRules),
    ],
  }
}
