-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/vex/acceptance/store.ts listAcceptable
with wanted as materialized (
  select pair.package_id, pair.vulnerability_id, alias.alias
  from unnest($1::uuid[], $2::text[]) as pair (package_id, vulnerability_id)
  join vulnerability_aliases as alias on alias.vulnerability_id = pair.vulnerability_id
),
  hit as materialized (
    select target.*, wanted.vulnerability_id, wanted.package_id as begun_package_id
    from wanted
    join vex_statement_targets as target on target.workspace_id = $3
      and target.vulnerability = wanted.alias
  ),
  held as materialized (
    select distinct fact.firmware_version_id, fact.package_id, hit.vulnerability_id,
      fact.component_name, fact.component_version
    from hit
    join firmware_version_packages as fact on fact.workspace_id = $4
      and fact.firmware_version_id = hit.firmware_version_id
      and fact.package_id = hit.begun_package_id and fact.until is null
    join package_matches as match on match.package_id = fact.package_id
      and match.vulnerability_id = hit.vulnerability_id and match.until is null
  ),
  targeted as materialized (
    select distinct held.*, hit.statement_id
    from hit
    join held on held.firmware_version_id = hit.firmware_version_id
      and held.vulnerability_id = hit.vulnerability_id and case
      when hit.package_id is not null then held.package_id = hit.package_id
      when hit.sbom_id is not null then exists (
        select
        from sbom_components as component
        where component.workspace_id = $5 and component.sbom_id = hit.sbom_id
          and component.package_id = held.package_id
      ) else true end
  ),
  newest as materialized (
    select distinct on (targeted.firmware_version_id, package_id, vulnerability_id) targeted.*,
      statement.pointer, statement.assessment, statement.justification, statement.detail,
      statement.responses, statement.stated_at, statement.document_id, statement.origin,
      document.author,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $6)::text[]
          )
      ) is true as is_deciding,
      jsonb_build_object(
        'vexDocumentId', document.id, 'format', document.format, 'documentId', document.document_id,
          'author', document.author, 'statedAt', statement.stated_at, 'importedByEmail',
          document.received_by_email, 'sbomFileName', sbom.file_name
      ) as stated_in,
      array_agg(targeted.statement_id) over (
        partition by targeted.firmware_version_id, package_id, vulnerability_id
      ) as statement_ids
    from targeted
    join vex_statements as statement on statement.workspace_id = $7
      and statement.id = targeted.statement_id
    join vex_documents as document on document.workspace_id = $8
      and document.id = statement.document_id
    left join sboms as sbom on sbom.workspace_id = $9 and sbom.id = document.sbom_id
    order by targeted.firmware_version_id, package_id, vulnerability_id,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $10)::text[]
          )
      ) is true desc, statement.origin = 'Document' desc, statement.stated_at desc,
      statement.received_at desc, statement.id desc
  )
select distinct on (finding.firmware_version_id, finding.package_id, finding.vulnerability_id)
  finding.firmware_version_id, finding.package_id, finding.vulnerability_id, finding.component_name,
  finding.component_version, statement.id as statement_id, statement.assessment,
  statement.justification, statement.detail, statement.responses,
  jsonb_build_object(
    'vexDocumentId', document.id, 'format', document.format, 'documentId', document.document_id,
      'author', document.author, 'statedAt', statement.stated_at, 'importedByEmail',
      document.received_by_email, 'sbomFileName', sbom.file_name
  ) as stated_in, coalesce(decision.assessment, 'NotAssessed') as old_assessment
from targeted as finding
join vex_statements as statement on statement.workspace_id = $11
  and statement.id = finding.statement_id
join vex_documents as document on document.workspace_id = $12
  and document.id = statement.document_id
left join sboms as sbom on sbom.workspace_id = $13 and sbom.id = document.sbom_id
left join finding_decisions as decision on decision.workspace_id = $14
  and decision.firmware_version_id = finding.firmware_version_id
  and decision.package_id = finding.package_id
  and decision.vulnerability_id = finding.vulnerability_id
where statement.id = $15 and finding.firmware_version_id = $16
order by finding.firmware_version_id, finding.package_id, finding.vulnerability_id,
  statement.stated_at desc, statement.received_at desc, statement.id desc;

-- server/src/features/vex/acceptance/store.ts listAcceptable
with held as materialized (
  select fact.firmware_version_id, fact.package_id, match.vulnerability_id, fact.component_name,
    fact.component_version
  from firmware_version_packages as fact
  join package_matches as match on match.package_id = fact.package_id and match.until is null
  where fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.until is null
),
  wanted as materialized (
    select distinct alias.vulnerability_id, alias.alias
    from held
    join vulnerability_aliases as alias using (vulnerability_id)
  ),
  hit as materialized (
    select target.*, wanted.vulnerability_id
    from vex_statement_targets as target
    join wanted on wanted.alias = target.vulnerability
    where target.workspace_id = $3 and target.firmware_version_id = $4
  ),
  targeted as materialized (
    select distinct held.*, hit.statement_id
    from hit
    join held on held.firmware_version_id = hit.firmware_version_id
      and held.vulnerability_id = hit.vulnerability_id and case
      when hit.package_id is not null then held.package_id = hit.package_id
      when hit.sbom_id is not null then exists (
        select
        from sbom_components as component
        where component.workspace_id = $5 and component.sbom_id = hit.sbom_id
          and component.package_id = held.package_id
      ) else true end
  ),
  newest as materialized (
    select distinct on (targeted.firmware_version_id, package_id, vulnerability_id) targeted.*,
      statement.pointer, statement.assessment, statement.justification, statement.detail,
      statement.responses, statement.stated_at, statement.document_id, statement.origin,
      document.author,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $6)::text[]
          )
      ) is true as is_deciding,
      jsonb_build_object(
        'vexDocumentId', document.id, 'format', document.format, 'documentId', document.document_id,
          'author', document.author, 'statedAt', statement.stated_at, 'importedByEmail',
          document.received_by_email, 'sbomFileName', sbom.file_name
      ) as stated_in,
      array_agg(targeted.statement_id) over (
        partition by targeted.firmware_version_id, package_id, vulnerability_id
      ) as statement_ids
    from targeted
    join vex_statements as statement on statement.workspace_id = $7
      and statement.id = targeted.statement_id
    join vex_documents as document on document.workspace_id = $8
      and document.id = statement.document_id
    left join sboms as sbom on sbom.workspace_id = $9 and sbom.id = document.sbom_id
    order by targeted.firmware_version_id, package_id, vulnerability_id,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $10)::text[]
          )
      ) is true desc, statement.origin = 'Document' desc, statement.stated_at desc,
      statement.received_at desc, statement.id desc
  )
