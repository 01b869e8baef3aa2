import { subscribeTo } from '../../platform/jobs/queue.ts'
import { applyDocuments } from './application-service.ts'
import { SupplierDocumentsRead } from './schemas.ts'

export const supplierFeedJobs = [subscribeTo(SupplierDocumentsRead, applyDocuments)]
