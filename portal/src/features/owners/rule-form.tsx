/** One owner rule: what it asks for, and whom it gives to. */
import { MultiSelect, NativeSelect, Textarea } from '@mantine/core'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { GoBack } from '../../components/dialog.tsx'
import { Form, FormActs } from '../../components/form.tsx'
import { type Names, readLines, type RuleDraft } from './drafts.ts'
import css from './owners.module.css'

const PATTERNS = [
  {
    name: 'components',
    label: 'Components',
    hint: 'Their names, or the source they are built from: one pattern a line, * is any text',
    example: 'u-boot*',
  },
  { name: 'purls', label: 'Package URLs', hint: 'As SBOMs declare them', example: 'pkg:npm/*' },
  {
    name: 'files',
    label: 'SBOM files',
    hint: 'Where an image has a document for each part: the part',
    example: 'modem*',
  },
] as const

interface RuleFormProps {
  rule: RuleDraft
  names: Names
  onDone: (rule: RuleDraft) => void
}

export function RuleForm({ rule, names, onDone }: RuleFormProps) {
  const [draft, setDraft] = useState(() => ({
    components: rule.components.join('\n'),
    purls: rule.purls.join('\n'),
    files: rule.files.join('\n'),
    firmwareIds: [...rule.firmwareIds],
    owner: rule.owner,
  }))
  const [isTried, setTried] = useState(false)
  const change = (changed: Partial<typeof draft>) => setDraft((old) => ({ ...old, ...changed }))
  const { teams, members, firmwares } = names
  const read = {
    components: readLines(draft.components),
    purls: readLines(draft.purls),
    files: readLines(draft.files),
  }
  const isForAll =
    [...Object.values(read), draft.firmwareIds].every((list) => list.length === 0) &&
    draft.owner !== ''
  return (
    <Form
      label="Owner rule"
      onSubmit={() => {
        setTried(true)
        if (draft.owner !== '') onDone({ ...rule, ...draft, ...read })
      }}
    >
      <p className={css['note']}>
        All that is stated must hold; what is left empty asks nothing. A pattern must fit the whole
        text, and case does not matter.
      </p>
      {PATTERNS.map(({ name, label, hint, example }) => (
        <Textarea
          key={name}
          label={label}
          description={hint}
          placeholder={example}
          autosize
          maxRows={6}
          value={draft[name]}
          onChange={(event) => change({ [name]: event.currentTarget.value })}
        />
      ))}
      <MultiSelect
        label="Firmware"
        description="None: in all of them"
        searchable
        data={[...firmwares]}
        value={draft.firmwareIds}
        onChange={(firmwareIds) => change({ firmwareIds })}
      />
      <NativeSelect
        label="Belongs to"
        required
        data={[
          { value: '', label: 'Choose a team or a member' },
          { group: 'Teams', items: [...teams] },
          { group: 'Members', items: [...members] },
        ]}
        value={draft.owner}
        onChange={(event) => change({ owner: event.currentTarget.value })}
        error={isTried && draft.owner === '' && 'Choose who gets what fits.'}
      />
      {isForAll && (
        <p className={css['note']} role="status">
          It asks for nothing, so it takes all findings: rules after it give nothing.
        </p>
      )}
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary">
          Take it over
        </Button>
      </FormActs>
    </Form>
  )
}
