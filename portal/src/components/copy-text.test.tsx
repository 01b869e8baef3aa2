import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { show } from '../../test/components.tsx'
import { CopyText } from './copy-text.tsx'

it('copies the text that stands beside it, and says so', async () => {
  const { person } = show(<CopyText text="Seen twice." label="Summary" />)

  await person.click(screen.getByRole('button', { name: 'Copy Summary' }))

  await screen.findByRole('button', { name: 'Copied Summary' })
  expect(await navigator.clipboard.readText()).toBe('Seen twice.')
  expect(screen.queryByRole('alert')).toBeNull()
})

it('says that nothing was copied where the browser gives no clipboard, as without HTTPS', async () => {
  const { person } = show(<CopyText text="Seen twice." label="Summary" />)
  Reflect.deleteProperty(navigator, 'clipboard')

  await person.click(screen.getByRole('button', { name: 'Copy Summary' }))

  expect((await screen.findByRole('alert')).textContent).toContain('Not copied')
  screen.getByRole('button', { name: 'Copy Summary' })
})