select distinct on (finding.firmware_version_id, finding.package_id, finding.vulnerability_id)
  finding.firmware_version_id, finding.package_id, finding.vulnerability_id, finding.component_name,
  finding.component_version, statement.id as statement_id, statement.assessment,
  statement.justification, statement.detail, statement.responses,
  jsonb_build_object(
    'vexDocumentId', document.id, 'format', document.format, 'documentId', document.document_id,
      'author', document.author, 'statedAt', statement.stated_at, 'importedByEmail',
      document.received_by_email, 'sbomFileName', sbom.file_name
  ) as stated_in, coalesce(decision.assessment, 'NotAssessed') as old_assessment
from targeted as finding
join vex_statements as statement on statement.workspace_id = $11
  and statement.id = finding.statement_id
join vex_documents as document on document.workspace_id = $12
  and document.id = statement.document_id
left join sboms as sbom on sbom.workspace_id = $13 and sbom.id = document.sbom_id
left join finding_decisions as decision on decision.workspace_id = $14
  and decision.firmware_version_id = finding.firmware_version_id
  and decision.package_id = finding.package_id
  and decision.vulnerability_id = finding.vulnerability_id
where document.id = $15
  and (
    case when decision.assessed_at is null then null
      when decision.source in ('User', 'ApiKey') then 'Person'
      when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
      when decision.origin is not null then decision.origin
      when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
      and decision.statement_id is not null then 'Document' else 'Person' end
  ) = 'Person' and decision.assessment <> statement.assessment
order by finding.firmware_version_id, finding.package_id, finding.vulnerability_id,
  statement.stated_at desc, statement.received_at desc, statement.id desc;

-- server/src/features/vex/decisions/dropped-store.ts listCarriedDropped
select distinct decision.package_id, decision.vulnerability_id, decision.assessment,
  decision.stated_in ->> 'author' as author, decision.stated_in ->> 'documentId' as document_id
from unnest($1::text[], $2::text[]) as given (vex_document_id, vulnerability_id)
join finding_decisions as decision on decision.workspace_id = $3
  and decision.firmware_version_id = $4 and decision.vulnerability_id = given.vulnerability_id
  and decision.stated_in ->> 'vexDocumentId' = given.vex_document_id
where decision.assessment <> 'NotAssessed' and decision.origin = 'Document'
  and decision.stated_in ->> 'importedByEmail' is null
  and decision.stated_in ->> 'sbomFileName' is null
  and not exists (
    select
    from vex_statement_targets as target
    where target.workspace_id = $5 and target.firmware_version_id = $6
      and target.statement_id = decision.statement_id
  )
order by decision.package_id, decision.vulnerability_id;

-- server/src/features/vex/decisions/dropped-store.ts listDecisionsOfDocuments
select decision.package_id, decision.vulnerability_id, decision.assessment,
  decision.stated_in ->> 'author' as author, decision.stated_in ->> 'documentId' as document_id,
  coalesce(document.id::text, decision.stated_in ->> 'vexDocumentId') as vex_document_id
from finding_decisions as decision
left join vex_statements as statement on statement.workspace_id = $1
  and statement.id = decision.statement_id
  and statement.document_id = any($2::uuid[]) left join vex_documents as document on document.workspace_id
  = $3 and document.id = statement.document_id
  and document.document_id is not distinct from decision.stated_in ->> 'documentId'
  and document.author is not distinct from decision.stated_in ->> 'author'
where decision.workspace_id = $4 and decision.firmware_version_id = $5
  and decision.assessment <> 'NotAssessed' and decision.origin = 'Document'
  and decision.stated_in ->> 'importedByEmail' is null
  and decision.stated_in ->> 'sbomFileName' is null
  and (document.id is not null or decision.stated_in ->> 'vexDocumentId' = any($6::text[]))
order by decision.package_id, decision.vulnerability_id;

-- server/src/features/vex/decisions/dropped-store.ts listVersionsFollowing
select distinct decision.firmware_version_id as id
from unnest($1::text[], $2::text[]) as given (vex_document_id, vulnerability_id)
join finding_decisions as decision on decision.workspace_id = $3
  and decision.vulnerability_id = given.vulnerability_id
  and decision.stated_in ->> 'vexDocumentId' = given.vex_document_id
where decision.firmware_version_id <> $4 and decision.assessment <> 'NotAssessed'
  and decision.origin = 'Document' and decision.stated_in ->> 'importedByEmail' is null
  and decision.stated_in ->> 'sbomFileName' is null
order by id;

-- server/src/features/vex/decisions/dropped-store.ts selectDropped
select given.place::int as place
from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[]) with ordinality as given (
  package_id, vulnerability_id, vex_document_id, document_id, author, place
)
join finding_decisions as decision on decision.workspace_id = $6
  and decision.firmware_version_id = $7 and decision.package_id = given.package_id
  and decision.vulnerability_id = given.vulnerability_id
where decision.assessment <> 'NotAssessed' and decision.origin = 'Document'
  and decision.stated_in ->> 'importedByEmail' is null
  and decision.stated_in ->> 'sbomFileName' is null
  and decision.stated_in ->> 'documentId' is not distinct from given.document_id
  and decision.stated_in ->> 'author' is not distinct from given.author
  and exists (
    select
    from firmware_version_packages as fact
    where fact.workspace_id = $8 and fact.firmware_version_id = $9
      and fact.package_id = decision.package_id and fact.until is null
  )
  and not exists (
    select
    from vex_statements as statement
    join vex_statement_targets as target on target.workspace_id = $10
      and target.statement_id = statement.id
    join vulnerability_aliases as alias on alias.vulnerability_id = decision.vulnerability_id
      and alias.alias = target.vulnerability
    where statement.workspace_id = $11 and statement.document_id = given.vex_document_id
      and (target.package_id is null or target.package_id = decision.package_id)
  )
