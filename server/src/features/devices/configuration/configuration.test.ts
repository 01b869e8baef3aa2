import { expect, it } from 'vitest'
import { mergeReport, type ReportedConfiguration } from './configuration.ts'
import type { ConfigReport } from '../../../formats/device-messages/model.ts'

const ACK = 'acknowledgedDesiredConfigurationVersion'

interface Case {
  reported: ReportedConfiguration | null
  report: ConfigReport
  expected: ReportedConfiguration | undefined
}

it.each`
  reported                             | report                                | expected                                                 | because
  ${null}                              | ${{}}                                 | ${{}}                                                    | ${'an empty report is a report'}
  ${null}                              | ${{ logSeverity: 'Info' }}            | ${{ logSeverity: 'Info' }}                               | ${'nothing was known'}
  ${{ logSeverity: 'Info' }}           | ${{ compiledLogSeverity: 'Debug' }}   | ${{ logSeverity: 'Info', compiledLogSeverity: 'Debug' }} | ${'partial reports merge'}
  ${{ logSeverity: 'Info' }}           | ${{ logSeverity: 'Info' }}            | ${undefined}                                             | ${'it says nothing new'}
  ${{ logSeverity: 'Info' }}           | ${{}}                                 | ${undefined}                                             | ${'it says nothing'}
  ${{ logSeverity: 'Info', [ACK]: 3 }} | ${{ logSeverity: 'Debug', [ACK]: 2 }} | ${undefined}                                             | ${'it was overtaken'}
  ${{ logSeverity: 'Info', [ACK]: 3 }} | ${{ logSeverity: 'Debug', [ACK]: 3 }} | ${{ logSeverity: 'Debug', [ACK]: 3 }}                    | ${'the device may change its mind within a version'}
  ${{ logSeverity: 'Info', [ACK]: 3 }} | ${{ logSeverity: 'Debug' }}           | ${{ logSeverity: 'Debug', [ACK]: 3 }}                    | ${'no version says nothing of its age'}
  ${{ logSeverity: 'Info', [ACK]: 3 }} | ${{ [ACK]: 5 }}                       | ${{ logSeverity: 'Info', [ACK]: 5 }}                     | ${'that version is desired'}
  ${{ logSeverity: 'Info', [ACK]: 3 }} | ${{ logSeverity: 'Error', [ACK]: 6 }} | ${{ logSeverity: 'Error', [ACK]: 3 }}                    | ${'version 6 was never desired'}
  ${{ logSeverity: 'Info', [ACK]: 3 }} | ${{ [ACK]: 6 }}                       | ${undefined}                                             | ${'version 6 was never desired'}
`(
  'makes $expected of $reported and $report, as $because',
  ({ reported, report, expected }: Case) => {
    expect(mergeReport({ reported, desiredVersion: 5 }, report)).toEqual(expected)
  },
)
