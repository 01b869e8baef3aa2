import { subscribeTo } from '../../platform/jobs/queue.ts'
import { SourceFilesChanged } from '../sboms/index.ts'
import { recheckCompiled } from './service.ts'

export const triageJobs = [subscribeTo(SourceFilesChanged, recheckCompiled)]