order by given.place;

-- server/src/features/vex/decisions/ended-store.ts listEndedDecisions
select decision.package_id, decision.vulnerability_id, decision.assessment,
  coalesce(decision.stated_in ->> 'sbomFileName', '') as sbom_file_name,
  exists (
    select
    from sboms as sbom
    where sbom.workspace_id = $1 and sbom.firmware_version_id = $2
      and sbom.file_name = decision.stated_in ->> 'sbomFileName'
  ) as is_there
from finding_decisions as decision
where decision.workspace_id = $3 and decision.firmware_version_id = $4
  and decision.assessment <> 'NotAssessed'
  and (decision.source in ('Vex', 'Build') and decision.stated_in ->> 'sbomFileName' is not null)
  and exists (
    select
    from firmware_version_packages as fact
    where fact.workspace_id = $5 and fact.firmware_version_id = $6
      and fact.package_id = decision.package_id and fact.until is null
  )
  and not exists (
    select
    from vex_statement_targets as target
    where target.workspace_id = $7 and target.statement_id = decision.statement_id and case
      when target.package_id is not null then target.package_id = decision.package_id
      when target.sbom_id is not null then exists (
        select
        from sbom_components as component
        where component.workspace_id = $8 and component.sbom_id = target.sbom_id
          and component.package_id = decision.package_id
      ) else true end
  )
order by decision.package_id, decision.vulnerability_id;

-- server/src/features/vex/decisions/ended-store.ts listVersionsDecidedBy
select distinct decision.firmware_version_id as id
from finding_decisions as decision
where decision.workspace_id = $1 and decision.assessment <> 'NotAssessed'
  and decision.origin = 'Document' and decision.stated_in ->> 'importedByEmail' is null
  and decision.stated_in ->> 'sbomFileName' is null
  and exists (
    select
    from unnest($2::text[], $3::text[]) as withdrawn (document_id, author)
    where withdrawn.document_id is not distinct from decision.stated_in ->> 'documentId'
      and withdrawn.author is not distinct from decision.stated_in ->> 'author'
  )
order by id;

-- server/src/features/vex/decisions/ended-store.ts listWithdrawnDecisions
select decision.package_id, decision.vulnerability_id, decision.assessment,
  decision.stated_in ->> 'author' as author, decision.stated_in ->> 'documentId' as document_id
from finding_decisions as decision
where decision.workspace_id = $1 and decision.firmware_version_id = $2
  and decision.assessment <> 'NotAssessed' and decision.origin = 'Document'
  and decision.stated_in ->> 'importedByEmail' is null
  and decision.stated_in ->> 'sbomFileName' is null
  and exists (
    select
    from unnest($3::text[], $4::text[]) as withdrawn (document_id, author)
    where withdrawn.document_id is not distinct from decision.stated_in ->> 'documentId'
      and withdrawn.author is not distinct from decision.stated_in ->> 'author'
  )
order by decision.package_id, decision.vulnerability_id;

-- server/src/features/vex/decisions/store.ts followStatements
update finding_decisions as decision
set statement_id = input."statementId", source = case
  when (decision.source in ('Vex', 'Build') and decision.stated_in ->> 'sbomFileName' is not null)
  then input.source else decision.source end, origin = case
  when (decision.source in ('Vex', 'Build') and decision.stated_in ->> 'sbomFileName' is not null)
  then input.origin else decision.origin end, stated_in = case
  when (decision.source in ('Vex', 'Build') and decision.stated_in ->> 'sbomFileName' is not null)
  then input."statedIn" else decision.stated_in end
from json_to_recordset($1::json) as input (
  "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text, "statementId" uuid,
    source text, origin text, "statedIn" jsonb
)
where decision.workspace_id = $2 and decision.firmware_version_id = input."firmwareVersionId"
  and decision.package_id = input."packageId"
  and decision.vulnerability_id = input."vulnerabilityId";

-- server/src/features/vex/decisions/store.ts listContestedStatements
with held as materialized (
  select fact.firmware_version_id, fact.package_id, match.vulnerability_id, fact.component_name,
    fact.component_version
  from firmware_version_packages as fact
  join package_matches as match on match.package_id = fact.package_id and match.until is null
  where fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.until is null
),
  wanted as materialized (
    select distinct alias.vulnerability_id, alias.alias
    from held
    join vulnerability_aliases as alias using (vulnerability_id)
  ),
  hit as materialized (
    select target.*, wanted.vulnerability_id
    from vex_statement_targets as target
    join wanted on wanted.alias = target.vulnerability
    where target.workspace_id = $3 and target.firmware_version_id = $4
  ),
  targeted as materialized (
    select distinct held.*, hit.statement_id
    from hit
    join held on held.firmware_version_id = hit.firmware_version_id
      and held.vulnerability_id = hit.vulnerability_id and case
      when hit.package_id is not null then held.package_id = hit.package_id
      when hit.sbom_id is not null then exists (
        select
        from sbom_components as component
        where component.workspace_id = $5 and component.sbom_id = hit.sbom_id
          and component.package_id = held.package_id
      ) else true end
  ),
  newest as materialized (
    select distinct on (targeted.firmware_version_id, package_id, vulnerability_id) targeted.*,
      statement.pointer, statement.assessment, statement.justification, statement.detail,
      statement.responses, statement.stated_at, statement.document_id, statement.origin,
      document.author,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $6)::text[]
          )
      ) is true as is_deciding,
      jsonb_build_object(
        'vexDocumentId', document.id, 'format', document.format, 'documentId', document.document_id,
          'author', document.author, 'statedAt', statement.stated_at, 'importedByEmail',
          document.received_by_email, 'sbomFileName', sbom.file_name
      ) as stated_in,
      array_agg(targeted.statement_id) over (
        partition by targeted.firmware_version_id, package_id, vulnerability_id
      ) as statement_ids
    from targeted
    join vex_statements as statement on statement.workspace_id = $7
      and statement.id = targeted.statement_id
    join vex_documents as document on document.workspace_id = $8
      and document.id = statement.document_id
    left join sboms as sbom on sbom.workspace_id = $9 and sbom.id = document.sbom_id
    order by targeted.firmware_version_id, package_id, vulnerability_id,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $10)::text[]
          )
      ) is true desc, statement.origin = 'Document' desc, statement.stated_at desc,
      statement.received_at desc, statement.id desc
  )
