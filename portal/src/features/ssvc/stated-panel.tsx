/** What is stated of firmware, or of cohorts: a row each, with what the service said of it. */
import type { ReactNode } from 'react'
import { Link } from '@tanstack/react-router'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { Choice } from '../../components/choice.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { ListPanel, type ListPanelProps } from '../../components/list-panel.tsx'
import { Empty } from '../../components/states.tsx'
import { useWorkspaceId } from '../../session.ts'
import css from './ssvc.module.css'

interface Named {
  id: string
  name: string
}

interface StatedPanelProps<Row extends Named> extends Pick<
  ListPanelProps<Row>,
  'query' | 'rows' | 'note' | 'foot'
> {
  id: string
  title: string
  /** One of them, and all: "Product", "Products". */
  nouns: readonly [one: string, all: string]
  columns: readonly CardColumn<Row>[]
  file: ListFile<Row>
  describeFault: (id: string) => string | undefined
  empty: {
    title: string
    text: string
    to: '/w/$workspaceId/firmware' | '/w/$workspaceId/deployments'
    link: string
  }
}

export function StatedPanel<Row extends Named>(props: StatedPanelProps<Row>) {
  const { nouns, columns, file, describeFault, empty, ...panel } = props
  const workspaceId = useWorkspaceId()
  const name: CardColumn<Row> = {
    title: nouns[0],
    isPlain: true,
    cell: (row) => <NamedRow name={row.name} fault={describeFault(row.id)} />,
  }
  return (
    <ListPanel
      {...panel}
      loadingRows={3}
      empty={
        <Empty
          title={empty.title}
          action={
            <Link to={empty.to} params={{ workspaceId }}>
              {empty.link}
            </Link>
          }
        >
          {empty.text}
        </Empty>
      }
    >
      {(rows) => (
        <CardTable
          label={nouns[1]}
          list={file.name}
          csv={file}
          columns={[name, ...columns]}
          rows={rows}
          keyOf={({ id }) => id}
        />
      )}
    </ListPanel>
  )
}

function NamedRow({ name, fault }: { name: string; fault: ReactNode }) {
  return (
    <>
      <strong>{name}</strong>
      {fault !== undefined && (
        <p className={css['fault']} role="alert">
          {fault}
        </p>
      )}
    </>
  )
}

interface StatedChoiceProps<Value extends string> {
  label: string
  options: readonly { value: Value; text: string }[]
  value: Value | null
  onChange: (value: Value | null) => void
}

export function StatedChoice<Value extends string>(props: StatedChoiceProps<Value>) {
  return <Choice {...props} none="Not stated" className={css['choice']} />
}
