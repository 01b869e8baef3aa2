/** How long requests take, by route. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Registry } from 'prom-client'
import { createTraceableHistogram } from '../open-metrics.ts'
import { findTraceId } from '../tracing/request-spans.ts'
import { createExemplar } from '../tracing/tracing.ts'

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** A label is a pattern such as `/workspaces/:workspaceId/devices/list`, and never what somebody sent. */
export function installRequestMetrics(app: FastifyInstance, register: Registry): void {
  const durations = createTraceableHistogram(register, {
    name: 'plimsoll_http_request_duration_seconds',
    help: 'From the headers of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { url: route = 'unknown' } = request.routeOptions
    const status = `${Math.floor(reply.statusCode / 100)}xx`
    if (!isStream(reply))
      durations.observe({
        labels: { method: request.method, route, status },
        value: reply.elapsedTime / 1000,
        exemplarLabels: createExemplar(findTraceId(request)),
      })
    done()
  })
}

/** It lasts as long as somebody looks at the portal. */
function isStream(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('text/event-stream')
}