select distinct finding.statement_id
from targeted as finding
left join finding_decisions as decision on decision.workspace_id = $11
  and decision.firmware_version_id = finding.firmware_version_id
  and decision.package_id = finding.package_id
  and decision.vulnerability_id = finding.vulnerability_id
where decision.statement_id is distinct from finding.statement_id;

-- server/src/features/vex/decisions/store.ts listStatedFindings
with held as materialized (
  select fact.firmware_version_id, fact.package_id, match.vulnerability_id, fact.component_name,
    fact.component_version
  from firmware_version_packages as fact
  join package_matches as match on match.package_id = fact.package_id and match.until is null
  where fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.until is null
),
  wanted as materialized (
    select distinct alias.vulnerability_id, alias.alias
    from held
    join vulnerability_aliases as alias using (vulnerability_id)
  ),
  hit as materialized (
    select target.*, wanted.vulnerability_id
    from vex_statement_targets as target
    join wanted on wanted.alias = target.vulnerability
    where target.workspace_id = $3 and target.firmware_version_id = $4
  ),
  targeted as materialized (
    select distinct held.*, hit.statement_id
    from hit
    join held on held.firmware_version_id = hit.firmware_version_id
      and held.vulnerability_id = hit.vulnerability_id and case
      when hit.package_id is not null then held.package_id = hit.package_id
      when hit.sbom_id is not null then exists (
        select
        from sbom_components as component
        where component.workspace_id = $5 and component.sbom_id = hit.sbom_id
          and component.package_id = held.package_id
      ) else true end
  ),
  newest as materialized (
    select distinct on (targeted.firmware_version_id, package_id, vulnerability_id) targeted.*,
      statement.pointer, statement.assessment, statement.justification, statement.detail,
      statement.responses, statement.stated_at, statement.document_id, statement.origin,
      document.author,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $6)::text[]
          )
      ) is true as is_deciding,
      jsonb_build_object(
        'vexDocumentId', document.id, 'format', document.format, 'documentId', document.document_id,
          'author', document.author, 'statedAt', statement.stated_at, 'importedByEmail',
          document.received_by_email, 'sbomFileName', sbom.file_name
      ) as stated_in,
      array_agg(targeted.statement_id) over (
        partition by targeted.firmware_version_id, package_id, vulnerability_id
      ) as statement_ids
    from targeted
    join vex_statements as statement on statement.workspace_id = $7
      and statement.id = targeted.statement_id
    join vex_documents as document on document.workspace_id = $8
      and document.id = statement.document_id
    left join sboms as sbom on sbom.workspace_id = $9 and sbom.id = document.sbom_id
    order by targeted.firmware_version_id, package_id, vulnerability_id,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $10)::text[]
          )
      ) is true desc, statement.origin = 'Document' desc, statement.stated_at desc,
      statement.received_at desc, statement.id desc
  )
select stated.*, decision.assessment as old_assessment, decision.justification as old_justification,
  decision.detail as old_detail, decision.responses as old_responses, decision.source as old_source,
  decision.decided_by_email as old_by_email, decision.assessed_at as old_assessed_at, case
  when (
    case when decision.assessed_at is null then null
      when decision.source in ('User', 'ApiKey') then 'Person'
      when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
      when decision.origin is not null then decision.origin
      when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
      and decision.statement_id is not null then 'Document' else 'Person' end
  ) is null then 'Change'
  when (
    decision.assessment, decision.justification, btrim(decision.detail, E' \t\r\n'),
      decision.responses
  ) is not distinct from (stated.assessment, stated.justification, stated.detail, stated.responses)
  then 'Same'
  when (decision.source in ('Vex', 'Build') and decision.stated_in ->> 'sbomFileName' is not null)
  and not coalesce(decision.statement_id = any(stated.statement_ids), false) then 'Change'
  when decision.assessment = stated.assessment
  and (
    stated.stated_at <= own.stated_at or stated.stated_at = decision.assessed_at
      or (
        case when decision.assessed_at is null then null
          when decision.source in ('User', 'ApiKey') then 'Person'
          when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
          when decision.origin is not null then decision.origin
          when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
          and decision.statement_id is not null then 'Document' else 'Person' end
      ) = 'Person'
  ) then 'Same'
  when (
    case when decision.assessed_at is null then null
      when decision.source in ('User', 'ApiKey') then 'Person'
      when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
      when decision.origin is not null then decision.origin
      when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
      and decision.statement_id is not null then 'Document' else 'Person' end
  ) = 'Person'
  and not (stated.is_deciding and stated.stated_at > decision.assessed_at) then 'Conflict'
  when (
    case when decision.assessed_at is null then null
      when decision.source in ('User', 'ApiKey') then 'Person'
      when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
      when decision.origin is not null then decision.origin
      when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
      and decision.statement_id is not null then 'Document' else 'Person' end
  ) = 'Document' and stated.origin = 'Build' then 'Outranked' else 'Change' end as outcome,
  coalesce(
    decision.source in ('Vex', 'Build')
      and (
        decision.assessment, decision.justification, btrim(decision.detail, E' \t\r\n'),
          decision.responses
      ) is not distinct from (
        stated.assessment, stated.justification, stated.detail, stated.responses
      ) and not coalesce(decision.statement_id = any(stated.statement_ids), false), false
  ) as follows_deleted
from newest as stated
left join finding_decisions as decision on decision.workspace_id = $11
  and decision.firmware_version_id = stated.firmware_version_id
  and decision.package_id = stated.package_id
  and decision.vulnerability_id = stated.vulnerability_id
left join vex_statements as own on own.workspace_id = $12 and own.id = decision.statement_id
order by stated.firmware_version_id, stated.package_id, stated.vulnerability_id;

