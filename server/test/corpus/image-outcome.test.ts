import { expect, it } from 'vitest'
import { imageReportOf, type JudgedLabel, shortfallsOf } from './image-outcome.ts'
import { imageOf, packageOf } from './image-packages.ts'

const image = imageOf('docker.io/ghost@sha256:0123', [
  { name: 'libc6', version: '2.31-13+deb11u3' },
])

function label(of: Pick<JudgedLabel, 'isAffected' | 'confidence' | 'teller'>): JudgedLabel {
  const vulnerability = 'CVE-2024-1000'
  return {
    package: packageOf(image, 'libc6', '2.31-13'),
    vulnerability,
    note: '',
    id: '0123',
    ...of,
  }
}

const NO_CHANGES = { lost: [], wrong: [], gained: [], mended: [] }

it('counts active findings against what own records tell, and all against what any tells', () => {
  const labels = [
    label({ isAffected: true, confidence: 'High', teller: 'own' }),
    label({ isAffected: true, confidence: 'Low', teller: 'own' }),
    label({ isAffected: true, confidence: undefined, teller: 'product' }),
    label({ isAffected: true, confidence: undefined, teller: 'none' }),
    label({ isAffected: false, confidence: 'High', teller: 'none' }),
    label({ isAffected: false, confidence: 'High', teller: 'product' }),
    label({ isAffected: false, confidence: 'High', teller: 'inside' }),
  ]

  const report = imageReportOf(labels, NO_CHANGES, '')

  const [, debian] = report.split('\n')
  expect(debian?.split(/ +/)).toEqual(
    'debian 4 3 1 1 0.500 2 0.500 2 2 1 0.667 3 0.667 1'.split(' '),
  )
})

it('also counts against all labels, whatever the records tell', () => {
  const labels = [
    label({ isAffected: true, confidence: 'High', teller: 'own' }),
    label({ isAffected: true, confidence: 'Low', teller: 'product' }),
    label({ isAffected: true, confidence: undefined, teller: 'none' }),
    label({ isAffected: true, confidence: undefined, teller: 'none' }),
    label({ isAffected: false, confidence: 'High', teller: 'inside' }),
  ]

  const report = imageReportOf(labels, NO_CHANGES, '')

  const [, , , , , debian] = report.split('\n')
  expect(debian?.split(/ +/)).toEqual('debian 4 1 1 1 0.500 0.250 0.500 0.500'.split(' '))
})

it('lists answers at odds with the labels of an ecosystem', () => {
  const labels = [
    label({ isAffected: true, confidence: 'Low', teller: 'own' }),
    label({ isAffected: true, confidence: 'High', teller: 'own' }),
    label({ isAffected: false, confidence: 'High', teller: 'own' }),
  ]

  expect(imageReportOf(labels, NO_CHANGES, 'debian').split('\n').slice(7)).toEqual([
    '  missed  CVE-2024-1000  libc6 2.31-13 (debian 11, ghost@0123): Low, told by own',
    '  wrong   CVE-2024-1000  libc6 2.31-13 (debian 11, ghost@0123): High, told by own',
  ])
  expect(imageReportOf(labels, NO_CHANGES, 'java').split('\n').slice(7)).toEqual([])
})

it('tells the ecosystems whose figures are too low', () => {
  const right = label({ isAffected: true, confidence: 'High', teller: 'own' })
  const missed = label({ isAffected: true, confidence: 'Low', teller: 'own' })
  const wrong = label({ isAffected: false, confidence: 'High', teller: 'own' })

  expect(shortfallsOf([right])).toEqual([])
  expect(shortfallsOf([right, missed])).toEqual(
    ['debian', 'all'].map((of) => `${of}: recall 0.500 of 2, at least 0.98`),
  )
  expect(shortfallsOf([right, wrong])).toEqual(
    ['debian', 'all'].map((of) => `${of}: precision 0.500 of 2, at least 0.99`),
  )
})
