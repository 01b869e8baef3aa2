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