-- server/src/features/vex/decisions/store.ts listStatedFindings
with wanted as materialized (
  select pair.package_id, pair.vulnerability_id, alias.alias
  from unnest($1::uuid[], $2::text[]) as pair (package_id, vulnerability_id)
  join vulnerability_aliases as alias on alias.vulnerability_id = pair.vulnerability_id
),
  hit as materialized (
    select target.*, wanted.vulnerability_id, wanted.package_id as begun_package_id
    from wanted
    join vex_statement_targets as target on target.workspace_id = $3
      and target.vulnerability = wanted.alias
  ),
  held as materialized (
    select distinct fact.firmware_version_id, fact.package_id, hit.vulnerability_id,
      fact.component_name, fact.component_version
    from hit
    join firmware_version_packages as fact on fact.workspace_id = $4
      and fact.firmware_version_id = hit.firmware_version_id
      and fact.package_id = hit.begun_package_id and fact.until is null
    join package_matches as match on match.package_id = fact.package_id
      and match.vulnerability_id = hit.vulnerability_id and match.until is null
  ),
  targeted as materialized (
    select distinct held.*, hit.statement_id
    from hit
    join held on held.firmware_version_id = hit.firmware_version_id
      and held.vulnerability_id = hit.vulnerability_id and case
      when hit.package_id is not null then held.package_id = hit.package_id
      when hit.sbom_id is not null then exists (
        select
        from sbom_components as component
        where component.workspace_id = $5 and component.sbom_id = hit.sbom_id
          and component.package_id = held.package_id
      ) else true end
  ),
  newest as materialized (
    select distinct on (targeted.firmware_version_id, package_id, vulnerability_id) targeted.*,
      statement.pointer, statement.assessment, statement.justification, statement.detail,
      statement.responses, statement.stated_at, statement.document_id, statement.origin,
      document.author,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $6)::text[]
          )
      ) is true as is_deciding,
      jsonb_build_object(
        'vexDocumentId', document.id, 'format', document.format, 'documentId', document.document_id,
          'author', document.author, 'statedAt', statement.stated_at, 'importedByEmail',
          document.received_by_email, 'sbomFileName', sbom.file_name
      ) as stated_in,
      array_agg(targeted.statement_id) over (
        partition by targeted.firmware_version_id, package_id, vulnerability_id
      ) as statement_ids
    from targeted
    join vex_statements as statement on statement.workspace_id = $7
      and statement.id = targeted.statement_id
    join vex_documents as document on document.workspace_id = $8
      and document.id = statement.document_id
    left join sboms as sbom on sbom.workspace_id = $9 and sbom.id = document.sbom_id
    order by targeted.firmware_version_id, package_id, vulnerability_id,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $10)::text[]
          )
      ) is true desc, statement.origin = 'Document' desc, statement.stated_at desc,
      statement.received_at desc, statement.id desc
  )
select stated.*, decision.assessment as old_assessment, decision.justification as old_justification,
  decision.detail as old_detail, decision.responses as old_responses, decision.source as old_source,
  decision.decided_by_email as old_by_email, decision.assessed_at as old_assessed_at, case
  when (
    case when decision.assessed_at is null then null
      when decision.source in ('User', 'ApiKey') then 'Person'
      when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
      when decision.origin is not null then decision.origin
      when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
      and decision.statement_id is not null then 'Document' else 'Person' end
  ) is null then 'Change'
  when (
    decision.assessment, decision.justification, btrim(decision.detail, E' \t\r\n'),
      decision.responses
  ) is not distinct from (stated.assessment, stated.justification, stated.detail, stated.responses)
  then 'Same'
  when (decision.source in ('Vex', 'Build') and decision.stated_in ->> 'sbomFileName' is not null)
  and not coalesce(decision.statement_id = any(stated.statement_ids), false) then 'Change'
  when decision.assessment = stated.assessment
  and (
    stated.stated_at <= own.stated_at or stated.stated_at = decision.assessed_at
      or (
        case when decision.assessed_at is null then null
          when decision.source in ('User', 'ApiKey') then 'Person'
          when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
          when decision.origin is not null then decision.origin
          when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
          and decision.statement_id is not null then 'Document' else 'Person' end
      ) = 'Person'
  ) then 'Same'
  when (
    case when decision.assessed_at is null then null
      when decision.source in ('User', 'ApiKey') then 'Person'
      when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
      when decision.origin is not null then decision.origin
      when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
      and decision.statement_id is not null then 'Document' else 'Person' end
  ) = 'Person'
  and not (stated.is_deciding and stated.stated_at > decision.assessed_at) then 'Conflict'
  when (
    case when decision.assessed_at is null then null
      when decision.source in ('User', 'ApiKey') then 'Person'
      when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
      when decision.origin is not null then decision.origin
      when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
      and decision.statement_id is not null then 'Document' else 'Person' end
  ) = 'Document' and stated.origin = 'Build' then 'Outranked' else 'Change' end as outcome,
  coalesce(
    decision.source in ('Vex', 'Build')
      and (
        decision.assessment, decision.justification, btrim(decision.detail, E' \t\r\n'),
          decision.responses
      ) is not distinct from (
        stated.assessment, stated.justification, stated.detail, stated.responses
      ) and not coalesce(decision.statement_id = any(stated.statement_ids), false), false
  ) as follows_deleted
from newest as stated
left join finding_decisions as decision on decision.workspace_id = $11
  and decision.firmware_version_id = stated.firmware_version_id
  and decision.package_id = stated.package_id
  and decision.vulnerability_id = stated.vulnerability_id
left join vex_statements as own on own.workspace_id = $12 and own.id = decision.statement_id
order by stated.firmware_version_id, stated.package_id, stated.vulnerability_id;

