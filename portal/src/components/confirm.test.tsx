import { screen } from '@testing-library/react'
import { useMutation } from '@tanstack/react-query'
import { expect, it } from 'vitest'
import { show } from '../../test/components.tsx'
import { ConfirmedButton } from './confirm.tsx'

/** A button whose act ends when the test says so. */
function givenButton() {
  const acts: { resolve: () => void; reject: (error: Error) => void }[] = []
  const Example = () => {
    const act = useMutation({
      mutationFn: () =>
        new Promise<void>((resolve, reject) => {
          acts.push({ resolve, reject })
        }),
    })
    return (
      <ConfirmedButton title="Delete pump-1?" what="It runs 2.4.1." verb="Delete device" act={act}>
        Delete…
      </ConfirmedButton>
    )
  }
  return { acts, ...show(<Example />) }
}

const opener = () => screen.getByRole('button', { name: 'Delete…' })
const dialog = () => screen.findByRole('dialog', { name: 'Delete pump-1?' })
const isClosed = async () => {
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
}

it('asks with the way back first, so that a stray Enter does nothing', async () => {
  const { acts, person } = givenButton()

  await person.click(opener())
  await dialog()
  const back = screen.getByRole('button', { name: 'Go back' })
  await expect.poll(() => document.activeElement).toBe(back)
  await person.keyboard('{Enter}')

  await isClosed()
  expect(acts).toEqual([])
  await expect.poll(() => document.activeElement).toBe(opener())
})

it('acts once, and stays until that is done', async () => {
  const { acts, person } = givenButton()

  await person.click(opener())
  await dialog()
  const verb = screen.getByRole('button', { name: 'Delete device' })
  await person.dblClick(verb)
  await expect.poll(() => verb.getAttribute('aria-busy')).toBe('true')
  await person.keyboard('{Escape}')
  await person.click(screen.getByRole('button', { name: 'Go back' }))
  await dialog()
  for (const { resolve } of acts) resolve()

  await isClosed()
  expect(acts).toHaveLength(1)
})

it('says that it was not done, and why, and forgets it when it asks again', async () => {
  const { acts, person } = givenButton()

  await person.click(opener())
  await dialog()
  await person.click(screen.getByRole('button', { name: 'Delete device' }))
  await expect.poll(() => acts.length).toBe(1)
  acts[0]?.reject(new Error('It is in a roll-out.'))

  const alert = await screen.findByRole('alert')
  expect(alert.textContent).toBe('Not done. It is in a roll-out.')
  await person.click(screen.getByRole('button', { name: 'Go back' }))
  await isClosed()
  await person.click(opener())
  await dialog()
  expect(screen.queryByRole('alert')).toBeNull()
})
