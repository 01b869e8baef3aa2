import { Type } from 'typebox'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { App } from '../../platform/http/app.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { writeFiguresCsv } from './csv.ts'
import * as schemas from './schemas.ts'
import { listFigureCases, readFigures } from './service.ts'

const config = { isExpensive: true, scope: 'Vulnerabilities: read' } as const
const asked = { tags: ['Reports'], querystring: schemas.FiguresQuery }

export function registerFigureRoutes(app: App): void {
  app.get(
    '/figures',
    {
      config,
      schema: {
        ...asked,
        operationId: 'getFigures',
        summary: 'Figures of a period: how long triage, fixes and updates took, and what is open',
        description:
          'Each comes with its definition, the number of cases behind it, and what it does not count. They are made of facts with times: those of a period that is over stay as they are.',
        params: WorkspaceParams,
        response: { 200: schemas.Figures, ...defineProblems(400, 404) },
      },
    },
    ({ params, query, reading }) => readFigures(reading, { ...params, ...query }),
  )

  app.get(
    '/figures/export',
    {
      config,
      schema: {
        ...asked,
        operationId: 'exportFigures',
        summary: 'Figures of a period as CSV',
        description:
          'A line for each value, of all cases and by severity, SSVC outcome, month, firmware, owner and person. A text that a spreadsheet would read as a formula gets an apostrophe in front.',
        params: WorkspaceParams,
        produces: ['text/csv'],
        response: {
          200: { content: { 'text/csv': { schema: Type.String() } } },
          ...defineProblems(400, 404),
        },
      },
    },
    async ({ params, query, reading }, reply) => {
      const { from, to, figures } = await readFigures(reading, { ...params, ...query })
      return reply
        .type('text/csv; charset=utf-8; header=present')
        .header('content-disposition', formatAttachmentHeader(`figures-${from}-${to}.csv`))
        .send(writeFiguresCsv(figures))
    },
  )

  app.get(
    '/figures/:figure/cases',
    {
      config,
      schema: {
        ...asked,
        operationId: 'listFigureCases',
        summary: 'The cases behind a figure of a period, the newest first',
        params: Type.Object({
          ...defineWorkspaceParams().properties,
          figure: schemas.FigureName,
        }),
        response: { 200: schemas.FigureCases, ...defineProblems(400, 404) },
      },
    },
    ({ params: { workspaceId, figure }, query, reading }) =>
      listFigureCases(reading, { workspaceId, figure, ...query }),
  )
}