-- server/src/features/vex/decisions/store.ts listTargetedStatements
with held as materialized (
  select fact.firmware_version_id, fact.package_id, match.vulnerability_id, fact.component_name,
    fact.component_version
  from firmware_version_packages as fact
  join package_matches as match on match.package_id = fact.package_id and match.until is null
  where fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.until is null
),
  wanted as materialized (
    select distinct alias.vulnerability_id, alias.alias
    from held
    join vulnerability_aliases as alias using (vulnerability_id)
  ),
  hit as materialized (
    select target.*, wanted.vulnerability_id
    from vex_statement_targets as target
    join wanted on wanted.alias = target.vulnerability
    where target.workspace_id = $3 and target.firmware_version_id = $4
  ),
  targeted as materialized (
    select distinct held.*, hit.statement_id
    from hit
    join held on held.firmware_version_id = hit.firmware_version_id
      and held.vulnerability_id = hit.vulnerability_id and case
      when hit.package_id is not null then held.package_id = hit.package_id
      when hit.sbom_id is not null then exists (
        select
        from sbom_components as component
        where component.workspace_id = $5 and component.sbom_id = hit.sbom_id
          and component.package_id = held.package_id
      ) else true end
  ),
  newest as materialized (
    select distinct on (targeted.firmware_version_id, package_id, vulnerability_id) targeted.*,
      statement.pointer, statement.assessment, statement.justification, statement.detail,
      statement.responses, statement.stated_at, statement.document_id, statement.origin,
      document.author,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $6)::text[]
          )
      ) is true as is_deciding,
      jsonb_build_object(
        'vexDocumentId', document.id, 'format', document.format, 'documentId', document.document_id,
          'author', document.author, 'statedAt', statement.stated_at, 'importedByEmail',
          document.received_by_email, 'sbomFileName', sbom.file_name
      ) as stated_in,
      array_agg(targeted.statement_id) over (
        partition by targeted.firmware_version_id, package_id, vulnerability_id
      ) as statement_ids
    from targeted
    join vex_statements as statement on statement.workspace_id = $7
      and statement.id = targeted.statement_id
    join vex_documents as document on document.workspace_id = $8
      and document.id = statement.document_id
    left join sboms as sbom on sbom.workspace_id = $9 and sbom.id = document.sbom_id
    order by targeted.firmware_version_id, package_id, vulnerability_id,
      (
        document.sbom_id is null and document.supplier_document_id is null
          and btrim(document.author) = any(
            (select deciding_vex_authors from workspaces where id = $10)::text[]
          )
      ) is true desc, statement.origin = 'Document' desc, statement.stated_at desc,
      statement.received_at desc, statement.id desc
  )
select distinct statement_id
from targeted;

-- server/src/features/vex/export/export-process.ts readVerdicts: not executed by tests

-- server/src/features/vex/export/statements-store.ts countStatements
with found as (
  select fact.firmware_version_id, match.vulnerability_id,
    (
      case
        when (
          (
            decision.ignored and decision.acceptance is not null
              and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
          ) and not (decision.assessment = 'Exploitable' and decision.responses <> '{}')
        ) then 'Exploitable' else coalesce(decision.assessment, 'NotAssessed') end
    ) as said
  from firmware_version_packages as fact
  join package_matches as match on match.package_id = fact.package_id and match.until is null
  left join finding_decisions as decision on decision.workspace_id = $1
    and decision.firmware_version_id = fact.firmware_version_id
    and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
  where fact.workspace_id = $2 and fact.firmware_version_id = any($3::uuid[]) and fact.until is null
)
select firmware_version_id,
  (count(distinct vulnerability_id) filter (where said = any($4::text[])))::int as affected,
  (count(distinct vulnerability_id) filter (where said = any($5::text[])))::int as
  under_investigation,
  (count(distinct vulnerability_id) filter (where said = any($6::text[])))::int as not_affected,
  (count(distinct vulnerability_id) filter (where said = any($7::text[])))::int as fixed,
  (count(distinct vulnerability_id) filter (where said = any($8::text[])))::int as not_assessed
from found
group by firmware_version_id;

-- server/src/features/vex/export/statements-store.ts listStatements
select told.vulnerability, told.title, told.component, told.assessment, told.justification,
  told.responses, told.detail, told.stated_at,
  json_build_array(told.place, told.vulnerability, told.package_id::text) as position
from (
  select decision.package_id, decision.vulnerability_id as vulnerability,
    vulnerability.name as title,
    (
      case
        when (
          (
            decision.ignored and decision.acceptance is not null
              and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
          ) and not (decision.assessment = 'Exploitable' and decision.responses <> '{}')
        ) then 'Exploitable' else coalesce(decision.assessment, 'NotAssessed') end
    ) as assessment, concat_ws(' ', fact.component_name, fact.component_version) as component,
    decision.justification, decision.detail, case
    when (
      (
        decision.ignored and decision.acceptance is not null
          and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
      ) and not (decision.assessment = 'Exploitable' and decision.responses <> '{}')
    ) then array['will_not_fix'] else decision.responses end as responses,
    case (
      case
        when (
          (
            decision.ignored and decision.acceptance is not null
              and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
          ) and not (decision.assessment = 'Exploitable' and decision.responses <> '{}')
        ) then 'Exploitable' else coalesce(decision.assessment, 'NotAssessed') end
    ) when 'Exploitable' then 0 when 'InTriage' then 1 when 'Resolved' then 2 else 3 end as place,
    case
    when (
      (
        decision.ignored and decision.acceptance is not null
          and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
      ) and not (decision.assessment = 'Exploitable' and decision.responses <> '{}')
    ) then (decision.acceptance ->> 'acceptedAt')::timestamptz
    else coalesce(statement.stated_at, decision.assessed_at, decision.updated_at) end as stated_at
  from finding_decisions as decision
  join firmware_version_packages as fact on fact.workspace_id = $1
    and fact.firmware_version_id = decision.firmware_version_id
    and fact.package_id = decision.package_id and fact.until is null
  join package_matches as match on match.package_id = decision.package_id
    and match.vulnerability_id = decision.vulnerability_id and match.until is null
  join vulnerabilities as vulnerability on vulnerability.id = decision.vulnerability_id
  left join vex_statements as statement on statement.workspace_id = $2
    and statement.id = decision.statement_id and decision.source = 'Vex'
  where decision.workspace_id = $3 and decision.firmware_version_id = $4
    and (
      decision.assessment <> 'NotAssessed'
        or (
          decision.ignored and decision.acceptance is not null
            and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
        )
    )
) as told
where true
order by told.place, told.vulnerability, told.package_id::text
limit $5;

-- server/src/features/vex/export/store.ts findFullImage
select file_name, sha256
from firmware_artifacts
where workspace_id = $1 and firmware_version_id = $2;

-- server/src/features/vex/export/store.ts findWorkspaceName
select name from workspaces where id = $1;

