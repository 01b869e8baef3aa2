import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { show } from '../../../test/components.tsx'
import { GivenFileFields, NO_FILE } from './given-file.tsx'

function Fields() {
  const [value, setValue] = useState(NO_FILE)
  return (
    <>
      <GivenFileFields
        label="Text of the signature"
        description="of cosign"
        placeholder="a.sig"
        mostBytes={64}
        value={value}
        onChange={setValue}
        fault={undefined}
        nameFault={undefined}
      />
      <output>{value.text}</output>
    </>
  )
}

it.each([
  ['text', new TextEncoder().encode('MEUCIQ==\n'), 'MEUCIQ==\n'],
  ['bytes', new Uint8Array([0x30, 0x45, 0x00, 0xff]), 'MEUA/w=='],
  ['bytes that no control characters betray', new Uint8Array([0xff, 0xfe, 0x41]), '//5B'],
])('takes a file of %s, and shows its name in place of the fields', async (_, bytes, given) => {
  const { person } = show(<Fields />)

  await person.upload(
    screen.getByLabelText('Text of the signature, as a file'),
    new File([bytes], 'gateway.bin.sig'),
  )

  await screen.findByText(/^gateway\.bin\.sig, /)
  expect(document.querySelector('output')?.textContent).toBe(given)
  expect(screen.queryByRole('textbox')).toBeNull()
})

it('reads no file that is larger than any of its kind, and says so', async () => {
  const { person } = show(<Fields />)

  await person.upload(
    screen.getByLabelText('Text of the signature, as a file'),
    new File([new Uint8Array(65)], 'image.bin'),
  )

  await screen.findByText('image.bin has 65 B; at most 64 B are read.')
  expect(document.querySelector('output')?.textContent).toBe('')
})

it('goes back from a file to a text', async () => {
  const { person } = show(<Fields />)
  await person.upload(
    screen.getByLabelText('Text of the signature, as a file'),
    new File(['MEUCIQ=='], 'a.sig'),
  )

  await person.click(await screen.findByRole('button', { name: 'Paste a text instead' }))

  expect(screen.getByRole('textbox', { name: /Text of the signature/ })).toHaveProperty('value', '')
})
