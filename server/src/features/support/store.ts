import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

/** A package of a version with what is known of its support. Without product and statement, nobody lists it. */
export interface SupportedPackage {
  componentName: string
  componentVersion: string | null
  product: string | null
  label: string | null
  productLink: string | null
  isGone: boolean
  cycle: string | null
  codename: string | null
  isLts: boolean | null
  endsOn: string | null
  hasEnded: boolean | null
  extendedEndsOn: string | null
  latest: string | null
  fault: string | null
  key: string | null
  version: string | null
  statementId: string | null
  statementName: string | null
  statedEnd: string | null
  statementLink: string | null
  note: string | null
  createdByEmail: string | null
}

interface Version {
  workspaceId: string
  firmwareVersionId: string
}

/** Everything that is in the version now. The newest of several statements about a package counts. */
export async function listSupportOfVersion(
  db: Db,
  { workspaceId, firmwareVersionId }: Version,
): Promise<SupportedPackage[]> {
  const { rows } = await sql<SupportedPackage>`
    select held.component_name, held.component_version, support.product, product.label, product.link as product_link,
      product.gone_at is not null as is_gone, support.cycle, cycle.codename, cycle.is_lts, cycle.ends_on::text as ends_on,
      cycle.has_ended, cycle.extended_ends_on::text as extended_ends_on, cycle.latest, cycle.fault, support.key,
      support.version, stated.id as statement_id, coalesce(stated.name, stated.purl) as statement_name,
      stated.ends_on::text as stated_end, stated.link as statement_link, stated.note, stated.created_by_email
    from firmware_version_packages as held
    left join package_support as support on support.package_id = held.package_id
    left join support_products as product on product.name = support.product
    left join support_cycles as cycle on cycle.product = support.product and cycle.cycle = support.cycle
    left join (
      select distinct on (chosen.package_id) chosen.package_id, statement.*
      from support_statement_packages as chosen
      join support_statements as statement
        on statement.workspace_id = chosen.workspace_id and statement.id = chosen.statement_id
      where chosen.workspace_id = ${workspaceId}
      order by chosen.package_id, statement.created_at desc, statement.id
    ) as stated on stated.package_id = held.package_id
    where held.workspace_id = ${workspaceId} and held.firmware_version_id = ${firmwareVersionId} and held.until is null
    order by held.component_name, held.component_version, held.package_id`.execute(db)
  return rows
}

export interface VersionFacts {
  supportEndsOn: string | null
  deviceCount: number
}

export async function readVersionFacts(
  db: Db,
  { workspaceId, firmwareVersionId }: Version,
): Promise<VersionFacts> {
  const { rows } = await sql<VersionFacts>`
    select coalesce(line.support_ends_on, firmware.support_ends_on,
        to_date(product.support_ends_in, 'YYYY-MM') + interval '1 month')::date::text as support_ends_on, (
      select coalesce(sum(devices), 0)::int from firmware_version_device_counts as counts
      where counts.workspace_id = ${workspaceId} and counts.firmware_version_id = ${firmwareVersionId}) as device_count
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    left join firmware_lines as line on line.workspace_id = ${workspaceId} and line.id = version.line_id
    left join product_line_firmwares as part on part.workspace_id = ${workspaceId} and part.firmware_id = version.firmware_id
    left join product_lines as product on product.workspace_id = ${workspaceId} and product.id = part.product_line_id
    where version.workspace_id = ${workspaceId} and version.id = ${firmwareVersionId}`.execute(db)
  return rows[0] ?? { supportEndsOn: null, deviceCount: 0 }
}

export interface EndingSupport {
  firmwareVersionId: string
  firmwareName: string
  versionName: string
  /** The product and its cycle, or the statement. */
  key: string
  label: string
  /** null: it has ended on a day that is not known. */
  endsOn: string | null
  componentCount: number
  deviceCount: number
}

/** What ends until the day in the versions of a workspace, each product and cycle once a version. It begins with the cycles, as few of all components have one that ends. */
export async function listEndingSupport(
  db: Db,
  {
    workspaceId,
    until,
    firmwareIds,
    onlyWhereDevicesRun,
  }: {
    workspaceId: string
    until: string
    /** Empty: any. */
    firmwareIds: readonly string[]
    onlyWhereDevicesRun: boolean
  },
): Promise<EndingSupport[]> {
  const { rows } = await sql<EndingSupport>`
    with stated as (
      select distinct on (chosen.package_id) chosen.package_id, statement.id, statement.ends_on,
        coalesce(statement.name, statement.purl) as label
      from support_statement_packages as chosen
      join support_statements as statement
        on statement.workspace_id = chosen.workspace_id and statement.id = chosen.statement_id
      where chosen.workspace_id = ${workspaceId}
      order by chosen.package_id, statement.created_at desc, statement.id
    ),
    ending as (
      select support.package_id, support.product || ' ' || support.cycle as key,
        product.label || ' ' || support.cycle as label, cycle.ends_on
      from support_cycles as cycle
      join support_products as product on product.name = cycle.product
      join package_support as support on support.product = cycle.product and support.cycle = cycle.cycle
      where (cycle.ends_on <= ${until}::date or (cycle.ends_on is null and cycle.has_ended))
        and not exists (select from stated where stated.package_id = support.package_id)
      union all
      select package_id, id::text, label, ends_on from stated where ends_on <= ${until}::date
    ),
    counted as (
      select firmware_version_id, sum(devices)::int as devices from firmware_version_device_counts
      where workspace_id = ${workspaceId} group by firmware_version_id
    )
    select version.id as firmware_version_id, firmware.name as firmware_name, version.name as version_name, ending.key,
      ending.label, ending.ends_on::text as ends_on, count(*)::int as component_count,
      coalesce(counted.devices, 0)::int as device_count
    from ending
    join firmware_version_packages as held
      on held.workspace_id = ${workspaceId} and held.package_id = ending.package_id and held.until is null
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = held.firmware_version_id
    join firmwares as firmware
      on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    left join counted on counted.firmware_version_id = version.id
    where (${firmwareIds.length === 0} or firmware.id = any(${firmwareIds}::uuid[]))
      and (not ${onlyWhereDevicesRun} or counted.devices > 0)
    group by version.id, firmware.name, version.name, ending.key, ending.label, ending.ends_on, counted.devices
    order by ending.ends_on nulls first, firmware.name, version.name, ending.key, version.id`.execute(
    db,
  )
  return rows
}