-- server/src/features/vex/export/store.ts isAnyDecided
select exists (
  select
  from finding_decisions as decision
  join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
    and fact.firmware_version_id = decision.firmware_version_id
    and fact.package_id = decision.package_id and fact.until is null
  join package_matches as match on match.package_id = decision.package_id
    and match.vulnerability_id = decision.vulnerability_id and match.until is null
  where decision.workspace_id = $1 and decision.firmware_version_id = $2
    and (
      decision.assessment <> 'NotAssessed'
        or (
          decision.ignored and decision.acceptance is not null
            and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
        )
    )
) as is_any;

-- server/src/features/vex/export/store.ts listDecided
select decision.package_id, decision.vulnerability_id, case
  when (
    (
      decision.ignored and decision.acceptance is not null
        and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
    ) and not (decision.assessment = 'Exploitable' and decision.responses <> '{}')
  ) then 'Exploitable' else decision.assessment end as assessment, decision.justification,
  decision.detail, case
  when (
    (
      decision.ignored and decision.acceptance is not null
        and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
    ) and not (decision.assessment = 'Exploitable' and decision.responses <> '{}')
  ) then array['will_not_fix'] else decision.responses end as responses, case
  when not (
    (
      decision.ignored and decision.acceptance is not null
        and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
    ) and not (decision.assessment = 'Exploitable' and decision.responses <> '{}')
  ) then decision.statement_id end as statement_id, vulnerability.name as title, case
  when (
    (
      decision.ignored and decision.acceptance is not null
        and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
    ) and not (decision.assessment = 'Exploitable' and decision.responses <> '{}')
  ) then (decision.acceptance ->> 'acceptedAt')::timestamptz
  else coalesce(statement.stated_at, decision.assessed_at, decision.updated_at) end as stated_at
from finding_decisions as decision
join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
  and fact.firmware_version_id = decision.firmware_version_id
  and fact.package_id = decision.package_id and fact.until is null
join package_matches as match on match.package_id = decision.package_id
  and match.vulnerability_id = decision.vulnerability_id and match.until is null
join vulnerabilities as vulnerability on vulnerability.id = decision.vulnerability_id
left join vex_statements as statement on statement.workspace_id = decision.workspace_id
  and statement.id = decision.statement_id and decision.source = 'Vex'
where decision.workspace_id = $1 and decision.firmware_version_id = $2
  and (
    decision.assessment <> 'NotAssessed'
      or (
        decision.ignored and decision.acceptance is not null
          and decision.assessment in ('NotAssessed', 'InTriage', 'Exploitable')
      )
  )
order by decision.vulnerability_id, decision.package_id;

-- server/src/features/vex/export/store.ts listHeldPackages
select package_id, component_name as name, component_version as version, component_purl as purl,
  component_cpe as cpe
from firmware_version_packages
where workspace_id = $1 and firmware_version_id = $2 and until is null
order by component_purl, component_name, package_id;

-- server/src/features/vex/export/store.ts listReceived
with target as materialized (
  select statement_id, vulnerability,
    coalesce(array_agg(distinct package_id) filter (where package_id is not null), '{}') as
    package_ids, bool_or(package_id is null) as is_whole, bool_or(sbom_id is not null) as is_of_sbom
  from vex_statement_targets
  where workspace_id = $1 and firmware_version_id = $2
  group by statement_id, vulnerability
)
select statement.id, statement.document_id, document.format, statement.vulnerability,
  statement.assessment, statement.justification, statement.detail, statement.responses,
  statement.stated_at, statement.original, document.envelope, vulnerability.name as title,
  target.package_ids, target.is_whole
from vex_statements as statement
join vex_documents as document on document.workspace_id = statement.workspace_id
  and document.id = statement.document_id
join target on target.statement_id = statement.id and target.vulnerability = statement.vulnerability
left join vulnerabilities as vulnerability on vulnerability.id = statement.vulnerability
where statement.workspace_id = $3 and statement.firmware_version_id = $4
  and not exists (
    select
    from json_array_elements(statement.products) as product
    where product ->> 'isVersion' = 'true'
  )
  and not (
    target.is_of_sbom
      and (
        select count(*) from sboms where sboms.workspace_id = $5 and sboms.firmware_version_id = $6
      ) > 1
  )
order by statement.vulnerability, statement.id;

-- server/src/features/vex/export/store.ts recordPublication
insert into vex_publications (workspace_id, firmware_version_id, published_at)
select version.workspace_id, version.id, $1
from firmware_versions as version
where version.workspace_id = $2 and version.id = $3
  and exists (
    select
    from finding_timeline as entry
    where entry.workspace_id = $4 and entry.firmware_version_id = version.id
      and entry.created_at <= $5
      and entry.created_at > coalesce(
        (
          select max(last.published_at)
          from vex_publications as last
          where last.workspace_id = $6 and last.firmware_version_id = version.id
        ), '-infinity'
      )
  )
on conflict
do nothing;

-- server/src/features/vex/service.ts importVex: not executed by tests

-- server/src/features/vex/store.ts deleteDocument
delete from vex_documents where workspace_id = $1 and id = $2;

-- server/src/features/vex/store.ts findDocument
select id, firmware_version_id, sbom_id, format, document_id, author, stated_at,
  supplier_document_id
from vex_documents
where workspace_id = $1 and id = $2;

-- server/src/features/vex/store.ts hasStatements
select id from vex_statements where workspace_id = $1 and firmware_version_id = $2 limit $3;

