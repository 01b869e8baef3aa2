/** Writes what the parser found: packages, components and graphs, and the outcome of each SBOM. */
import { sql } from 'kysely'
import type { GraphNode } from '../../../formats/sboms/model.ts'
import { announce } from '../../../platform/db/announcements.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { newId } from '../../../platform/ids.ts'
import { hashSelectorKeys } from '../package-overrides/selector-handles.ts'
import type { Replaceable, Replacement } from '../replacement/rules.ts'
import type { Linkable } from './linked-documents.ts'
import type { ComponentRow, PackageRow, SbomSummary } from './parser-messages.ts'

/** Does nothing if the SBOM is deleted or was parsed meanwhile. */
export async function updateSbomAsFailed(
  db: Db,
  sbom: { workspaceId: string; sbomId: string; parsingError: string; parsedAt: Date },
): Promise<void> {
  await db
    .updateTable('sboms')
    .set({
      parsingState: 'Failed',
      parsingError: sql`${sbom.parsingError}::text || case when replaces is null then ''
        else ' What it was to replace stays.' end`,
      parsedAt: sbom.parsedAt,
      failure: null,
    })
    .where('workspaceId', '=', sbom.workspaceId)
    .where('id', '=', sbom.sbomId)
    .where('parsingState', '=', 'InProgress')
    .execute()
  await announce(db, sbom.workspaceId, ['sboms', 'firmware'])
}

export async function updateSbomAsSucceeded(
  tx: Tx,
  sbom: {
    workspaceId: string
    sbomId: string
    parsedAt: Date
    parserVersion: number
    identityVersion: number
  } & SbomSummary,
): Promise<void> {
  await tx
    .updateTable('sboms')
    .set({
      parsingState: 'Succeeded',
      parsingError: null,
      failure: null,
      parsedAt: sbom.parsedAt,
      parserVersion: sbom.parserVersion,
      identityVersion: sbom.identityVersion,
      format: sbom.format,
      specVersion: sbom.specVersion ?? null,
      warnings: sbom.warnings,
      componentCount: sbom.componentCount,
      hasExternalReferences: sbom.hasExternalReferences,
      namespace: sbom.namespace ?? null,
      contentDigest: sbom.contentDigest ?? null,
      describedHashes: JSON.stringify(sbom.describedHashes),
      grades: JSON.stringify(sbom.grades),
    })
    .where('workspaceId', '=', sbom.workspaceId)
    .where('id', '=', sbom.sbomId)
    .execute()
}

export interface LinkableSbom extends Linkable, Replaceable {
  parsingState: string
  /** It is read, and counts when the rest of its upload is read. */
  isStaged: boolean
}

/** The documents of a firmware version. */
export async function listLinkableSboms(
  db: Db,
  workspaceId: string,
  firmwareVersionId: string,
): Promise<LinkableSbom[]> {
  return db
    .selectFrom('sboms')
    .select(['id', 'format', 'hasExternalReferences', 'parsingState'])
    .select(['fileName', 'namespace', 'uploadNumber'])
    .select(sql<Replacement | null>`replaces`.as('replaces'))
    .select(sql<boolean>`staged_statements is not null`.as('isStaged'))
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .orderBy('id')
    .execute()
}

/** Writes new packages with their keys. Existing packages stay as they are. */
export async function insertPackages(
  db: Db,
  rows: readonly PackageRow[],
  createdAt: Date,
): Promise<void> {
  const json = JSON.stringify(rows)
  await sql`
    with input as (
      select * from json_to_recordset(${json}::json) as input (id uuid, identity jsonb, keys jsonb)
    ), inserted as (
      insert into packages (id, identity, created_at)
      select id, identity, ${createdAt} from input order by id
      on conflict (id) do nothing
      returning id
    )
    insert into package_keys (key, package_id)
    select key, inserted.id
    from inserted join input using (id), jsonb_array_elements_text(input.keys) as key
    order by inserted.id, key`.execute(db)
}

export interface SbomRows<Row> {
  workspaceId: string
  sbomId: string
  rows: readonly Row[]
}

/** A component that is parsed again keeps its id if its declaration is the same. */
export async function insertComponents(
  tx: Tx,
  { workspaceId, sbomId, rows }: SbomRows<ComponentRow>,
): Promise<void> {
  const json = JSON.stringify(
    rows.map((row) => {
      const selectorKeys = hashSelectorKeys(workspaceId, row.selectorKeys)
      return { ...row, selectorKeys, id: newId() }
    }),
  )
  await sql`
    insert into sbom_components (
      workspace_id, sbom_id, node, id, vendor, package_name, version, purl, cpes, licenses, hashes,
      supplier, download_location, scope, package_id, source_name, not_matched_reason, built_from, override_id, ref,
      addresses, selector_keys
    )
    select ${workspaceId}, ${sbomId}, node, id, vendor, "packageName", version, purl,
      array(select jsonb_array_elements_text(cpes)), array(select jsonb_array_elements_text(licenses)),
      hashes, supplier, "downloadLocation", scope, "packageId", "sourceName", "notMatchedReason", "builtFrom",
      "overrideId", ref, array(select jsonb_array_elements_text(addresses)),
      array(select jsonb_array_elements_text("selectorKeys")::integer)
    from json_to_recordset(${json}::json) as input (
      node integer, id uuid, vendor text, "packageName" text, version text, purl text, cpes jsonb,
      licenses jsonb, hashes jsonb, supplier text, "downloadLocation" text, scope text,
      "packageId" uuid, "sourceName" text, "notMatchedReason" text, "builtFrom" jsonb, "overrideId" uuid, ref text,
      addresses jsonb, "selectorKeys" jsonb
    )
    on conflict (workspace_id, sbom_id, node) do update set
      id = case
        when (sbom_components.package_name, sbom_components.version, sbom_components.purl)
          is not distinct from (excluded.package_name, excluded.version, excluded.purl)
        then sbom_components.id else excluded.id
      end,
      vendor = excluded.vendor, package_name = excluded.package_name, version = excluded.version,
      purl = excluded.purl, cpes = excluded.cpes, licenses = excluded.licenses, hashes = excluded.hashes,
      supplier = excluded.supplier, download_location = excluded.download_location, scope = excluded.scope,
      package_id = excluded.package_id, source_name = excluded.source_name,
      not_matched_reason = excluded.not_matched_reason, built_from = excluded.built_from,
      override_id = excluded.override_id, ref = excluded.ref,
      addresses = excluded.addresses, selector_keys = excluded.selector_keys`.execute(tx)
}

