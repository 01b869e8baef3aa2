import { Type } from 'typebox'
import { SEVERITIES } from '../../formats/advisories/model.ts'
import { OneOf, Shape } from '../../platform/http/schemas.ts'
import { defineMessage } from '../../platform/jobs/queue.ts'

/** A merge is committed. `knowledge_changes` holds, under this revision, the keys whose packages have to be matched again. */
export const KnowledgeChanged = defineMessage(
  'advisories.knowledge-changed',
  Type.Object({ revision: Type.Integer() }),
)

/** Products of the source endoflife, or their release cycles, are others than before. */
export const SupportProductsChanged = defineMessage(
  'advisories.support-products-changed',
  Type.Object({}),
)

export const advisoryMessages = [KnowledgeChanged, SupportProductsChanged]

export const Severity = OneOf('Severity', SEVERITIES)

export const IsDisputed = Type.Boolean({
  description:
    'A record says that somebody disputes the vulnerability, such as the maker of the product',
})

/** Beside `isKnownCisaExploit`, which is about CISA's catalogue alone. */
export const ExploitedSources = Type.Array(
  Shape('ExploitedSource', {
    source: Type.Enum(['cisa', 'enisa']),
    dateAdded: Type.String({ format: 'date', description: 'When the list added it' }),
  }),
  {
    description:
      'The public lists that name the vulnerability as exploited: CISA’s catalogue (KEV) and ENISA’s list (EUVD)',
  },
)
