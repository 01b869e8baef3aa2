import { expect, it } from 'vitest'
import { createCommands, type SentAct } from './acts.ts'

function givenActs() {
  let list: readonly SentAct[] = []
  const states: string[] = []
  const commands = createCommands((update) => {
    list = update(list)
    states.push(list.map(({ state }) => state).join())
  })
  return { ...commands, states, first: () => list[0] as SentAct }
}

it('says that an act goes back, not that it was done, when it was taken back before its answer', async () => {
  const { perform, undo, states, first } = givenActs()
  const answer = Promise.withResolvers<void>()
  const back = Promise.withResolvers<undefined>()
  const isDone = perform({
    text: 'CVE-2024-3094: Exploitable',
    send: async () => {
      await answer.promise
      return () => back.promise
    },
  })

  undo(first())
  answer.resolve()
  await isDone
  expect(states).toEqual(['sending', 'undoing'])

  back.resolve(undefined)
  await expect.poll(() => first().state).toBe('undone')
  expect(states).toEqual(['sending', 'undoing', 'undone'])
})

it('says that it was not taken back, and takes it back again, where the way back failed', async () => {
  const { perform, undo, states, first } = givenActs()
  const ways = [
    () => Promise.reject(new Error('The line broke.')),
    () => Promise.resolve(undefined),
  ]
  let sentCount = 0
  await perform({
    text: 'CVE-2024-3094: Exploitable',
    send: () => {
      sentCount += 1
      return Promise.resolve(() => ways.shift()?.() ?? Promise.resolve(undefined))
    },
  })

  undo(first())
  await expect.poll(() => first().state).toBe('notUndone')
  expect(String(first().error)).toContain('The line broke.')
  undo(first())
  await expect.poll(() => first().state).toBe('undone')

  expect(states).toEqual(['sending', 'done', 'undoing', 'notUndone', 'undoing', 'undone'])
  expect(sentCount).toBe(1)
})

it('says that an act was not done, where it failed while it was to be taken back', async () => {
  const { perform, undo, first } = givenActs()
  const answer = Promise.withResolvers<undefined>()
  const isDone = perform({ text: 'CVE-2024-3094: Exploitable', send: () => answer.promise })

  undo(first())
  answer.reject(new Error('The line broke.'))

  expect(await isDone).toBe(false)
  await expect.poll(() => first().state).toBe('failed')
})
