/** What the management port says about mails: how many left in the present hour, and who may get no more. */
import type { AppContext } from '../../platform/context.ts'
import type { Extra } from '../../platform/management.ts'
import { findWindow } from '../quotas/index.ts'
import { listMailUsage } from './store.ts'

type Context = Pick<AppContext, 'db' | 'now' | 'config'>

export async function readMailUsage({ db, now, config }: Context) {
  const usage = await listMailUsage(db, findWindow('mailsPerHour', now()).beganAt)
  const ofBound = (bound: string) => usage.find((one) => one.bound === bound)
  return {
    countedThisHour: ofBound('Installation')?.used ?? 0,
    mostPerHour: config.mail.mostPerHour,
    addressesAtLimit: (ofBound('WorkspaceAddress')?.spent ?? 0) + (ofBound('Address')?.spent ?? 0),
  }
}

export function reportMailHealth(ctx: Context): Extra {
  const read = () => readMailUsage(ctx)
  return {
    detail: 'mails',
    describe: read,
    gauges: [
      {
        name: 'plimsoll_mails_used_ratio',
        help: 'Share of the mails of an hour (PLIMSOLL_MAILS_PER_HOUR) that is used',
        labelNames: [],
        values: async () => {
          const { countedThisHour, mostPerHour } = await read()
          return mostPerHour === null ? [] : [{ labels: {}, value: countedThisHour / mostPerHour }]
        },
      },
      {
        name: 'plimsoll_mails_addresses_at_limit',
        help: 'Addresses that get no more mails of a kind within the present hour',
        labelNames: [],
        values: async () => [{ labels: {}, value: (await read()).addressesAtLimit }],
      },
    ],
  }
}
