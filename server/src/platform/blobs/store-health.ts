/** Whether uploads and downloads of files work: for the management port, `status` and the doctor. */
import { setTimeout as delay } from 'node:timers/promises'
import type { AppContext } from '../context.ts'
import { type Check, summariseFaults } from '../doctor/check.ts'
import type { Extra } from '../management.ts'
import { nameStore } from './store-fault.ts'

type Context = Pick<AppContext, 'blobs' | 'config'>

/** An answer holds for so long: balancers ask every few seconds, and a bucket costs for each question. */
const HOLDS_MS = 15_000
/** Longer than a store takes that is there, and shorter than balancers wait. */
const PATIENCE_MS = 1_000

interface StoreAnswer {
  fault: string | null
  askedAt: string
}

/** The service stays ready: devices report, and lists are read, without files. `nowMs` is the clock of this process. */
export function reportStoreHealth({ blobs, config }: Context, nowMs: () => number): Extra {
  let last: StoreAnswer | undefined
  let asking: Promise<void> | undefined
  async function ask(): Promise<void> {
    const askedMs = nowMs()
    const fault = await blobs.findFault().catch((error: unknown) => ({ detail: String(error) }))
    last = { fault: fault?.detail ?? null, askedAt: new Date(askedMs).toISOString() }
    asking = undefined
  }
  async function read(): Promise<StoreAnswer | undefined> {
    const isFresh = last && nowMs() - Date.parse(last.askedAt) < HOLDS_MS
    if (!isFresh)
      await Promise.race([(asking ??= ask()), delay(PATIENCE_MS, undefined, { ref: false })])
    return last
  }
  return {
    detail: 'fileStore',
    describe: async () => {
      const answer = await read()
      // null: not known yet.
      const isThere = answer ? answer.fault === null : null
      return { place: nameStore(config.blobs), isThere, ...answer }
    },
    gauges: [
      {
        name: 'plimsoll_file_store_up',
        help: '1 when the folder or bucket of the files can be used; absent: not known yet',
        labelNames: [],
        values: async () => {
          const answer = await read()
          return answer ? [{ labels: {}, value: Number(answer.fault === null) }] : []
        },
      },
    ],
  }
}

export const fileStoreCheck: Check = {
  scope: 'Installation',
  name: 'file-store',
  meaning: 'the folder or bucket of the files can be used',
  remedy:
    'Look whether the store runs and this machine reaches it, then at PLIMSOLL_S3_BUCKET, PLIMSOLL_S3_ENDPOINT and the keys, or at the rights on the folder.',
  find: async ({ blobs }) => {
    const fault = await blobs.findFault()
    return summariseFaults(fault ? [fault.detail] : [])
  },
}
