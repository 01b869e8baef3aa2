import type { AppContext } from '../../platform/context.ts'
import { on, type Subscription } from '../../platform/jobs/queue.ts'
import { ImportAsked, SyncAsked } from './by-hand/schemas.ts'
import { giveUpImport, runImport, runSync } from './by-hand/service.ts'

export const feedJobs: readonly Subscription<AppContext>[] = [
  on(SyncAsked, runSync, { concurrency: 2 }),
  on(ImportAsked, runImport, { onExhausted: giveUpImport }),
]
