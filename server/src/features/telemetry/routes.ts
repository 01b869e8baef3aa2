import type { AppContext } from '../../platform/context.ts'
import type { App } from '../../platform/http/app.ts'
import { defineProblems, WorkspaceParams } from '../../platform/http/schemas.ts'
import { listDeviceLogs } from './logs/service.ts'
import { listDeviceSeries, listLabelValues, listMetrics, queryMetric } from './service.ts'
import * as schemas from './schemas.ts'

const tags = ['Metrics and logs']

export function registerTelemetryRoutes(app: App, ctx: AppContext): void {
  app.get(
    '/metrics',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listMetrics',
        summary: 'List the metrics that devices report',
        tags,
        params: WorkspaceParams,
        querystring: schemas.MetricsQuery,
        response: { 200: schemas.MetricPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => listMetrics(ctx, { ...params, ...query }),
  )

  app.get(
    '/metrics/series',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listDeviceSeries',
        summary: 'List the series of a device: its metrics with their labels',
        tags,
        params: WorkspaceParams,
        querystring: schemas.DeviceSeriesQuery,
        response: { 200: schemas.DeviceSeriesPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => listDeviceSeries(ctx, { ...params, ...query }),
  )

  app.get(
    '/metrics/label-values',
    {
      config: { scope: 'Devices: read' },
      schema: {
        operationId: 'listMetricLabelValues',
        summary: 'List the values of a label of a metric',
        tags,
        params: WorkspaceParams,
        querystring: schemas.LabelValuesQuery,
        response: { 200: schemas.LabelValuePage, ...defineProblems(400, 404) },
      },
    },
    ({ params, query }) => listLabelValues(ctx, { ...params, ...query }),
  )

  app.post(
    '/metrics/query',
    {
      config: { isExpensive: true, scope: 'Devices: read', namesIn: 'body' },
      schema: {
        operationId: 'queryMetric',
        summary: 'Query a metric over time, per device or for all devices together',
        tags,
        params: WorkspaceParams,
        body: schemas.QueryMetricCommand,
        response: { 200: schemas.MetricSeriesPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => queryMetric(reading, { ...params, ...body }),
  )

  app.post(
    '/device-logs/list',
    {
      config: { isExpensive: true, scope: 'Devices: read', namesIn: 'filter' },
      schema: {
        operationId: 'listDeviceLogs',
        summary: 'List log lines of devices, newest first',
        tags,
        params: WorkspaceParams,
        body: schemas.ListDeviceLogsCommand,
        response: { 200: schemas.DeviceLogPage, ...defineProblems(400, 404) },
      },
    },
    ({ params, body, reading }) => listDeviceLogs(reading, { ...params, ...body }),
  )
}
