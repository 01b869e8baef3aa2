import { expect, it } from 'vitest'
import { createGate } from './gate.ts'

it('lets in what fits at once, and the rest in the order it came', async () => {
  const gate = createGate(10)
  const order: number[] = []
  const enter = async (weight: number) => {
    await gate.enter(weight)
    order.push(weight)
  }

  expect(gate.enter(6)).toBeUndefined()
  expect(gate.enter(4)).toBeUndefined()
  const waiting = [enter(5), enter(1), enter(3)]
  expect(gate.waiting()).toBe(3)
  gate.leave(6)
  await Promise.all(waiting.slice(0, 2))
  gate.leave(4)
  await Promise.all(waiting)

  expect(order).toEqual([5, 1, 3])
})

it('lets nothing overtake what waits', () => {
  const gate = createGate(10)
  void gate.enter(8)
  void gate.enter(5)

  expect(gate.enter(1)).toBeInstanceOf(Promise)
})

it('lets in alone what is heavier than it holds', async () => {
  const gate = createGate(10)
  void gate.enter(1)
  const heavy = gate.enter(50)
  gate.leave(1)
  await heavy

  expect(gate.enter(1)).toBeInstanceOf(Promise)
})

it('lets owners in by turns, however much one of them has waiting', async () => {
  const gate = createGate(1)
  const order: string[] = []
  void gate.enter(1, 'many')
  const waiting = ['many', 'many', 'many', 'few', 'other'].map(async (owner) => {
    await gate.enter(1, owner)
    order.push(owner)
    gate.leave(1)
  })
  expect([gate.waiting(), gate.waiting('many')]).toEqual([5, 3])

  gate.leave(1)
  await Promise.all(waiting)

  expect(order).toEqual(['many', 'few', 'other', 'many', 'many'])
})
