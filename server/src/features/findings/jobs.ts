import { on } from '../../platform/jobs/queue.ts'
import { SbomParsed } from '../sboms/index.ts'
import { SbomsRelinked } from './schemas.ts'
import { matchParsedSbom, matchRelinkedSboms } from './service.ts'

export const findingJobs = [
  on(SbomParsed, matchParsedSbom, { concurrency: 2, batchSize: 1 }),
  on(SbomsRelinked, matchRelinkedSboms, { batchSize: 1 }),
]
