import { NumberInput, TextInput } from '@mantine/core'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ApiProblem } from '@plimsoll/api-client'
import { show } from '../../test/components.tsx'
import { Form, FormFault } from './form.tsx'
import { useForm } from './use-form.ts'

type Sent = { name: string; days: string | number; isOn: boolean }

/** A form whose first sending is refused at these places, if there are any. */
function givenForm(...pointers: string[]) {
  const sent: Sent[] = []
  const refusals = pointers.length > 0 ? [pointers] : []
  const Example = () => {
    const { save, submit, field, checkbox } = useForm<Sent, void>(
      { name: '', days: 3, isOn: false },
      {
        mutationFn: (values) => {
          sent.push(values)
          const refused = refusals.pop()
          return refused ? Promise.reject(problemAt(refused)) : Promise.resolve()
        },
      },
    )
    const { error, ...box } = checkbox('isOn')
    return (
      <Form onSubmit={submit}>
        <TextInput label="Name" {...field('name')} />
        <NumberInput label="Days" {...field('days')} />
        <label>
          <input type="checkbox" {...box} /> On {error}
        </label>
        <FormFault error={save.error} />
        <button type="submit">Save</button>
      </Form>
    )
  }
  return { sent, ...show(<Example />) }
}

function problemAt(pointers: readonly string[]): ApiProblem {
  return new ApiProblem({
    type: '/problems/invalid-request',
    title: 'Bad Request',
    status: 400,
    detail: 'The request is not valid.',
    errors: pointers.map((pointer) => ({ pointer, detail: 'is not what we take' })),
  })
}

const save = () => screen.getByRole('button', { name: 'Save' })

it('sends what texts, numbers and boxes tell', async () => {
  const { sent, person } = givenForm()

  await person.type(screen.getByLabelText('Name'), 'Gateway')
  await person.clear(screen.getByLabelText('Days'))
  await person.type(screen.getByLabelText('Days'), '14')
  await person.click(screen.getByRole('checkbox'))
  await person.click(save())

  expect(sent).toEqual([{ name: 'Gateway', days: 14, isOn: true }])
})

it('marks the fields that are refused, goes to the first, and keeps what was typed', async () => {
  const { person } = givenForm('/days', '/name')

  await person.type(screen.getByLabelText('Name'), 'Gateway')
  await person.click(save())
  const alert = await screen.findByRole('alert')

  const [name, days] = [screen.getByLabelText('Name'), screen.getByLabelText('Days')]
  expect(alert.textContent).toContain('Not saved. The request is not valid.')
  expect([name, days].map((one) => one.getAttribute('aria-invalid'))).toEqual(['true', 'true'])
  expect(document.activeElement).toBe(name)
  expect((name as HTMLInputElement).value).toBe('Gateway')
  expect(screen.getAllByText('Is not what we take.')).toHaveLength(2)
})

it('marks nothing any more once it was sent again', async () => {
  const { sent, person } = givenForm('/isOn')

  await person.click(save())
  await screen.findByRole('alert')
  expect(screen.getByRole('checkbox').getAttribute('aria-invalid')).toBe('true')
  await person.click(save())

  await expect.poll(() => screen.queryByRole('alert')).toBeNull()
  expect(screen.getByRole('checkbox').getAttribute('aria-invalid')).toBe('false')
  expect(sent).toHaveLength(2)
})

it('keeps a private key in the browser, and says so at its field', async () => {
  const { sent, person } = givenForm()
  const secret = '-----BEGIN ENCRYPTED PRIVATE KEY-----'

  await person.type(screen.getByLabelText('Name'), secret)
  await person.click(save())

  expect(sent).toEqual([])
  expect(screen.getByText(/private key, which is never sent/)).toBeTruthy()

  await person.clear(screen.getByLabelText('Name'))
  await person.click(save())

  expect(sent).toHaveLength(1)
})
