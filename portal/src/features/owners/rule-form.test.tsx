import { screen } from '@testing-library/react'
import { expect, it, vi } from 'vitest'
import { show } from '../../../test/components.tsx'
import type { RuleDraft } from './drafts.ts'
import { RuleForm } from './rule-form.tsx'

const RULE: RuleDraft = {
  key: 'one',
  id: undefined,
  components: [],
  purls: [],
  files: [],
  firmwareIds: [],
  owner: '',
}
const NAMES = {
  teams: [{ value: 'boot', label: 'Boot' }],
  members: [{ value: 'ann', label: 'Ann Example' }],
  firmwares: [{ value: 'gateway', label: 'Gateway' }],
}

function givenForm() {
  const onDone = vi.fn<(rule: RuleDraft) => void>()
  return { ...show(<RuleForm rule={RULE} names={NAMES} onDone={onDone} />), onDone }
}

it('reads a pattern a line, and whom the rule gives to', async () => {
  const { person, onDone } = givenForm()

  await person.type(
    screen.getByRole('textbox', { name: 'Components' }),
    'u-boot*{Enter}{Enter} grub*',
  )
  await person.selectOptions(screen.getByRole('combobox', { name: /Belongs to/ }), 'Boot')
  await person.click(screen.getByRole('button', { name: 'Take it over' }))

  expect(onDone.mock.calls).toEqual([
    [{ ...RULE, components: ['u-boot*', 'grub*'], owner: 'boot' }],
  ])
})

it('takes no rule without an owner, and says why', async () => {
  const { person, onDone, container } = givenForm()

  // The browser asks for the field before that; without it the form does.
  container.querySelector('form')?.setAttribute('novalidate', '')
  await person.click(screen.getByRole('button', { name: 'Take it over' }))

  expect(screen.getByText('Choose who gets what fits.')).toBeTruthy()
  expect(onDone).not.toHaveBeenCalled()
})

it('says that a rule which asks for nothing takes all findings', async () => {
  const { person } = givenForm()
  expect(screen.queryByText(/takes all findings/)).toBeNull()

  await person.selectOptions(screen.getByRole('combobox', { name: /Belongs to/ }), 'Ann Example')

  expect(screen.getByText(/takes all findings/)).toBeTruthy()
})
