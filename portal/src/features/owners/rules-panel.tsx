/** The owner rules in their order: the first one that fits a finding gives its owner. */
import type { OwnerRules } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { useColleagues } from '../../components/discussion/assignee.tsx'
import { describeConditions } from '../../components/owners/describe-rule.ts'
import { Panel } from '../../components/panel.tsx'
import { Empty } from '../../components/states.tsx'
import { createUuid } from '../../keyed-fetch.ts'
import { useWorkspaceId } from '../../session.ts'
import { firmwaresQuery } from '../../workspace-queries.ts'
import { moveRule, type NameOption, type Names, putDraft, type RuleDraft } from './drafts.ts'
import css from './owners.module.css'
import { RuleForm } from './rule-form.tsx'
import { type DraftsPanelProps, RowFault } from './teams-panel.tsx'

interface RulesPanelProps extends DraftsPanelProps {
  /** As the service knows them: what they name may have gone. */
  known: OwnerRules['rules']
}

const NEW_RULE = (): RuleDraft => ({
  key: createUuid(),
  id: undefined,
  components: [],
  purls: [],
  files: [],
  firmwareIds: [],
  owner: '',
})

export function RulesPanel({ drafts, known, mayWrite, error, onChange }: RulesPanelProps) {
  const [opened, setOpened] = useState<RuleDraft>()
  const names = useNames(drafts.teams, known)
  const { rules } = drafts
  const put = (rule: RuleDraft) => {
    onChange({ rules: putDraft(rules, rule) })
    setOpened(undefined)
  }
  const add = mayWrite && (
    <Button size="small" aria-haspopup="dialog" onClick={() => setOpened(NEW_RULE())}>
      New rule
    </Button>
  )
  return (
    <Panel title="Rules" note="the first one that fits gives the owner" aside={add} isFlush>
      {rules.length === 0 && (
        <Empty title="No rule yet">
          {mayWrite
            ? 'Say whose findings are: with New rule, what is in u-boot* belongs to one member or team, what is in one firmware to another. Rules hold for versions to come, too.'
            : 'Findings belong to whoever is assigned to them. Owners and admins of the workspace state rules.'}
        </Empty>
      )}
      <ol className={css['rules']} aria-label="Rules">
        {rules.map((rule, place) => (
          <li key={rule.key} id={`rule-${rule.key}`}>
            <RuleText rule={rule} place={place} names={names} />
            <RowFault error={error} list="rules" place={place} />
            {mayWrite && (
              <RuleActs
                rule={rule}
                place={place}
                count={rules.length}
                onOpen={() => setOpened(rule)}
                onMove={(by) => onChange({ rules: moveRule(rules, place, by) })}
                onRemove={() => onChange({ rules: rules.toSpliced(place, 1) })}
              />
            )}
          </li>
        ))}
      </ol>
      <Dialog
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        title={opened?.owner === '' ? 'New rule' : 'Change the rule'}
      >
        {opened && <RuleForm rule={opened} names={names} onDone={put} />}
      </Dialog>
    </Panel>
  )
}

/** What rules may name, and what they name although it has gone. */
function useNames(teams: RulesPanelProps['drafts']['teams'], known: RulesPanelProps['known']) {
  const { data } = useQuery(firmwaresQuery(useWorkspaceId()))
  const members = useColleagues().map(({ value, name }) => ({ value, label: name }))
  const firmwares = (data?.firmwares ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const left = known.flatMap(({ owner, vacancy }) =>
    owner.type === 'Member' && vacancy !== null
      ? [{ value: owner.id, label: `${owner.name} (left)` }]
      : [],
  )
  const gone = known
    .flatMap((rule) => rule.firmwares)
    .flatMap(({ id, name }) => (name === null ? [{ value: id, label: 'a deleted firmware' }] : []))
  return {
    teams: teams.map(({ key, name }) => ({ value: key, label: name })),
    members: addMissing(members, left),
    firmwares: addMissing(firmwares, gone),
  }
}

const addMissing = (all: readonly NameOption[], more: readonly NameOption[]): NameOption[] => [
  ...new Map([...more, ...all].map((one) => [one.value, one])).values(),
]

const findName = (all: readonly NameOption[], wanted: string) =>
  all.find(({ value }) => value === wanted)?.label

interface RuleTextProps {
  rule: RuleDraft
  place: number
  names: Names
}

function RuleText({ rule, place, names }: RuleTextProps) {
  const { teams, members, firmwares } = names
  const owner = findName(teams, rule.owner) ?? findName(members, rule.owner) ?? '…'
  const firmwareNames = rule.firmwareIds.map((id) => findName(firmwares, id) ?? '…')
  return (
    <p>
      <span className={css['place']}>{place + 1}</span>{' '}
      {describeConditions({ ...rule, firmwareNames })} → <strong>{owner}</strong>
    </p>
  )
}

interface RuleActsProps {
  rule: RuleDraft
  place: number
  count: number
  onOpen: () => void
  onMove: (by: -1 | 1) => void
  onRemove: () => void
}

/** The buttons that move keep the focus, so that a rule is moved several places by one key. */
function RuleActs({ rule, place, count, onOpen, onMove, onRemove }: RuleActsProps) {
  const number = place + 1
  const move = (by: -1 | 1) => {
    onMove(by)
    const isAtEnd = by === -1 ? place === 1 : place === count - 2
    const wanted = by === -1 ? 'up' : 'down'
    const other = by === -1 ? 'down' : 'up'
    requestAnimationFrame(() =>
      document.getElementById(`${isAtEnd ? other : wanted}-${rule.key}`)?.focus(),
    )
  }
  return (
    <div className={css['acts']}>
      <Button
        size="small"
        id={`up-${rule.key}`}
        disabled={place === 0}
        aria-label={`Move up rule ${number}`}
        onClick={() => move(-1)}
      >
        Up
      </Button>
      <Button
        size="small"
        id={`down-${rule.key}`}
        disabled={place === count - 1}
        aria-label={`Move down rule ${number}`}
        onClick={() => move(1)}
      >
        Down
      </Button>
      <Button
        size="small"
        aria-haspopup="dialog"
        aria-label={`Change rule ${number}`}
        onClick={onOpen}
      >
        Change…
      </Button>
      <Button size="small" aria-label={`Remove rule ${number}`} onClick={onRemove}>
        Remove
      </Button>
    </div>
  )
}
