import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import type { App } from '../../platform/http/app.ts'
import { sendPage } from '../../platform/http/pages.ts'
import {
  defineProblems,
  defineWorkspaceParams,
  Exactly,
  WorkspaceParams,
} from '../../platform/http/schemas.ts'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import { FiguresQuery } from '../figures/index.ts'
import { printDecisionsReport } from './decisions/service.ts'
import { exportDossier, printDossier } from './dossier/service.ts'
import { printFiguresReport } from './figures/service.ts'
import { exportQuarterlyReport, printQuarterlyReport } from './quarter/service.ts'
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

const DossierQuery = Exactly({
  asOf: Type.Optional(
    Type.String({
      format: 'date',
      examples: ['2026-10-31'],
      description:
        'A day (UTC): findings, decisions and documents as they were at its end, and what is not known for the past. Default: now',
    }),
  ),
})

const QuarterQuery = Exactly({
  quarter: Type.String({ pattern: '^[0-9]{4}-Q[1-4]$', examples: ['2026-Q3'] }),
  productLineId: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only of this product line; default: the workspace',
    }),
  ),
})

const sendCsv = (reply: FastifyReply, content: string, fileName: string) =>
  reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', formatAttachmentHeader(fileName))
    .send(content)

const csv = {
  tags: ['Reports'],
  produces: ['text/csv'],
  response: {
    200: { content: { 'text/csv': { schema: Type.String() } } },
    ...defineProblems(400, 404),
  },
}

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
    '/firmware-versions/:firmwareVersionId/dossier',
    {
      config,
      schema: {
        ...page,
        operationId: 'printReleaseDossier',
        summary: 'The dossier of a release as of a day, as a page to print',
        description:
          'SBOMs with digests and grades, artifact, findings with decisions and reasons, open ones, accepted risks with their ends, comparison with the version before, roll-outs, devices; of now also release gate, licences, ends of support, what could not be judged, and ages of sources. Roll-outs are shown only to those who may read deployments.',
        params: defineWorkspaceParams('firmwareVersionId'),
        querystring: DossierQuery,
      },
    },
    async ({ params, query, reading, principal }, reply) =>
      sendPage(reply, await printDossier(reading, { ...params, ...query, principal })),
  )

  app.get(
    '/firmware-versions/:firmwareVersionId/dossier/export',
    {
      config,
      schema: {
        ...csv,
        operationId: 'exportReleaseDossier',
        summary: 'The dossier of a release as of a day, as CSV',
        description:
          'A line for each thing it holds, with the instant that it shows and the one at which it was computed. A text that a spreadsheet would read as a formula gets an apostrophe in front.',
        params: defineWorkspaceParams('firmwareVersionId'),
        querystring: DossierQuery,
      },
    },
    async ({ params, query, reading, principal }, reply) => {
      const { content, fileName } = await exportDossier(reading, { ...params, ...query, principal })
      return sendCsv(reply, content, fileName)
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
    '/quarterly-report',
    {
      config,
      schema: {
        ...page,
        operationId: 'printQuarterlyReport',
        summary: 'The report of a quarter as a page to print',
        description:
          'Of the workspace or of a product line: new and closed findings by severity, cases with clocks that were kept or late, submitted reports, advisories, support periods, versions, devices, and all figures. Facts have times: that of a quarter that is over stays. Cases are shown only to those who may read them.',
        params: WorkspaceParams,
        querystring: QuarterQuery,
      },
    },
    async ({ params, query, reading, principal }, reply) =>
      sendPage(reply, await printQuarterlyReport(reading, { ...params, ...query, principal })),
  )

  app.get(
    '/quarterly-report/export',
    {
      config,
      schema: {
        ...csv,
        operationId: 'exportQuarterlyReport',
        summary: 'The report of a quarter as CSV',
        description:
          'A line for each count and each thing that happened. A text that a spreadsheet would read as a formula gets an apostrophe in front.',
        params: WorkspaceParams,
        querystring: QuarterQuery,
      },
    },
    async ({ params, query, reading, principal }, reply) => {
      const { content, fileName } = await exportQuarterlyReport(reading, {
        ...params,
        ...query,
        principal,
      })
      return sendCsv(reply, content, fileName)
    },
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
