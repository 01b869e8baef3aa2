import { Type } from 'typebox'
import { defineMessage } from '../../platform/jobs/queue.ts'

/** A merge is committed. `knowledge_changes` holds, under this revision, the keys whose packages have to be matched again. */
export const KnowledgeChanged = defineMessage(
  'advisories.knowledge-changed',
  Type.Object({ revision: Type.Integer() }),
)

export const advisoryMessages = [KnowledgeChanged]
