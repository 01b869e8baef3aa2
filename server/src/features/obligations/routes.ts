import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { registerEditable } from '../../platform/http/editable-resource.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import * as schemas from './schemas.ts'
import { getObligationNote, listObligations, updateObligationNote } from './service.ts'

const tags = ['Cases']

export function registerObligationRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/obligations',
    {
      config: { scope: 'Cases: read' },
      schema: {
        operationId: 'listObligations',
        summary:
          'The map of the law: what Plimsoll does for each point here, and what stays with people',
        description:
          'Facts with counts, as they are now. No fact says that anything is complied with; what is not known is said. Articles are named, and nothing is quoted. No legal advice.',
        tags,
        params: WorkspaceParams,
        response: { 200: schemas.ObligationList, ...defineProblems(404) },
      },
    },
    ({ params, reading }) => listObligations(reading, params),
  )

  registerEditable(app, {
    path: '/obligations/:obligationId/note',
    tags,
    scope: 'Cases',
    params: defineWorkspaceParams('obligationId'),
    command: schemas.UpdateObligationNoteCommand,
    answer: schemas.ObligationNote,
    get: {
      operationId: 'getObligationNote',
      summary: 'What the team wrote about what stays with people at a point of the law',
    },
    put: {
      operationId: 'updateObligationNote',
      summary: 'Replace what the team wrote; what is left out is cleared',
    },
    patch: {
      operationId: 'changeObligationNote',
      summary: 'Change parts of what the team wrote',
      name: 'ObligationNotePatch',
    },
    read: (one) => getObligationNote(ctx.db, one),
    write: (change) => updateObligationNote(ctx, change),
  })
}
