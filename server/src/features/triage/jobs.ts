import { subscribeTo } from '../../platform/jobs/queue.ts'
import { AcceptanceMail, AcceptancesOutdated } from '../findings/index.ts'
import { SourceFilesChanged } from '../sboms/index.ts'
import { checkAcceptances } from './acceptances/ends-service.ts'
import { sendAcceptanceMail } from './acceptances/notices-service.ts'
import { recheckCompiled } from './service.ts'

export const triageJobs = [
  subscribeTo(SourceFilesChanged, recheckCompiled),
  subscribeTo(AcceptancesOutdated, checkAcceptances),
  subscribeTo(AcceptanceMail, sendAcceptanceMail),
]