/**
 * Linking can give a component another package or scope: its recipe, or what needs it, may be in a document that was just
 * uploaded.
 */
export async function updateComponentPackages(
  tx: Tx,
  { workspaceId, sbomId, rows }: SbomRows<ComponentRow>,
): Promise<void> {
  const json = JSON.stringify(
    rows.map(({ node, scope, packageId, sourceName, notMatchedReason, builtFrom, ...row }) => ({
      node,
      scope,
      packageId,
      sourceName,
      notMatchedReason,
      builtFrom,
      overrideId: row.overrideId,
      selectorKeys: hashSelectorKeys(workspaceId, row.selectorKeys),
    })),
  )
  await sql`
    update sbom_components as component
    set scope = input.scope, package_id = input."packageId", source_name = input."sourceName",
      not_matched_reason = input."notMatchedReason", built_from = input."builtFrom",
      override_id = input."overrideId",
      selector_keys = array(select jsonb_array_elements_text(input."selectorKeys")::integer)
    from json_to_recordset(${json}::json) as input (
      node integer, scope text, "packageId" uuid, "sourceName" text, "notMatchedReason" text, "builtFrom" jsonb,
      "overrideId" uuid, "selectorKeys" jsonb
    )
    where component.workspace_id = ${workspaceId} and component.sbom_id = ${sbomId}
      and component.node = input.node
      and (component.scope, component.package_id, component.source_name, component.not_matched_reason,
          component.built_from, component.override_id)
        is distinct from (input.scope, input."packageId", input."sourceName", input."notMatchedReason",
          input."builtFrom", input."overrideId")`.execute(tx)
}

/** Deletes components of an earlier parse that the last one did not find. */
export async function deleteComponentsFrom(
  tx: Tx,
  { workspaceId, sbomId, node }: { workspaceId: string; sbomId: string; node: number },
): Promise<void> {
  await tx
    .deleteFrom('sbomComponents')
    .where('workspaceId', '=', workspaceId)
    .where('sbomId', '=', sbomId)
    .where('node', '>=', node)
    .execute()
}

export async function deleteGraphNodes(tx: Tx, workspaceId: string, sbomId: string): Promise<void> {
  await tx
    .deleteFrom('sbomGraphNodes')
    .where('workspaceId', '=', workspaceId)
    .where('sbomId', '=', sbomId)
    .execute()
}

export async function insertGraphNodes(
  tx: Tx,
  { workspaceId, sbomId, rows }: SbomRows<GraphNode>,
): Promise<void> {
  const json = JSON.stringify(rows)
  await sql`
    insert into sbom_graph_nodes (workspace_id, sbom_id, node, label, parents, next, distance)
    select ${workspaceId}, ${sbomId}, node, label,
      array(select value::integer from jsonb_array_elements_text(parents) as value), next, distance
    from json_to_recordset(${json}::json) as input (
      node integer, label text, parents jsonb, next integer, distance integer
    )`.execute(tx)
}

/** The reason of a component in the table `component`, without what differs from one component to the next. */
export const SHOWN_REASON = sql`regexp_replace(component.not_matched_reason, '^(invalid identifier|ignored).*$', '\\1')`

/** Counts the components of these SBOMs that are not matched, by reason. */
export async function updateNotMatched(
  tx: Tx,
  workspaceId: string,
  sbomIds: readonly string[],
): Promise<void> {
  await sql`
    with locked as materialized (
      select id from sboms where workspace_id = ${workspaceId} and id = any(${sbomIds}::uuid[])
      order by id for no key update
    )
    update sboms as sbom set not_matched = coalesce((
      select jsonb_object_agg(reason, amount) from (
        select ${SHOWN_REASON} as reason, count(*) as amount
        from sbom_components as component
        where component.workspace_id = ${workspaceId} and component.sbom_id = sbom.id
          and component.not_matched_reason is not null
        group by 1
      ) as reasons
    ), '{}')
    where sbom.workspace_id = ${workspaceId} and sbom.id in (select id from locked)`.execute(tx)
}

/** The document can no longer be parsed: its components stay, and a warning says so. */
export async function updateSbomWithWarning(
  db: Db,
  sbom: { workspaceId: string; sbomId: string; parserVersion: number; warning: string },
): Promise<void> {
  const { workspaceId, sbomId, parserVersion, warning } = sbom
  await db
    .updateTable('sboms')
    .set({
      parserVersion,
      warnings: sql`array_append(array_remove(warnings, ${warning}), ${warning})`,
    })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', sbomId)
    .where('parsingState', '=', 'Succeeded')
    .execute()
}

/** Limits each statement of the transaction. */
export async function limitStatements(tx: Tx, seconds: number): Promise<void> {
  await sql`select set_config('statement_timeout', ${`${seconds}s`}, true)`.execute(tx)
}
