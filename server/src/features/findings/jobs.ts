import { on } from '../../platform/jobs/queue.ts'
import { SbomParsed } from '../sboms/index.ts'
import { SbomsRelinked } from './schemas.ts'
import { matchFirmwareVersion, matchParsedSbom } from './service.ts'

export const findingJobs = [
  on(SbomParsed, matchParsedSbom, { concurrency: 2 }),
  on(SbomsRelinked, matchFirmwareVersion),
]
