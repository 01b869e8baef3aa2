import { Type } from 'typebox'
import { message } from '../../platform/jobs/queue.ts'

/** A merge is committed: `knowledge_changes` holds, under this revision, the keys whose packages it may concern. */
export const KnowledgeChanged = message(
  'advisories.knowledge-changed',
  Type.Object({ revision: Type.Integer() }),
)

export const advisoryMessages = [KnowledgeChanged]
