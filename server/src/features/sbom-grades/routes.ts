import { Type } from 'typebox'
import { ELEMENT_OUTCOMES } from '../../formats/sbom-profiles/grade.ts'
import {
  ELEMENT_LEVELS,
  ELEMENT_SUBJECTS,
  PROFILE_IDS,
} from '../../formats/sbom-profiles/profile.ts'
import { SBOM_FORMATS } from '../../formats/sboms/model.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  Nullable,
  OneOf,
  Shape,
} from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import { notFound } from '../../platform/errors.ts'
import { findGrades } from './store.ts'

const Outcome = OneOf('ElementOutcome', ELEMENT_OUTCOMES)

const GradedElement = Shape('GradedElement', {
  id: Type.String({ examples: ['supplier'] }),
  title: Type.String({ examples: ['Supplier name'] }),
  section: Type.String({ description: 'The section of the document that asks for it' }),
  level: OneOf('ElementLevel', ELEMENT_LEVELS),
  of: OneOf('ElementSubject', ELEMENT_SUBJECTS),
  outcome: Outcome,
  total: Type.Integer({ description: 'Components that were looked at; 1 of the document itself' }),
  stated: Type.Integer({ description: 'How many state it' }),
  unknown: Type.Integer({ description: 'How many say that it is unknown, as by NOASSERTION' }),
  examples: Type.Array(Type.String(), { description: 'The first components that lack it' }),
  reason: Nullable(Type.String({ examples: ['SPDX 2.3 has no place for it.'] })),
})

const SbomGrade = Shape('SbomGrade', {
  profile: OneOf('SbomProfileId', PROFILE_IDS),
  title: Type.String({ examples: ['NTIA minimum elements (2021)'] }),
  outcome: Outcome,
  elements: Type.Array(GradedElement),
  outside: Type.Array(Type.Object({ title: Type.String(), section: Type.String() }), {
    description: 'What the document asks for besides, and no SBOM can show',
  }),
})

const SbomGrades = Shape('SbomGrades', {
  id: Type.String(),
  fileName: Type.String(),
  format: Nullable(OneOf('SbomFormat', SBOM_FORMATS)),
  specVersion: Nullable(Type.String()),
  grades: Nullable(Type.Array(SbomGrade), {
    description:
      'By each profile; empty for a report of a build. null: the document was not read, or not since grades are kept',
  }),
})

export function registerSbomGradeRoutes(app: App): void {
  app.get(
    '/sboms/:sbomId/grades',
    {
      config: { scope: 'SBOMs: read' },
      schema: {
        operationId: 'getSbomGrades',
        summary: 'What an SBOM lacks by BSI TR-03183-2, NTIA and CISA, element by element',
        description:
          'Graded when the document is read. `met`: each component states it. `missing`: some do not. `cannotSay`: the format has no place for it. Elements of the level `ifExists` are asked for where there is such a thing, and `optional` ones may be left out: neither decides the outcome of the profile. An SBOM that another replaced is answered as long as it is kept.',
        tags: ['SBOMs'],
        params: defineWorkspaceParams('sbomId'),
        response: { 200: SbomGrades, ...defineProblems(400, 404) },
      },
    },
    async ({ params: { workspaceId, sbomId }, reading }) => {
      const found = isUuid(sbomId) ? await findGrades(reading.db, workspaceId, sbomId) : undefined
      if (!found) throw notFound('SBOM', sbomId)
      return found
    },
  )
}
