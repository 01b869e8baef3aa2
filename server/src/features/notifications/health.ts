/** What the management port says about notifications: whether they are delivered. */
import { formatCountOf } from '../../formats/counts.ts'
import type { AppContext } from '../../platform/context.ts'
import { type InstallationCheck, summariseFaults } from '../../platform/doctor/check.ts'
import type { Extra } from '../../platform/management.ts'
import { type NotificationHealth, readNotificationHealth } from './outbox-store.ts'

export function reportNotificationHealth(ctx: Pick<AppContext, 'db' | 'now' | 'mailer'>): Extra {
  const read = () => readNotificationHealth(ctx.db, ctx.now())
  const gauge = (name: string, help: string, valueOf: (health: NotificationHealth) => number) => ({
    name: `plimsoll_notifications_${name}`,
    help,
    labelNames: [],
    values: async () => [{ labels: {}, value: valueOf(await read()) }],
  })
  return {
    detail: 'notifications',
    describe: async () => ({ isMailConfigured: ctx.mailer !== undefined, ...(await read()) }),
    gauges: [
      gauge('pending', 'Notifications that wait to be delivered', ({ pending }) => pending),
      gauge(
        'oldest_pending_seconds',
        'How long the notification that waits longest could have been delivered',
        ({ oldestPendingSeconds }) => oldestPendingSeconds,
      ),
      gauge(
        'failed_last_day',
        'Notifications given up within 24 hours',
        ({ failedLastDay }) => failedLastDay,
      ),
    ],
  }
}

const LATE_SECONDS = 3_600

export const notificationChecks: readonly InstallationCheck[] = [
  {
    scope: 'Installation',
    name: 'notifications',
    meaning: 'notifications that are due are delivered within an hour',
    remedy:
      'The deliveries of targets and webhooks in the portal name the answer; the log names what does not answer.',
    find: async ({ db, now }) => {
      const { oldestPendingSeconds, pending } = await readNotificationHealth(db, now())
      const hours = (oldestPendingSeconds / 3_600).toFixed(1)
      return summariseFaults(
        oldestPendingSeconds > LATE_SECONDS
          ? [
              `${formatCountOf(pending, 'notification waits', 'notifications wait')}, the oldest for ${hours} h`,
            ]
          : [],
      )
    },
  },
]
