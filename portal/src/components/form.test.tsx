import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { show } from '../../test/components.tsx'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'

it('sends a form in a dialog alone, and not the form around it', async () => {
  const [around, within] = [vi.fn<() => void>(), vi.fn<() => void>()]
  const { person } = show(
    <Form onSubmit={around}>
      <Dialog opened onClose={() => undefined} title="A part">
        <Form onSubmit={within}>
          <button type="submit">Send the part</button>
        </Form>
      </Dialog>
      <button type="submit">Send the whole</button>
    </Form>,
  )

  await person.click(screen.getByRole('button', { name: 'Send the part' }))
  expect([within.mock.calls.length, around.mock.calls.length]).toEqual([1, 0])
})
