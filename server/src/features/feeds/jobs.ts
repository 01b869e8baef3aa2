import type { AppContext } from '../../platform/context.ts'
import { subscribeTo, type Subscription } from '../../platform/jobs/queue.ts'
import { ImportAsked, SyncAsked } from './by-hand/schemas.ts'
import { giveUpImport, runImport, runSync } from './by-hand/service.ts'

export const feedJobs: readonly Subscription<AppContext>[] = [
  subscribeTo(SyncAsked, runSync, { concurrency: 2 }),
  subscribeTo(ImportAsked, runImport, { onExhausted: giveUpImport }),
]
