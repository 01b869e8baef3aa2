import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { parseOpenMetrics } from '../../test/open-metrics-parser.ts'
import { writeOpenMetrics, createTraceableHistogram, wantsOpenMetrics } from './open-metrics.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'

function givenRegistry() {
  const register = new Registry()
  collectDefaultMetrics({ register })
  const registers = [register]
  const drops = new Counter({
    name: 'drops_total',
    help: 'Drops',
    labelNames: ['reason'],
    registers,
  })
  drops.inc({ reason: 'a "quoted"\nreason \\' }, 3)
  new Gauge({ name: 'heat', help: 'Says "hot"\nor cold', registers }).set(-1.5e-9)
  new Gauge({ name: 'nothing', help: 'Has no value', labelNames: ['of'], registers })
  const fields = {
    name: 'waits_seconds',
    help: 'Waits',
    labelNames: ['route'],
    buckets: [0.5, 1, 10],
  }
  const waits = createTraceableHistogram(register, fields)
  waits.observe({ labels: { route: '/' }, value: 0.7, exemplarLabels: { trace_id: TRACE } })
  waits.observe({ labels: { route: '/' }, value: 60, exemplarLabels: {} })
  return register
}

it('writes what a strict parser reads, with exemplars', async () => {
  const families = parseOpenMetrics(await writeOpenMetrics(givenRegistry()))

  expect(families.get('drops')).toEqual({
    type: 'counter',
    help: 'Drops',
    samples: [
      {
        name: 'drops_total',
        labels: { reason: String.raw`a \"quoted\"\nreason \\` },
        value: 3,
        exemplar: undefined,
      },
    ],
  })
  expect(families.get('heat')).toMatchObject({ help: String.raw`Says \"hot\"\nor cold` })
  expect(families.get('heat')?.samples[0]?.value).toBe(-1.5e-9)
  expect(families.get('nothing')?.samples).toEqual([])
  const waits = families.get('waits_seconds')?.samples ?? []
  expect(waits.map(({ labels: { le }, value }) => [le, value])).toEqual([
    ['0.5', 0],
    ['1.0', 1],
    ['10.0', 1],
    ['+Inf', 2],
    [undefined, 60.7],
    [undefined, 2],
  ])
  const exemplars = waits.filter(({ exemplar }) => exemplar)
  expect(exemplars).toMatchObject([
    { labels: { le: '1.0' }, exemplar: { labels: { trace_id: TRACE }, value: 0.7 } },
  ])
  expect(exemplars[0]?.exemplar?.at).toBeCloseTo(Date.now() / 1000, -2)
  expect(
    [...families.values()].every(({ type }) => ['counter', 'gauge', 'histogram'].includes(type)),
  ).toBe(true)
})

it('leaves the plain format as it is', async () => {
  const register = givenRegistry()
  const namesOf = (text: string) => [...text.matchAll(/^\w+/gm)].map(([name]) => name)
  const before = await register.metrics()

  await writeOpenMetrics(register)

  const after = await register.metrics()
  expect(namesOf(after)).toEqual(namesOf(before))
  expect(after).toContain('waits_seconds_bucket{le="1",route="/"} 1\n')
  expect(after).not.toContain(TRACE)
})

it.each`
  accept                                                                                                                                                    | isOpen
  ${'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'}                | ${true}
  ${'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7, Application/OpenMetrics-Text; version=1.0.0; q=0.6'} | ${true}
  ${'text/plain;version=0.0.4'}                                                                                                                             | ${false}
  ${'text/plain, application/openmetrics-text;q=0.2'}                                                                                                       | ${false}
  ${'application/openmetrics-text;q=0'}                                                                                                                     | ${false}
  ${'application/openmetrics-text;q=x'}                                                                                                                     | ${false}
  ${'*/*'}                                                                                                                                                  | ${false}
  ${undefined}                                                                                                                                              | ${false}
`('answers Accept: $accept with OpenMetrics: $isOpen', ({ accept, isOpen }) => {
  expect(wantsOpenMetrics(accept as string | undefined)).toBe(isOpen)
})
