/** What the management port says about SBOMs: how many cannot be read or matched. */
import type { AppContext } from '../../../platform/context.ts'
import type { Extra } from '../../../platform/management.ts'
import { countFailing } from './store.ts'

export function reportSbomHealth({ db }: Pick<AppContext, 'db'>): Extra {
  return {
    detail: 'sboms',
    describe: () => countFailing(db),
    gauges: [
      {
        name: 'plimsoll_sboms_failing',
        help: 'SBOMs of which at least two attempts to read or match them failed, by whether they are retried or given up',
        labelNames: ['state'],
        values: async () => {
          const { failing, givenUp } = await countFailing(db)
          return [
            { labels: { state: 'retried' }, value: failing },
            { labels: { state: 'given_up' }, value: givenUp },
          ]
        },
      },
    ],
  }
}
