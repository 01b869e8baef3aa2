/**
 * Metrics in the format of OpenMetrics 1.0, which can carry exemplars. prom-client writes it only after renaming the counters of
 * its registry, so that plain Prometheus would get other names from then on, and writes bounds of buckets as `1` instead of `1.0`.
 */
import { Histogram, type OpenMetricsContentType, Registry } from 'prom-client'

export const OPEN_METRICS_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

type Labels = Readonly<Record<string, string | number>>

interface Sample {
  value: number
  labels: Labels
  /** The name of a value of a histogram, with `_bucket`, `_sum` or `_count`. */
  metricName?: string
  exemplar?: { labelSet: Labels; value: number; timestamp: number } | null
}

interface Family {
  name: string
  help: string
  type: string
  values: readonly Sample[]
}

/** A histogram with exemplars. prom-client makes one for a registry of OpenMetrics only, but shows it in any. */
export function createTraceableHistogram<Label extends string>(
  register: Registry,
  fields: { name: string; help: string; labelNames: Label[]; buckets: number[] },
): Histogram<Label> {
  const maker = new Registry<OpenMetricsContentType>()
  maker.setContentType(OPEN_METRICS_TYPE)
  const histogram = new Histogram({ ...fields, enableExemplars: true, registers: [maker] })
  register.registerMetric(histogram)
  return histogram
}

export async function writeOpenMetrics(registry: Registry): Promise<string> {
  // The types of prom-client have a number for the type, and leave exemplars out.
  const families = (await registry.getMetricsAsJSON()) as unknown as Family[]
  return [...families.flatMap(writeLines), '# EOF\n'].join('\n')
}

function writeLines({ name, help, type, values }: Family): string[] {
  const family = type === 'counter' ? name.replace(/_total$/, '') : name
  const nameOf = ({ metricName = name }: Sample) =>
    type === 'counter' ? `${family}_total` : metricName
  return [
    `# TYPE ${family} ${type}`,
    `# HELP ${family} ${escaped(help)}`,
    ...values.map(
      (one) =>
        `${nameOf(one)}${labelled(one.labels)} ${formatValue(one.value)}${writeExemplar(one)}`,
    ),
  ]
}

function writeExemplar({ exemplar }: Sample): string {
  if (!exemplar) return ''
  const { labelSet, value, timestamp } = exemplar
  return ` # {${pairs(labelSet)}} ${formatValue(value)} ${timestamp}`
}

const labelled = (labels: Labels) => (Object.keys(labels).length === 0 ? '' : `{${pairs(labels)}}`)

const pairs = (labels: Labels) =>
  Object.entries(labels)
    .map(
      ([name, value]) => `${name}="${name === 'le' ? formatBound(value) : escaped(String(value))}"`,
    )
    .join(',')

const formatBound = (bound: string | number) =>
  Number.isInteger(bound) ? `${bound}.0` : String(bound)

const escaped = (text: string) =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)

const formatValue = (value: number) =>
  String(value).replace('Infinity', 'Inf').replace(/^Inf/, '+Inf')

/** Whether a client wants OpenMetrics rather than the plain format (RFC 9110, 12.5.1). */
export function wantsOpenMetrics(accept = ''): boolean {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((part) => part.startsWith('q='))?.slice(2) ?? '1'
    return { type, quality: Number(quality) || 0 }
  })
  const most = (wanted: string) =>
    ranges.reduce(
      (best, { type, quality }) => (type === wanted ? Math.max(best, quality) : best),
      0,
    )
  const open = most('application/openmetrics-text')
  return open > 0 && open >= most('text/plain')
}
