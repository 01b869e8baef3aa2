import { expect, it } from 'vitest'
import { findFault } from './commits.ts'

it.each([
  'feat(findings): keep assessments when an SBOM is replaced',
  'refactor(alerts): split rules from evaluation',
  'fix!: refuse unknown fields',
  'perf(queue): process two batches at once',
  'build: seed the database of the demo',
])('accepts %s', (subject) => {
  expect(findFault(subject)).toBeUndefined()
})

it.each`
  subject                                             | fault
  ${'Split rules from evaluation'}                    | ${'not of the form'}
  ${'feature: split rules'}                           | ${'not of the form'}
  ${'feat(Findings): split rules'}                    | ${'not of the form'}
  ${'feat: a dry run is as long as anybody waits'}    | ${'begins with "a"'}
  ${'fix: nobody waits'}                              | ${'begins with "nobody"'}
  ${'style(cli): what the formatter asks'}            | ${'begins with "what"'}
  ${'fix: added a limit'}                             | ${'begins with "added"'}
  ${'fix: devices of versions that few run'}          | ${'begins with "devices"'}
  ${'fix: queue is closed last'}                      | ${'begins with "queue"'}
  ${'fix: close the queue last.'}                     | ${'full stop'}
  ${`fix: close ${'the queue and '.repeat(5)}it all`} | ${'at most 72'}
`('refuses $subject', ({ subject, fault }: { subject: string; fault: string }) => {
  expect(findFault(subject)).toContain(fault)
})
