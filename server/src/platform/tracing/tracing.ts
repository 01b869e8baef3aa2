/**
 * Traces of requests, jobs and statements (OpenTelemetry), sent by OTLP where the operator names a collector. Without one the
 * calls below do nothing, and the SDK is not loaded.
 */
import { setTimeout as delay } from 'node:timers/promises'
import {
  type Attributes,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
} from '@opentelemetry/api'

export interface TracingSettings {
  /** The address of the collector: spans go to its `/v1/traces`. */
  url: string
  serviceName: string
}

const tracer = trace.getTracer('plimsoll')
let isOn = false

export const isTracing = () => isOn

/**
 * Once in a process. How many traces are kept, and headers for the collector, are read by the SDK from the variables that all
 * programs share (`OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`, …). The result sends what is left.
 */
export async function startTracing(
  { url, serviceName }: TracingSettings,
  version: string,
): Promise<() => Promise<void>> {
  const [{ BatchSpanProcessor, NodeTracerProvider }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ])
  const provider = new NodeTracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
    }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${url}/v1/traces` }))],
  })
  provider.register()
  isOn = true
  return () => endWithin(provider.shutdown(), MOST_END_MS)
}

/** A collector that is away keeps nobody from ending; the last spans are lost then. */
const MOST_END_MS = 2_000

async function endWithin(end: Promise<void>, mostMs: number): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const ended = end.catch(() => undefined)
  await Promise.race([ended, delay(mostMs, undefined, { signal }).catch(() => undefined)])
  over.abort()
}

/** Names the present span to whoever goes on with its work later; undefined where nothing is traced. */
export function presentTrace(): string | undefined {
  const carrier: { traceparent?: string } = {}
  if (isOn) propagation.inject(context.active(), carrier)
  return carrier.traceparent
}

/** undefined where nothing is traced, or the trace is not kept. */
export function presentTraceId(present = context.active()): string | undefined {
  const span = trace.getSpanContext(present)
  return span && (span.traceFlags & TraceFlags.SAMPLED) !== 0 ? span.traceId : undefined
}

/** The labels by which Prometheus leads from a measurement to its trace. */
export function createExemplar(traceId: string | undefined): Record<string, string> {
  return traceId === undefined ? {} : { trace_id: traceId }
}

interface JobSpan {
  queue: string
  id: string
  /** The trace of the request or job that enqueued it. */
  traceparent: string | undefined
}

/** `work` reports by its result whether it failed. */
export function traceJob<Result extends { status: string }>(
  { queue, id, traceparent }: JobSpan,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!isOn) return work()
  const parent = propagation.extract(context.active(), { traceparent })
  const attributes = { 'messaging.destination.name': queue, 'messaging.message.id': id }
  const options = { kind: SpanKind.CONSUMER, attributes }
  return tracer.startActiveSpan(`job ${queue}`, options, parent, async (span) => {
    try {
      const result = await work()
      if (result.status === 'failed') span.setStatus({ code: SpanStatusCode.ERROR })
      return result
    } finally {
      span.end()
    }
  })
}

export interface StatementEnd {
  text: string
  ms: number
  failure: string | undefined
}

/** A statement that has just ended, if it belongs to a request or a job that is traced. Values are not sent. */
export function traceStatement({ text, ms, failure }: StatementEnd): void {
  if (!isOn || trace.getActiveSpan()?.isRecording() !== true) return
  const now = Date.now()
  const [operation = 'statement'] = text.trimStart().split(/\s/, 1)
  const attributes: Attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.text': text,
  }
  const span = tracer.startSpan(operation, {
    kind: SpanKind.CLIENT,
    startTime: now - ms,
    attributes,
  })
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure })
  span.end(now)
}
