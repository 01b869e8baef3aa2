import { expect, it } from 'vitest'
import { chooseLabels, placeStops } from './line-places.ts'

it('gives more room where ours stand', () => {
  const place = { stop: 3, isFixed: false, deviceCount: 1, firmwareVersions: [] }
  const firmware = { id: '1', slug: 'gateway', name: 'Gateway' }
  const line = {
    stops: ['1', '2', '3', '4'],
    firmwares: [{ firmware, places: [place], unplaced: [] }],
  }

  const [first, second, third, last] = placeStops(line, [0, 370])

  expect([first, second, third, last]).toEqual([0, 100, 200, 370])
  expect(placeStops({ stops: ['1'], firmwares: [] }, [0, 100])).toEqual([50])
})

it('drops the labels that have no room: light ones first, of equal ones the inner', () => {
  const labels = [0, 20, 40, 55, 100].map((at) => ({ at, text: '6.6.1' }))

  expect([...chooseLabels(labels, [-20, 120])]).toEqual([0, 4, 3])
  const heavy = labels.map((label, index) => ({ ...label, weight: index === 1 ? 1 : 0 }))
  expect([...chooseLabels(heavy, [-20, 120])]).toEqual([1, 4])
})
