import { screen } from '@testing-library/react'
import { useRef, type RefObject } from 'react'
import { expect, it } from 'vitest'
import { show } from '../../test/components.tsx'
import { HeldKeys, type KeyAct, useKeys } from './keyboard.ts'

function Keys({
  of,
  within,
}: {
  of: readonly KeyAct[]
  within?: RefObject<HTMLElement | null> | undefined
}) {
  useKeys(of, within)
  return null
}

/** Keys of a page, and of a dialog over it if there is one. `pressed` has what acted. */
function givenPage({ hasDialog = false, isHeld = false } = {}) {
  const pressed: string[] = []
  const keys = (owner: string, ...names: string[]): KeyAct[] =>
    names.map((name) => [name, () => void pressed.push(`${owner} ${name}`)])
  const Example = () => {
    const form = useRef<HTMLDivElement>(null)
    return (
      <>
        <Keys of={keys('page', 'j', 'e', 'Enter', 'mod+k')} />
        <input aria-label="Note" />
        <form
          onSubmit={(event) => {
            event.preventDefault()
            pressed.push('sent')
          }}
        >
          <button type="submit">Send</button>
        </form>
        {hasDialog && (
          <div aria-modal="true" role="dialog">
            <div ref={form}>
              <Keys of={keys('dialog', 'e')} within={form} />
            </div>
          </div>
        )}
        {isHeld && <HeldKeys />}
      </>
    )
  }
  return { pressed, ...show(<Example />) }
}

it('has keys of the page act, and none that are typed in a field but the search', async () => {
  const { pressed, person } = givenPage()

  await person.keyboard('je')
  await person.type(screen.getByLabelText('Note'), 'jeer')
  await person.keyboard('{Control>}k{/Control}')

  expect(pressed).toEqual(['page j', 'page e', 'page mod+k'])
  expect(screen.getByLabelText<HTMLInputElement>('Note').value).toBe('jeer')
})

it('gives an open dialog all keys, also those that it does not have', async () => {
  const { pressed, person } = givenPage({ hasDialog: true })

  await person.keyboard('je')

  expect(pressed).toEqual(['dialog e'])
})

it('drops what is typed while a dialog is on its way', async () => {
  const { pressed, person } = givenPage({ isHeld: true })

  await person.keyboard('je{Enter}')

  expect(pressed).toEqual([])
})

it('leaves keys of the browser to it', async () => {
  const { pressed, person } = givenPage()

  await person.keyboard('{Control>}e{/Control}{Alt>}j{/Alt}')

  expect(pressed).toEqual([])
})

it('sends no form by words that were typed past a field', async () => {
  const { pressed, person } = givenPage()
  screen.getByRole('button', { name: 'Send' }).focus()

  await person.keyboard('a note about it')
  await person.keyboard('{Enter}')
  const meanwhile = pressed.filter((what) => what === 'sent')
  await person.click(screen.getByRole('button', { name: 'Send' }))

  expect(meanwhile).toEqual([])
  expect(pressed.filter((what) => what === 'sent')).toEqual(['sent'])
})
