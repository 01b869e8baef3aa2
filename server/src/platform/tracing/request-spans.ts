/** A span for each request, below the caller's if it sends a `traceparent`. */
import {
  type Context,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isTracing, presentTraceId } from './tracing.ts'

const spans = new WeakMap<FastifyRequest, Context>()

/** undefined where nothing is traced, or the trace is not kept. */
export function findTraceId(request: FastifyRequest): string | undefined {
  const inSpan = spans.get(request)
  return inSpan && presentTraceId(inSpan)
}

/** Must be installed before all hooks that may answer, so that their answers are traced, too. */
export function installRequestSpans(app: FastifyInstance): void {
  if (!isTracing()) return
  const tracer = trace.getTracer('plimsoll')
  app.addHook('onRequest', (request, _reply, done) => {
    const parent = propagation.extract(context.active(), request.headers)
    const { url: route = 'unknown' } = request.routeOptions
    const attributes = {
      'http.request.method': request.method,
      'http.route': route,
      'plimsoll.request_id': request.id,
    }
    const options = { kind: SpanKind.SERVER, attributes }
    const span = tracer.startSpan(`${request.method} ${route}`, options, parent)
    const inSpan = trace.setSpan(parent, span)
    spans.set(request, inSpan)
    context.with(inSpan, done)
  })
  // A body arrives on events of the connection, which is older than the span.
  app.addHook('preValidation', (request, _reply, done) => {
    context.with(spans.get(request) ?? context.active(), done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const span = trace.getSpan(spans.get(request) ?? context.active())
    span?.setAttribute('http.response.status_code', reply.statusCode)
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR })
    span?.end()
    done()
  })
}
