import { act, renderHook, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { show } from '../../test/components.tsx'
import { useDraft } from './draft.ts'
import { hasUnsaved, mayLeave, useQuestion } from './unsaved.ts'

afterEach(() => sessionStorage.clear())

function givenForm({ fault = false, isKept = false } = {}) {
  return show(
    <form
      aria-label="Note"
      {...(isKept && { 'data-kept': '' })}
      onSubmit={(event) => event.preventDefault()}
    >
      <input aria-label="Text" defaultValue="before" />
      {fault && <p role="alert">Not saved.</p>}
      <button type="submit">Save</button>
    </form>,
  )
}

const field = () => screen.getByLabelText('Text')

/** Answers what it was asked once the question is there. */
async function answer(isLeft: boolean): Promise<boolean> {
  const { result } = renderHook(() => useQuestion())
  const left = mayLeave()
  await expect.poll(() => result.current).toBeTypeOf('function')
  act(() => result.current?.(isLeft))
  return left
}

it('asks before typed text is lost, and again if it is kept', async () => {
  const { person } = givenForm()
  expect(await mayLeave()).toBe(true)

  await person.type(field(), ' and after')

  expect(hasUnsaved()).toBe(true)
  expect(await answer(false)).toBe(false)
  expect(hasUnsaved()).toBe(true)
  expect(await answer(true)).toBe(true)
  expect(hasUnsaved()).toBe(false)
})

it('asks nothing where the text is as it was, or was saved', async () => {
  const { person } = givenForm()

  await person.type(field(), '!{Backspace}')
  expect(hasUnsaved()).toBe(false)
  await person.type(field(), '!')
  await person.click(screen.getByRole('button', { name: 'Save' }))

  expect(hasUnsaved()).toBe(false)
})

it('asks where the form was sent and a fault shows', async () => {
  const { person } = givenForm({ fault: true })

  await person.type(field(), '!')
  await person.click(screen.getByRole('button', { name: 'Save' }))

  expect(hasUnsaved()).toBe(true)
})

it('leaves forms alone whose text is kept, and counts drafts only when the tab closes', async () => {
  const { person } = givenForm({ isKept: true })
  await person.type(field(), '!')
  expect(hasUnsaved()).toBe(false)
  const { result } = renderHook(() => useDraft('CVE-2026-0001'))

  act(() => result.current[1]('half a sentence'))

  expect(result.current[0]).toBe('half a sentence')
  expect([hasUnsaved(), await mayLeave()]).toEqual([true, true])
})
