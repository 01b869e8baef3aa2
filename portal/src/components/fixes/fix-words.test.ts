import { expect, it } from 'vitest'
import { describeRid } from './fix-words.ts'

const busybox = { component: { name: 'busybox' } }
const gone = { component: null }

it.each([
  { versions: [busybox], isFixNamed: true, text: 'holds the fix' },
  { versions: [busybox, gone], isFixNamed: true, text: 'hold the fix' },
  { versions: [busybox], isFixNamed: false, text: 'no longer has it' },
  { versions: [busybox, gone], isFixNamed: false, text: 'no longer have it' },
  { versions: [gone], isFixNamed: true, text: 'is without the component' },
  { versions: [gone, gone], isFixNamed: false, text: 'are without the component' },
])('says $text of what holds a fix only if a source names one', (row) => {
  expect(describeRid(row.versions, row.isFixNamed)).toBe(row.text)
})
