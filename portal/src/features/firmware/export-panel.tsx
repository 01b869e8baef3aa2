import { Menu } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { useOpenedMenu } from '../../components/menu-button.tsx'
import { buildDossier, buildVersionReport } from '../../components/reports.ts'
import { useWorkspaceId } from '../../session.ts'
import { sbomsQuery } from '../../workspace-queries.ts'
import { findVersionFiles, isStatement, NOTHING_STATED, VERSION_FILES } from './exports.ts'
import { vexDocumentsQuery } from './queries.ts'

interface ExportPanelProps {
  target: ReactElement
  versionId: string
  onBadge: () => void
  onSbom: (sbomId: string) => void
}

export default function ExportPanel(props: ExportPanelProps) {
  const { target, versionId, onBadge, onSbom } = props
  const menu = useOpenedMenu()
  const workspaceId = useWorkspaceId()
  const base = findVersionFiles(workspaceId, versionId)
  const { data: vex } = useQuery(vexDocumentsQuery(workspaceId, versionId))
  const { data } = useQuery(sbomsQuery(workspaceId, versionId))
  const isSilent = (path: string) => isStatement(path) && vex?.exportable === false
  return (
    <Menu {...menu} position="bottom-end" width={280}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          component="a"
          href={buildVersionReport(workspaceId, versionId)}
          target="_blank"
          rel="noopener"
        >
          Report to print
        </Menu.Item>
        <Menu.Item
          component="a"
          href={buildDossier(workspaceId, versionId)}
          target="_blank"
          rel="noopener"
        >
          Release dossier to print
        </Menu.Item>
        <Menu.Item component="a" href={`${buildDossier(workspaceId, versionId)}/export`} download>
          Release dossier as CSV
        </Menu.Item>
        {VERSION_FILES.map(({ title, files }) => [
          <Menu.Label key={title}>{title}</Menu.Label>,
          ...files.map(({ path, name }) =>
            isSilent(path) ? (
              <Menu.Item key={path} disabled title={NOTHING_STATED}>
                {name}: states nothing yet
              </Menu.Item>
            ) : (
              <Menu.Item key={path} component="a" href={`${base}/${path}`} download>
                {name}
              </Menu.Item>
            ),
          ),
        ])}
        <Menu.Label>The version</Menu.Label>
        {data?.sboms.length === 0 && <Menu.Item disabled>SBOM: there is none yet</Menu.Item>}
        {data?.sboms.map(({ id, fileName }) => (
          <Menu.Item key={id} onClick={() => onSbom(id)}>
            SBOM as received: {fileName}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={onBadge}>Badge for a README…</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
