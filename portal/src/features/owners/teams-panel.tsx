/** Teams: members who own findings together. */
import { Checkbox, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { Dialog, GoBack } from '../../components/dialog.tsx'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { Form, FormActs } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty } from '../../components/states.tsx'
import { formatCountOf } from '../../format/counts.ts'
import { createUuid } from '../../keyed-fetch.ts'
import { type Drafts, findRowFault, putDraft, removeTeam, type TeamDraft } from './drafts.ts'
import css from './owners.module.css'

export interface DraftsPanelProps {
  drafts: Drafts
  mayWrite: boolean
  /** Of the last preview or saving: what it says of rows stands beside them. */
  error: unknown
  onChange: (changed: Partial<Drafts>) => void
}

const NEW_TEAM = (): TeamDraft => ({
  key: createUuid(),
  id: undefined,
  name: '',
  memberIds: [],
})

export function TeamsPanel({ drafts, mayWrite, error, onChange }: DraftsPanelProps) {
  const [opened, setOpened] = useState<TeamDraft>()
  const colleagues = useColleagues()
  const nameOf = (id: string) => colleagues.find(({ value }) => value === id)?.name ?? 'somebody'
  const columns: CardColumn<TeamDraft>[] = [
    {
      title: 'Team',
      isPlain: true,
      cell: ({ name, key }) => (
        <>
          <strong>{name}</strong>
          <RowFault {...{ error }} list="teams" place={placeOf(drafts.teams, key)} />
        </>
      ),
    },
    {
      title: 'Members',
      cell: ({ memberIds }) =>
        memberIds.length === 0
          ? 'none is left: its rules give nothing'
          : memberIds.map(nameOf).join(', '),
    },
    {
      title: 'Acts',
      isActs: true,
      cell: (team) => (
        <TeamActs
          team={team}
          ruleCount={drafts.rules.filter(({ owner }) => owner === team.key).length}
          onOpen={() => setOpened(team)}
          onRemove={() => onChange(removeTeam(drafts, team.key))}
        />
      ),
    },
  ]
  return (
    <Panel
      title="Teams"
      isFlush
      aside={
        mayWrite && (
          <Button size="small" aria-haspopup="dialog" onClick={() => setOpened(NEW_TEAM())}>
            New team
          </Button>
        )
      }
    >
      {drafts.teams.length === 0 ? (
        <Empty title="No team yet">
          Rules give findings to members; with a team, several members own them together.
        </Empty>
      ) : (
        <CardTable
          label="Teams"
          list="owner-teams"
          csv={fileOf(nameOf)}
          columns={mayWrite ? columns : columns.slice(0, -1)}
          rows={drafts.teams}
          keyOf={({ key }) => key}
        />
      )}
      <Dialog
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={opened?.name ? `Team ${opened.name}` : 'New team'}
      >
        {opened && (
          <TeamForm
            team={opened}
            others={drafts.teams.filter(({ key }) => key !== opened.key)}
            onDone={(team) => {
              onChange({ teams: putDraft(drafts.teams, team) })
              setOpened(undefined)
            }}
          />
        )}
      </Dialog>
    </Panel>
  )
}

const placeOf = (all: readonly { key: string }[], wanted: string) =>
  all.findIndex(({ key }) => key === wanted)

const fileOf = (nameOf: (id: string) => string): ListFile<TeamDraft> => ({
  name: 'teams',
  columns: ['name', ['members', ({ memberIds }) => memberIds.map(nameOf).join(', ')]],
})

interface RowFaultProps {
  error: unknown
  list: keyof Drafts
  place: number
}

export function RowFault({ error, list, place }: RowFaultProps) {
  const fault = findRowFault(error, list, place)
  if (fault === undefined) return null
  return (
    <p className={css['fault']} role="alert">
      {fault}
    </p>
  )
}

interface TeamActsProps {
  team: TeamDraft
  /** How many rules give to it. */
  ruleCount: number
  onOpen: () => void
  onRemove: () => void
}

/** Removing says what goes with it; nothing holds before it is saved. */
function TeamActs({ team: { name }, ruleCount, onOpen, onRemove }: TeamActsProps) {
  const rules = ruleCount === 0 ? '' : ` with ${formatCountOf(ruleCount, 'rule')}`
  return (
    <div className={css['acts']}>
      <Button
        size="small"
        aria-haspopup="dialog"
        aria-label={`Change team ${name}`}
        onClick={onOpen}
      >
        Change…
      </Button>
      <Button size="small" aria-label={`Remove${rules}: team ${name}`} onClick={onRemove}>
        Remove{rules}
      </Button>
    </div>
  )
}

interface TeamFormProps {
  team: TeamDraft
  others: readonly TeamDraft[]
  onDone: (team: TeamDraft) => void
}

function TeamForm({ team, others, onDone }: TeamFormProps) {
  const [draft, setDraft] = useState(team)
  const [isTried, setTried] = useState(false)
  const colleagues = useColleagues()
  const nameFault = findNameFault(draft.name, others)
  const memberFault = draft.memberIds.length === 0 ? 'A team has at least one member.' : undefined
  return (
    <Form
      label="Team"
      onSubmit={() => {
        setTried(true)
        if (nameFault === undefined && memberFault === undefined)
          onDone({ ...draft, name: draft.name.trim() })
      }}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        value={draft.name}
        onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        error={isTried && nameFault}
      />
      <Checkbox.Group
        label="Members"
        value={[...draft.memberIds]}
        onChange={(memberIds) => setDraft({ ...draft, memberIds })}
        error={isTried && memberFault}
      >
        <div className={css['members']}>
          {colleagues.map(({ value, name, email }) => (
            <Checkbox
              key={value}
              value={value}
              label={name === email ? name : `${name}, ${email}`}
            />
          ))}
        </div>
      </Checkbox.Group>
      <FormActs>
        <GoBack />
        <Button type="submit" kind="primary">
          Take it over
        </Button>
      </FormActs>
    </Form>
  )
}

function findNameFault(name: string, others: readonly TeamDraft[]): string | undefined {
  const wanted = name.trim().toLowerCase()
  if (wanted === '') return 'A team has a name.'
  return others.some((other) => other.name.toLowerCase() === wanted)
    ? 'Another team has this name.'
    : undefined
}