-- server/src/features/vex/store.ts insertDocument
insert into vex_documents (
  workspace_id, firmware_version_id, id, sbom_id, format, document_id, spec_version, author,
    stated_at, received_at, received_by_email, supplier_document_id, envelope
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
on conflict (workspace_id, id)
do update
set spec_version = $14, author = $15, stated_at = $16, received_at = $17, received_by_email = $18,
  supplier_document_id = $19, envelope = $20;

-- server/src/features/vex/store.ts listDocuments
select id, sbom_id, format, spec_version, document_id, author, stated_at, received_at,
  received_by_email,
  (
    select supplied.feed_id
    from supplier_documents as supplied
    where supplied.workspace_id = $1 and supplied.id = document.supplier_document_id
  ) as supplier_feed_id,
  (
    select count(*)::int
    from vex_statements as statement
    where statement.workspace_id = $2 and statement.document_id = document.id
  ) as statement_count,
  (
    select count(*)::int
    from vex_statements as statement
    where statement.workspace_id = $3 and statement.document_id = document.id
      and not exists (
        select
        from finding_decisions as decision
        where decision.workspace_id = $4 and decision.firmware_version_id = $5
          and decision.statement_id = statement.id
      )
  ) as waiting_count
from vex_documents as document
where workspace_id = $6 and firmware_version_id = $7
order by received_at, id;

-- server/src/features/vex/store.ts listStatedVersions
select distinct firmware_version_id
from vex_statements
where workspace_id = $1
order by firmware_version_id;

-- server/src/features/vex/store.ts listStatements
select statement.id, statement.vulnerability, statement.aliases, statement.nodes,
  statement.is_whole, document.sbom_id, document.format as format,
  statement.assessment as assessment, statement.products as products
from vex_statements as statement
inner join vex_documents as document on document.workspace_id = statement.workspace_id
  and document.id = statement.document_id
where statement.workspace_id = $1 and statement.firmware_version_id = $2
order by statement.id;

-- server/src/features/vex/store.ts listTargets
select statement_id, vulnerability, place, package_id, sbom_id, target.package_id is null
  or exists (
    select
    from firmware_version_packages as fact
    where fact.workspace_id = $1 and fact.firmware_version_id = target.firmware_version_id
      and fact.package_id = target.package_id and fact.until is null
  ) as is_held
from vex_statement_targets as target
where target.workspace_id = $2 and target.firmware_version_id = $3;

-- server/src/features/vex/store.ts replaceStatements
delete from vex_statements where workspace_id = $1 and document_id = $2 and id <> all($3::uuid[]);

-- server/src/features/vex/store.ts replaceStatements
insert into vex_statements (
  workspace_id, firmware_version_id, id, document_id, pointer, vulnerability, aliases, products,
    nodes, is_whole, assessment, justification, detail, responses, stated_at, received_at, origin,
    original
)
select $1, $2, id, $3, pointer, vulnerability, aliases, products, nodes, "isWhole", assessment,
  justification, detail, responses, "statedAt", $4, origin, original
from json_to_recordset($5::json) as input (
  id uuid, pointer text, vulnerability text, aliases text[], products json, nodes integer[],
    "isWhole" boolean, assessment text, justification text, detail text, responses text[],
    "statedAt" timestamptz, origin text, original json
)
order by id
on conflict (workspace_id, id)
do update
set pointer = excluded.pointer, nodes = excluded.nodes, is_whole = excluded.is_whole,
  origin = excluded.origin;

-- server/src/features/vex/store.ts replaceTargets
with wanted as materialized (
  select *
  from json_to_recordset($1::json) as input (
    "statementId" uuid, vulnerability text, place integer, "packageId" uuid, "sbomId" uuid
  )
),
  gone as (
    delete from vex_statement_targets as target
    where workspace_id = $2 and firmware_version_id = $3
      and not exists (
        select
        from wanted
        where wanted."statementId" = target.statement_id
          and wanted.vulnerability = target.vulnerability and wanted.place = target.place
      )
  )
insert into vex_statement_targets (
  workspace_id, firmware_version_id, statement_id, vulnerability, place, package_id, sbom_id
)
select $4, $5, "statementId", vulnerability, place, "packageId", "sbomId"
from wanted
order by "statementId", vulnerability, place
on conflict (workspace_id, statement_id, vulnerability, place)
do update
set package_id = excluded.package_id, sbom_id = excluded.sbom_id
where (vex_statement_targets.package_id, vex_statement_targets.sbom_id) is distinct from (
  excluded.package_id, excluded.sbom_id
);

-- server/src/features/vex/targets/store.ts listArtifactHashes
select sha256, sha1, md5
from firmware_artifacts
where workspace_id = $1 and firmware_version_id = $2
union all select sha256, sha1, md5
from firmware_role_artifacts
where workspace_id = $3 and firmware_version_id = $4 and base_version_id is not null;

-- server/src/features/vex/targets/store.ts listComponents
with held as (
  select id
  from sboms
  where workspace_id = $1 and firmware_version_id = $2 and parsing_state = 'Succeeded'
),
  root as (
    select graph.sbom_id, min(graph.node) as node
    from sbom_graph_nodes as graph
    join held on held.id = graph.sbom_id
    where graph.workspace_id = $3 and graph.distance = 0
    group by graph.sbom_id
    having count(*) = 1
  )
select component.sbom_id, component.node, component.ref, component.package_id,
  component.package_name, component.vendor, component.version, component.purl, component.cpes,
  component.hashes, root.node is not null as is_root,
  coalesce(component.built_from ->> 'packageName', component.source_name) as source_name,
  component.built_from ->> 'version' as source_version
from held
join sbom_components as component on component.workspace_id = $4 and component.sbom_id = held.id
left join root on root.sbom_id = component.sbom_id and root.node = component.node
order by component.sbom_id, component.node;

-- server/src/features/vex/targets/store.ts listNamespaces
select id, namespace, file_name, format, created_at
from sboms
where workspace_id = $1 and firmware_version_id = $2 and parsing_state = $3
order by created_at, id;

-- server/src/features/vex/targets/store.ts listPackagePairs
select package.id as package_id, package.identity -> 'pairs' as pairs
from packages as package
where package.id in (
  select component.package_id
  from sboms as sbom
  join sbom_components as component on component.workspace_id = sbom.workspace_id
    and component.sbom_id = sbom.id
  where sbom.workspace_id = $1 and sbom.firmware_version_id = $2
    and sbom.parsing_state = 'Succeeded'
)
order by package.id;

-- server/src/features/vex/targets/store.ts listParents
select graph.sbom_id, graph.node, graph.parents
from sboms as sbom
inner join sbom_graph_nodes as graph on graph.workspace_id = sbom.workspace_id
  and graph.sbom_id = sbom.id
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2 and sbom.parsing_state = $3;

-- server/src/features/vex/targets/store.ts sharePackages
select package_id
from firmware_version_packages
where workspace_id = $1 and firmware_version_id = $2 and until is null;
