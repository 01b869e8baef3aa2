import { subscribeTo } from '../../platform/jobs/queue.ts'
import { takeBackSupplierDocuments } from '../vex/index.ts'
import { applyDocuments } from './application-service.ts'
import { SupplierDocumentsRead, SupplierDocumentsWithdrawn } from './schemas.ts'

export const supplierFeedMessages = [SupplierDocumentsRead, SupplierDocumentsWithdrawn]

export const supplierFeedJobs = [
  subscribeTo(SupplierDocumentsRead, applyDocuments),
  subscribeTo(SupplierDocumentsWithdrawn, takeBackSupplierDocuments),
]
