import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { sendPage } from '../../platform/http/pages.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  Exactly,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { FiguresQuery } from '../figures/index.ts'
import { printDecisionsReport } from './decisions/service.ts'
import { printFiguresReport } from './figures/service.ts'
import { printPastVersionReport, printPastVulnerabilityReport } from './past/service.ts'
import { printVersionReport } from './version/service.ts'
import { printVulnerabilityReport } from './vulnerability/service.ts'

const page = {
  tags: ['Reports'],
  produces: ['text/html'],
  response: {
    200: { content: { 'text/html': { schema: Type.String() } } },
    ...defineProblems(400, 404),
  },
}

const AsOfQuery = Exactly({
  asOf: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'A past instant: shows the findings as they were known and decided then, and names what is not known for the past.',
    }),
  ),
})

const config = { isExpensive: true, scope: 'Vulnerabilities: read' } as const

export function registerPrintedReportRoutes(app: App): void {
  app.get(
    '/firmware-versions/:firmwareVersionId/report',
    {
      config,
      schema: {
        ...page,
        operationId: 'printFirmwareVersionReport',
        summary: 'The report of a firmware version as a page to print',
        description:
          'Its mark and what the release gate says of it, counts, findings with decisions, what could not be judged, sources with their ages, and the devices that run it. These are named only to those who may read devices. The tables of findings have 1,000 rows each, that of devices 500, and say so where there are more.',
        params: defineWorkspaceParams('firmwareVersionId'),
        querystring: AsOfQuery,
      },
    },
    async ({ params, query: { asOf }, reading, principal }, reply) => {
      const input = { ...params, principal }
      const printed =
        asOf === undefined
          ? printVersionReport(reading, input)
          : printPastVersionReport(reading, { ...input, asOf })
      return sendPage(reply, await printed)
    },
  )

  app.get(
    '/vulnerabilities/:cveId/report',
    {
      config,
      schema: {
        ...page,
        operationId: 'printVulnerabilityReport',
        summary: 'The report of a vulnerability as a page to print',
        description:
          'Where it is, since when, who runs it, fixes, decisions, and what was looked at; also of one that the workspace does not have. Devices are named only to those who may read devices.',
        params: defineWorkspaceParams('cveId'),
        querystring: AsOfQuery,
      },
    },
    async ({ params, query: { asOf }, reading, principal }, reply) => {
      const input = { ...params, principal }
      const printed =
        asOf === undefined
          ? printVulnerabilityReport(reading, input)
          : printPastVulnerabilityReport(reading, { ...input, asOf })
      return sendPage(reply, await printed)
    },
  )

  app.get(
    '/decisions/report',
    {
      config,
      schema: {
        ...page,
        operationId: 'printDecisionsReport',
        summary: 'The report of the decisions of a period as a page to print',
        description:
          'Who decided what, when and why, and what was taken back; the newest 2,000. What is carried over or stated by builds is only counted.',
        params: WorkspaceParams,
        querystring: Exactly({
          from: Type.String({ format: 'date-time' }),
          to: Type.Optional(Type.String({ format: 'date-time', description: 'Default: now' })),
        }),
      },
    },
    async ({ params, query, reading, principal }, reply) =>
      sendPage(reply, await printDecisionsReport(reading, { ...params, ...query, principal })),
  )

  app.get(
    '/figures/report',
    {
      config,
      schema: {
        ...page,
        operationId: 'printFiguresReport',
        summary: 'The report of the figures of a period as a page to print',
        description: 'Each figure with its definition, its parts, and what it does not count.',
        params: WorkspaceParams,
        querystring: FiguresQuery,
      },
    },
    async ({ params, query, reading, principal }, reply) =>
      sendPage(reply, await printFiguresReport(reading, { ...params, ...query, principal })),
  )
}
