import { subscribeTo } from '../../platform/jobs/queue.ts'
import { SupportProductsChanged } from '../advisories/index.ts'
import { deriveChangedProducts } from './derivation-service.ts'

export const supportJobs = [subscribeTo(SupportProductsChanged, deriveChangedProducts)]
