-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/figures/case-days-store.ts isAnythingKept
select exists (select from owner_rules where workspace_id = $1)
  or exists (select from vulnerability_assignees where workspace_id = $2)
  or exists (select from ssvc_settings where workspace_id = $3 and target_days <> '{}')
  or exists (select from figure_case_days where workspace_id = $4) as is_kept;

-- server/src/features/figures/case-days-store.ts listCaseDays
select kept.firmware_id, kept.vulnerability_id,
  json_agg(
    json_build_object(
      'sinceDay', kept.since_day::text, 'owners', kept.owners, 'outcome', kept.outcome,
        'targetDays', kept.target_days
    )
    order by kept.since_day
  ) as days
from figure_case_days as kept
where kept.workspace_id = $1 and kept.since_day <= $2::date
group by 1, 2;

-- server/src/features/figures/case-days-store.ts listCaseDays
select kept.firmware_id, kept.vulnerability_id,
  json_agg(
    json_build_object(
      'sinceDay', kept.since_day::text, 'owners', kept.owners, 'outcome', kept.outcome,
        'targetDays', kept.target_days
    )
    order by kept.since_day
  ) as days
from figure_case_days as kept
where kept.workspace_id = $1 and kept.since_day <= $2::date and kept.firmware_id = $3
group by 1, 2;

-- server/src/features/figures/case-days-store.ts listFirmwareIds
select id from firmwares where workspace_id = $1 order by id;

-- server/src/features/figures/case-days-store.ts listHeldCases
with held as materialized (
  select fact.package_id, min(fact.since) as since,
    bit_or(coalesce(numbered.ssvc_contexts, -1)) as contexts
  from firmware_versions as version
  join firmware_version_packages as fact on fact.workspace_id = version.workspace_id
    and fact.firmware_version_id = version.id and fact.until is null
  left join workspace_versions as numbered on numbered.workspace_id = version.workspace_id
    and numbered.firmware_version_id = version.id
  where version.workspace_id = $1 and version.firmware_id = $2
  group by 1
),
  found as materialized (
    select match.vulnerability_id,
      array_agg(held.package_id order by held.package_id) as package_ids,
      min(greatest(held.since, match.since)) as detected_at, bit_or(held.contexts) as contexts
    from held
    join package_matches as match on match.package_id = held.package_id and match.until is null
      and match.confidence <> 'Low'
    group by 1
  )
select match.vulnerability_id, match.package_ids, match.detected_at,
  (
    vulnerability.ssvc_class + 36 * (
      vulnerability.is_known_exploit
        or match.vulnerability_id in (select cve_id from eu_exploited_entries)
    )::int
  ) as rated_class, match.contexts::text
from found as match
join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
order by match.vulnerability_id;

-- server/src/features/figures/case-days-store.ts writeCaseDays
with stated as materialized (
  select *
  from jsonb_to_recordset($1::jsonb) as stated (
    "vulnerabilityId" text collate "C", "detectedDay" date, owners jsonb, outcome text,
      "targetDays" integer
  )
)
insert into figure_case_days as kept (
  workspace_id, firmware_id, vulnerability_id, since_day, owners, outcome, target_days
)
select $2::uuid, $3::uuid, stated."vulnerabilityId", case when last.since_day is null
  and stated."detectedDay" >= $4::date - 1 then stated."detectedDay" else $5::date end,
  stated.owners, stated.outcome, stated."targetDays"
from stated
left join lateral (
  select each.since_day, each.owners, each.outcome, each.target_days
  from figure_case_days as each
  where each.workspace_id = $6 and each.firmware_id = $7
    and each.vulnerability_id = stated."vulnerabilityId"
  order by each.since_day desc
  limit 1
) as last on true
where (coalesce(last.owners, '[]'), last.outcome, last.target_days) is distinct from (
  stated.owners, stated.outcome, stated."targetDays"
)
order by 3
on conflict (workspace_id, firmware_id, vulnerability_id, since_day)
do update
set owners = excluded.owners, outcome = excluded.outcome, target_days = excluded.target_days;

-- server/src/features/figures/cases-store.ts listCases
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $5 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $6 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $7 and entry.created_at < $8
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  undone as materialized (
    select distinct firmware_version_id, package_id, vulnerability_id, undone_batch_id
    from entry
    where undone_batch_id is not null
  ),
  lasting as materialized (
    select entry.*, version.firmware_id
    from entry
    join version on version.firmware_version_id = entry.firmware_version_id
    left join undone on undone.firmware_version_id = entry.firmware_version_id
      and undone.package_id = entry.package_id and undone.vulnerability_id = entry.vulnerability_id
      and undone.undone_batch_id = entry.batch_id
    where entry.is_decided and undone.undone_batch_id is null
  ),
  decided as materialized (
    select entry.firmware_id, entry.vulnerability_id,
      min(entry.created_at) filter (where entry.source in ('User', 'ApiKey')) as decided_at,
      min(entry.created_at) filter (where entry.source in ('Vex', 'Build', 'System')) as stated_at,
      min(entry.created_at) filter (where entry.source = 'CarriedOver') as carried_at
    from lasting as entry
    group by 1, 2
  ),
  first as materialized (
    select distinct on (entry.firmware_id, entry.vulnerability_id) entry.firmware_id,
      entry.vulnerability_id, entry.created_by_email, entry.firmware_version_id, case
      when entry.ignored then 'Ignored' else entry.assessment end as decided_as
    from lasting as entry
    where entry.source in ('User', 'ApiKey')
    order by entry.firmware_id, entry.vulnerability_id, entry.created_at, entry.id
  ),
  reopened as materialized (
    select version.firmware_id, each.vulnerability_id, min(each.created_at) as reopened_at
    from (
      select entry.*,
        lag(entry.is_closed) over (
          partition by firmware_version_id, package_id, vulnerability_id order by created_at, id
        ) as was_closed
      from entry
    ) as each
    join version on version.firmware_version_id = each.firmware_version_id
    where each.was_closed and not each.is_closed and each.undone_batch_id is null
      and each.created_at >= $9
    group by 1, 2
  ),
  stretch as materialized (
    select firmware_id, package_id, until, array_agg(since order by since, place) as sinces,
      array_agg(place order by since, place) as places,
      range_agg(int4range(place, place + 1)) as all_places
    from fact
    group by 1, 2, 3
  ),
  affected as materialized (
    select stretch.firmware_id, match.vulnerability_id,
      greatest(stretch.sinces[1], match.since) as detected_at, match.since, match.severity,
      shared.count, stretch.until is null and match.until is null as is_lasting, case
      when shared.count = cardinality(stretch.places) then stretch.all_places
      else (
        select range_agg(int4range(place, place + 1))
        from unnest(stretch.places[1:shared.count]) as place
      ) end as places
    from stretch
    join match on match.package_id = stretch.package_id
      and (stretch.until is null or match.since < stretch.until)
    cross join lateral (
      select case when match.until is null then cardinality(stretch.sinces)
        else (select count(*)::int from unnest(stretch.sinces) as since where since < match.until)
        end as count
    ) as shared
    where shared.count > 0
  ),
  found as materialized (
    select firmware_id, vulnerability_id, min(detected_at) as detected_at,
      (
        max(
          array[
            extract(epoch from match.since)::float8,
              array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)::float8
          ]
        )
      )[2]::int as severity, range_agg(places)::text as places, sum(count) as findings,
      coalesce(sum(count) filter (where is_lasting), 0) as lasting
    from affected as match
    group by 1, 2
  ),
  held_state as materialized (
    select fact.firmware_id, fact.place, state.vulnerability_id, state.assessment, state.is_closed,
      state.created_at, fact.until is null and match.until is null as is_lasting
    from state
    join fact on fact.firmware_version_id = state.firmware_version_id
      and fact.package_id = state.package_id
    join match on match.vulnerability_id = state.vulnerability_id
      and (
        match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
          and (fact.until is null or match.since < fact.until)
      )
  ),
  judged as materialized (
    select firmware_id, vulnerability_id,
      count(*) filter (where is_lasting and is_closed) as lasting_closed,
      count(*) filter (where assessment in ('NotAffected', 'FalsePositive')) as judged_away,
      count(*) filter (where assessment = 'Resolved') as resolved
    from held_state
    group by 1, 2
  ),
  stated as materialized (
    select firmware_id, place, vulnerability_id, max(created_at) as at, count(*) as findings
    from held_state
    where assessment = 'Resolved'
    group by 1, 2, 3
  ),
  resolved as materialized (
    select firmware_id, vulnerability_id, min(at) as at
    from (
      select stated.firmware_id, stated.vulnerability_id, stated.at
      from stated
      join affected on affected.firmware_id = stated.firmware_id
        and affected.vulnerability_id = stated.vulnerability_id and affected.places @> stated.place
      group by stated.firmware_id, stated.place, stated.vulnerability_id, stated.at, stated.findings
      having count(*) = stated.findings
    ) as each
    group by 1, 2
  ),
  interrupted as materialized (
    select fact.firmware_version_id, match.vulnerability_id
    from (select * from fact where until is not null) as fact
    join match on (
      match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
        and (fact.until is null or match.since < fact.until)
    )
    union select fact.firmware_version_id, match.vulnerability_id
    from (select * from match where until is not null) as match
    join fact on (
      match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
        and (fact.until is null or match.since < fact.until)
    )
  ),
  returned as materialized (
    select each.firmware_id, each.vulnerability_id, min(lower(span)) as at
    from (
      select fact.firmware_id, fact.firmware_version_id, match.vulnerability_id,
        min(greatest(fact.since, match.since)) as detected_at,
        range_agg(tstzrange(greatest(fact.since, match.since), least(fact.until, match.until))) as
        spans
      from interrupted
      join fact on fact.firmware_version_id = interrupted.firmware_version_id
      join match on match.vulnerability_id = interrupted.vulnerability_id
        and (
          match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
            and (fact.until is null or match.since < fact.until)
        )
      group by 1, 2, 3
    ) as each
    cross join unnest(each.spans) as span
    where lower(span) > each.detected_at and lower(span) >= $10
    group by 1, 2
  )
select found.firmware_id, found.vulnerability_id, found.severity, found.detected_at, found.places,
  found.lasting > coalesce(judged.lasting_closed, 0) as is_open,
  found.findings = coalesce(judged.judged_away, 0) as is_judged_away,
  found.findings = coalesce(judged.resolved, 0) as is_resolved, resolved.at as resolved_at,
  returned.at as returned_at, decided.decided_at, first.created_by_email as decided_by,
  first.decided_as, decided.stated_at, decided.carried_at, reopened.reopened_at,
  (
    select min(publication.published_at)
    from vex_publications as publication
    where publication.workspace_id = $11
      and publication.firmware_version_id = first.firmware_version_id
      and publication.published_at >= decided.decided_at and publication.published_at < $12
  ) as published_at
from (select * from found limit $13) as found
left join judged using (firmware_id, vulnerability_id) left join resolved using (
  firmware_id, vulnerability_id
) left join returned using (firmware_id, vulnerability_id) left join decided using (
  firmware_id, vulnerability_id
) left join first using (firmware_id, vulnerability_id) left join reopened using (
  firmware_id, vulnerability_id
);

-- server/src/features/figures/cases-store.ts listCases
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4 and version.firmware_id = $5
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $6 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $7 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $8 and entry.created_at < $9
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  undone as materialized (
    select distinct firmware_version_id, package_id, vulnerability_id, undone_batch_id
    from entry
    where undone_batch_id is not null
  ),
  lasting as materialized (
    select entry.*, version.firmware_id
    from entry
    join version on version.firmware_version_id = entry.firmware_version_id
    left join undone on undone.firmware_version_id = entry.firmware_version_id
      and undone.package_id = entry.package_id and undone.vulnerability_id = entry.vulnerability_id
      and undone.undone_batch_id = entry.batch_id
    where entry.is_decided and undone.undone_batch_id is null
  ),
  decided as materialized (
    select entry.firmware_id, entry.vulnerability_id,
      min(entry.created_at) filter (where entry.source in ('User', 'ApiKey')) as decided_at,
      min(entry.created_at) filter (where entry.source in ('Vex', 'Build', 'System')) as stated_at,
      min(entry.created_at) filter (where entry.source = 'CarriedOver') as carried_at
    from lasting as entry
    group by 1, 2
  ),
  first as materialized (
    select distinct on (entry.firmware_id, entry.vulnerability_id) entry.firmware_id,
      entry.vulnerability_id, entry.created_by_email, entry.firmware_version_id, case
      when entry.ignored then 'Ignored' else entry.assessment end as decided_as
    from lasting as entry
    where entry.source in ('User', 'ApiKey')
    order by entry.firmware_id, entry.vulnerability_id, entry.created_at, entry.id
  ),
  reopened as materialized (
    select version.firmware_id, each.vulnerability_id, min(each.created_at) as reopened_at
    from (
      select entry.*,
        lag(entry.is_closed) over (
          partition by firmware_version_id, package_id, vulnerability_id order by created_at, id
        ) as was_closed
      from entry
    ) as each
    join version on version.firmware_version_id = each.firmware_version_id
    where each.was_closed and not each.is_closed and each.undone_batch_id is null
      and each.created_at >= $10
    group by 1, 2
  ),
  stretch as materialized (
    select firmware_id, package_id, until, array_agg(since order by since, place) as sinces,
      array_agg(place order by since, place) as places,
      range_agg(int4range(place, place + 1)) as all_places
    from fact
    group by 1, 2, 3
  ),
  affected as materialized (
    select stretch.firmware_id, match.vulnerability_id,
      greatest(stretch.sinces[1], match.since) as detected_at, match.since, match.severity,
      shared.count, stretch.until is null and match.until is null as is_lasting, case
      when shared.count = cardinality(stretch.places) then stretch.all_places
      else (
        select range_agg(int4range(place, place + 1))
        from unnest(stretch.places[1:shared.count]) as place
      ) end as places
    from stretch
    join match on match.package_id = stretch.package_id
      and (stretch.until is null or match.since < stretch.until)
    cross join lateral (
      select case when match.until is null then cardinality(stretch.sinces)
        else (select count(*)::int from unnest(stretch.sinces) as since where since < match.until)
        end as count
    ) as shared
    where shared.count > 0
  ),
  found as materialized (
    select firmware_id, vulnerability_id, min(detected_at) as detected_at,
      (
        max(
          array[
            extract(epoch from match.since)::float8,
              array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)::float8
          ]
        )
      )[2]::int as severity, range_agg(places)::text as places, sum(count) as findings,
      coalesce(sum(count) filter (where is_lasting), 0) as lasting
    from affected as match
    group by 1, 2
  ),
  held_state as materialized (
    select fact.firmware_id, fact.place, state.vulnerability_id, state.assessment, state.is_closed,
      state.created_at, fact.until is null and match.until is null as is_lasting
    from state
    join fact on fact.firmware_version_id = state.firmware_version_id
      and fact.package_id = state.package_id
    join match on match.vulnerability_id = state.vulnerability_id
      and (
        match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
          and (fact.until is null or match.since < fact.until)
      )
  ),
  judged as materialized (
    select firmware_id, vulnerability_id,
      count(*) filter (where is_lasting and is_closed) as lasting_closed,
      count(*) filter (where assessment in ('NotAffected', 'FalsePositive')) as judged_away,
      count(*) filter (where assessment = 'Resolved') as resolved
    from held_state
    group by 1, 2
  ),
  stated as materialized (
    select firmware_id, place, vulnerability_id, max(created_at) as at, count(*) as findings
    from held_state
    where assessment = 'Resolved'
    group by 1, 2, 3
  ),
  resolved as materialized (
    select firmware_id, vulnerability_id, min(at) as at
    from (
      select stated.firmware_id, stated.vulnerability_id, stated.at
      from stated
      join affected on affected.firmware_id = stated.firmware_id
        and affected.vulnerability_id = stated.vulnerability_id and affected.places @> stated.place
      group by stated.firmware_id, stated.place, stated.vulnerability_id, stated.at, stated.findings
      having count(*) = stated.findings
    ) as each
    group by 1, 2
  ),
  interrupted as materialized (
    select fact.firmware_version_id, match.vulnerability_id
    from (select * from fact where until is not null) as fact
    join match on (
      match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
        and (fact.until is null or match.since < fact.until)
    )
    union select fact.firmware_version_id, match.vulnerability_id
    from (select * from match where until is not null) as match
    join fact on (
      match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
        and (fact.until is null or match.since < fact.until)
    )
  ),
  returned as materialized (
    select each.firmware_id, each.vulnerability_id, min(lower(span)) as at
    from (
      select fact.firmware_id, fact.firmware_version_id, match.vulnerability_id,
        min(greatest(fact.since, match.since)) as detected_at,
        range_agg(tstzrange(greatest(fact.since, match.since), least(fact.until, match.until))) as
        spans
      from interrupted
      join fact on fact.firmware_version_id = interrupted.firmware_version_id
      join match on match.vulnerability_id = interrupted.vulnerability_id
        and (
          match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
            and (fact.until is null or match.since < fact.until)
        )
      group by 1, 2, 3
    ) as each
    cross join unnest(each.spans) as span
    where lower(span) > each.detected_at and lower(span) >= $11
    group by 1, 2
  )
select found.firmware_id, found.vulnerability_id, found.severity, found.detected_at, found.places,
  found.lasting > coalesce(judged.lasting_closed, 0) as is_open,
  found.findings = coalesce(judged.judged_away, 0) as is_judged_away,
  found.findings = coalesce(judged.resolved, 0) as is_resolved, resolved.at as resolved_at,
  returned.at as returned_at, decided.decided_at, first.created_by_email as decided_by,
  first.decided_as, decided.stated_at, decided.carried_at, reopened.reopened_at,
  (
    select min(publication.published_at)
    from vex_publications as publication
    where publication.workspace_id = $12
      and publication.firmware_version_id = first.firmware_version_id
      and publication.published_at >= decided.decided_at and publication.published_at < $13
  ) as published_at
from (select * from found limit $14) as found
left join judged using (firmware_id, vulnerability_id) left join resolved using (
  firmware_id, vulnerability_id
) left join returned using (firmware_id, vulnerability_id) left join decided using (
  firmware_id, vulnerability_id
) left join first using (firmware_id, vulnerability_id) left join reopened using (
  firmware_id, vulnerability_id
);

-- server/src/features/figures/cases-store.ts listCases
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4 and version.firmware_id = $5
    and version.line_id = $6
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $7 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $8 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $9 and entry.created_at < $10
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  undone as materialized (
    select distinct firmware_version_id, package_id, vulnerability_id, undone_batch_id
    from entry
    where undone_batch_id is not null
  ),
  lasting as materialized (
    select entry.*, version.firmware_id
    from entry
    join version on version.firmware_version_id = entry.firmware_version_id
    left join undone on undone.firmware_version_id = entry.firmware_version_id
      and undone.package_id = entry.package_id and undone.vulnerability_id = entry.vulnerability_id
      and undone.undone_batch_id = entry.batch_id
    where entry.is_decided and undone.undone_batch_id is null
  ),
  decided as materialized (
    select entry.firmware_id, entry.vulnerability_id,
      min(entry.created_at) filter (where entry.source in ('User', 'ApiKey')) as decided_at,
      min(entry.created_at) filter (where entry.source in ('Vex', 'Build', 'System')) as stated_at,
      min(entry.created_at) filter (where entry.source = 'CarriedOver') as carried_at
    from lasting as entry
    group by 1, 2
  ),
  first as materialized (
    select distinct on (entry.firmware_id, entry.vulnerability_id) entry.firmware_id,
      entry.vulnerability_id, entry.created_by_email, entry.firmware_version_id, case
      when entry.ignored then 'Ignored' else entry.assessment end as decided_as
    from lasting as entry
    where entry.source in ('User', 'ApiKey')
    order by entry.firmware_id, entry.vulnerability_id, entry.created_at, entry.id
  ),
  reopened as materialized (
    select version.firmware_id, each.vulnerability_id, min(each.created_at) as reopened_at
    from (
      select entry.*,
        lag(entry.is_closed) over (
          partition by firmware_version_id, package_id, vulnerability_id order by created_at, id
        ) as was_closed
      from entry
    ) as each
    join version on version.firmware_version_id = each.firmware_version_id
    where each.was_closed and not each.is_closed and each.undone_batch_id is null
      and each.created_at >= $11
    group by 1, 2
  ),
  stretch as materialized (
    select firmware_id, package_id, until, array_agg(since order by since, place) as sinces,
      array_agg(place order by since, place) as places,
      range_agg(int4range(place, place + 1)) as all_places
    from fact
    group by 1, 2, 3
  ),
  affected as materialized (
    select stretch.firmware_id, match.vulnerability_id,
      greatest(stretch.sinces[1], match.since) as detected_at, match.since, match.severity,
      shared.count, stretch.until is null and match.until is null as is_lasting, case
      when shared.count = cardinality(stretch.places) then stretch.all_places
      else (
        select range_agg(int4range(place, place + 1))
        from unnest(stretch.places[1:shared.count]) as place
      ) end as places
    from stretch
    join match on match.package_id = stretch.package_id
      and (stretch.until is null or match.since < stretch.until)
    cross join lateral (
      select case when match.until is null then cardinality(stretch.sinces)
        else (select count(*)::int from unnest(stretch.sinces) as since where since < match.until)
        end as count
    ) as shared
    where shared.count > 0
  ),
  found as materialized (
    select firmware_id, vulnerability_id, min(detected_at) as detected_at,
      (
        max(
          array[
            extract(epoch from match.since)::float8,
              array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)::float8
          ]
        )
      )[2]::int as severity, range_agg(places)::text as places, sum(count) as findings,
      coalesce(sum(count) filter (where is_lasting), 0) as lasting
    from affected as match
    group by 1, 2
  ),
  held_state as materialized (
    select fact.firmware_id, fact.place, state.vulnerability_id, state.assessment, state.is_closed,
      state.created_at, fact.until is null and match.until is null as is_lasting
    from state
    join fact on fact.firmware_version_id = state.firmware_version_id
      and fact.package_id = state.package_id
    join match on match.vulnerability_id = state.vulnerability_id
      and (
        match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
          and (fact.until is null or match.since < fact.until)
      )
  ),
  judged as materialized (
    select firmware_id, vulnerability_id,
      count(*) filter (where is_lasting and is_closed) as lasting_closed,
      count(*) filter (where assessment in ('NotAffected', 'FalsePositive')) as judged_away,
      count(*) filter (where assessment = 'Resolved') as resolved
    from held_state
    group by 1, 2
  ),
  stated as materialized (
    select firmware_id, place, vulnerability_id, max(created_at) as at, count(*) as findings
    from held_state
    where assessment = 'Resolved'
    group by 1, 2, 3
  ),
  resolved as materialized (
    select firmware_id, vulnerability_id, min(at) as at
    from (
      select stated.firmware_id, stated.vulnerability_id, stated.at
      from stated
      join affected on affected.firmware_id = stated.firmware_id
        and affected.vulnerability_id = stated.vulnerability_id and affected.places @> stated.place
      group by stated.firmware_id, stated.place, stated.vulnerability_id, stated.at, stated.findings
      having count(*) = stated.findings
    ) as each
    group by 1, 2
  ),
  interrupted as materialized (
    select fact.firmware_version_id, match.vulnerability_id
    from (select * from fact where until is not null) as fact
    join match on (
      match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
        and (fact.until is null or match.since < fact.until)
    )
    union select fact.firmware_version_id, match.vulnerability_id
    from (select * from match where until is not null) as match
    join fact on (
      match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
        and (fact.until is null or match.since < fact.until)
    )
  ),
  returned as materialized (
    select each.firmware_id, each.vulnerability_id, min(lower(span)) as at
    from (
      select fact.firmware_id, fact.firmware_version_id, match.vulnerability_id,
        min(greatest(fact.since, match.since)) as detected_at,
        range_agg(tstzrange(greatest(fact.since, match.since), least(fact.until, match.until))) as
        spans
      from interrupted
      join fact on fact.firmware_version_id = interrupted.firmware_version_id
      join match on match.vulnerability_id = interrupted.vulnerability_id
        and (
          match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
            and (fact.until is null or match.since < fact.until)
        )
      group by 1, 2, 3
    ) as each
    cross join unnest(each.spans) as span
    where lower(span) > each.detected_at and lower(span) >= $12
    group by 1, 2
  )
select found.firmware_id, found.vulnerability_id, found.severity, found.detected_at, found.places,
  found.lasting > coalesce(judged.lasting_closed, 0) as is_open,
  found.findings = coalesce(judged.judged_away, 0) as is_judged_away,
  found.findings = coalesce(judged.resolved, 0) as is_resolved, resolved.at as resolved_at,
  returned.at as returned_at, decided.decided_at, first.created_by_email as decided_by,
  first.decided_as, decided.stated_at, decided.carried_at, reopened.reopened_at,
  (
    select min(publication.published_at)
    from vex_publications as publication
    where publication.workspace_id = $13
      and publication.firmware_version_id = first.firmware_version_id
      and publication.published_at >= decided.decided_at and publication.published_at < $14
  ) as published_at
from (select * from found limit $15) as found
left join judged using (firmware_id, vulnerability_id) left join resolved using (
  firmware_id, vulnerability_id
) left join returned using (firmware_id, vulnerability_id) left join decided using (
  firmware_id, vulnerability_id
) left join first using (firmware_id, vulnerability_id) left join reopened using (
  firmware_id, vulnerability_id
);

-- server/src/features/figures/cases-store.ts listVersions
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $5 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $6 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $7 and entry.created_at < $8
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  )
select firmware_id, inventory_at, place
from version
order by firmware_id, place;

-- server/src/features/figures/cases-store.ts listVersions
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4 and version.firmware_id = $5
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $6 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $7 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $8 and entry.created_at < $9
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  )
select firmware_id, inventory_at, place
from version
order by firmware_id, place;

-- server/src/features/figures/cases-store.ts listVersions
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4 and version.firmware_id = $5
    and version.line_id = $6
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $7 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $8 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $9 and entry.created_at < $10
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  )
select firmware_id, inventory_at, place
from version
order by firmware_id, place;

-- server/src/features/figures/fleet-store.ts countUnknownDisclosures
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $5 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $6 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $7 and entry.created_at < $8
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  counted as materialized (
    select day, (row_number() over (order by day))::int as place
    from (
      select distinct day
      from firmware_set_daily_devices
      where workspace_id = $9 and day < ($10::timestamptz at time zone 'UTC')::date
    ) as each
  ),
  running as materialized (
    select counted.place, counted.day, each.firmware_version_ids, running.id as firmware_version_id,
      each.devices
    from firmware_set_daily_devices as each
    join counted on counted.day = each.day
    cross join unnest(each.firmware_version_ids) as running (id)
    where each.workspace_id = $11 and running.id in (select firmware_version_id from version)
  ),
  span as materialized (
    select vulnerability_id, firmware_version_id, lower(span) as since, upper(span) as until
    from (
      select match.vulnerability_id, fact.firmware_version_id,
        range_agg(
          tsrange(
            greatest(fact.since, match.since) at time zone 'UTC',
              greatest(
                fact.since, match.since,
                  least(
                    fact.until, match.until, case
                      when state.assessment = 'Resolved' then state.created_at end, 'infinity'
                  )
              ) at time zone 'UTC'
          )
        ) as spans
      from (select distinct firmware_version_id from running) as ran
      join fact on fact.firmware_version_id = ran.firmware_version_id
      join match on (
        match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
          and (fact.until is null or match.since < fact.until)
      ) and true
      left join state on state.firmware_version_id = fact.firmware_version_id
        and state.package_id = fact.package_id and state.vulnerability_id = match.vulnerability_id
      where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
      group by 1, 2
    ) as each
    cross join unnest(each.spans) as span
  ),
  ran as materialized (
    select firmware_version_id, min(day) as since, max(day) as until
    from running
    where day >= ($12::timestamptz at time zone 'UTC')::date
    group by 1
  ),
  found as materialized (
    select distinct span.vulnerability_id
    from span
    join ran on ran.firmware_version_id = span.firmware_version_id and span.since < ran.until + 1
      and span.until >= ran.since + 1
  ),
  last as (
    select each.devices, each.firmware_version_ids
    from firmware_set_daily_devices as each
    where each.workspace_id = $13 and each.day = (select max(day) from counted)
  )
select (count(*) filter (where known.vulnerability_id is null))::int as undated,
  (
    count(*) filter (
      where (known.published_at at time zone 'UTC')::date < (select min(day) from counted)
    )
  )::int as early, (select min(day)::text from counted) as first_day,
  (select coalesce(sum(devices), 0)::int from last) as devices,
  (select coalesce(sum(devices), 0)::int from last where firmware_version_ids = '{}') as strangers
from found
left join disclosures as known on known.workspace_id = $14
  and known.vulnerability_id = found.vulnerability_id and known.recorded_at < $15;

-- server/src/features/figures/fleet-store.ts countUnknownDisclosures
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4 and version.firmware_id = $5
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $6 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $7 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $8 and entry.created_at < $9
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  counted as materialized (
    select day, (row_number() over (order by day))::int as place
    from (
      select distinct day
      from firmware_set_daily_devices
      where workspace_id = $10 and day < ($11::timestamptz at time zone 'UTC')::date
    ) as each
  ),
  running as materialized (
    select counted.place, counted.day, each.firmware_version_ids, running.id as firmware_version_id,
      each.devices
    from firmware_set_daily_devices as each
    join counted on counted.day = each.day
    cross join unnest(each.firmware_version_ids) as running (id)
    where each.workspace_id = $12 and running.id in (select firmware_version_id from version)
  ),
  span as materialized (
    select vulnerability_id, firmware_version_id, lower(span) as since, upper(span) as until
    from (
      select match.vulnerability_id, fact.firmware_version_id,
        range_agg(
          tsrange(
            greatest(fact.since, match.since) at time zone 'UTC',
              greatest(
                fact.since, match.since,
                  least(
                    fact.until, match.until, case
                      when state.assessment = 'Resolved' then state.created_at end, 'infinity'
                  )
              ) at time zone 'UTC'
          )
        ) as spans
      from (select distinct firmware_version_id from running) as ran
      join fact on fact.firmware_version_id = ran.firmware_version_id
      join match on (
        match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
          and (fact.until is null or match.since < fact.until)
      ) and true
      left join state on state.firmware_version_id = fact.firmware_version_id
        and state.package_id = fact.package_id and state.vulnerability_id = match.vulnerability_id
      where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
      group by 1, 2
    ) as each
    cross join unnest(each.spans) as span
  ),
  ran as materialized (
    select firmware_version_id, min(day) as since, max(day) as until
    from running
    where day >= ($13::timestamptz at time zone 'UTC')::date
    group by 1
  ),
  found as materialized (
    select distinct span.vulnerability_id
    from span
    join ran on ran.firmware_version_id = span.firmware_version_id and span.since < ran.until + 1
      and span.until >= ran.since + 1
  ),
  last as (
    select each.devices, each.firmware_version_ids
    from firmware_set_daily_devices as each
    where each.workspace_id = $14 and each.day = (select max(day) from counted)
  )
select (count(*) filter (where known.vulnerability_id is null))::int as undated,
  (
    count(*) filter (
      where (known.published_at at time zone 'UTC')::date < (select min(day) from counted)
    )
  )::int as early, (select min(day)::text from counted) as first_day,
  (select coalesce(sum(devices), 0)::int from last) as devices,
  (select coalesce(sum(devices), 0)::int from last where firmware_version_ids = '{}') as strangers
from found
left join disclosures as known on known.workspace_id = $15
  and known.vulnerability_id = found.vulnerability_id and known.recorded_at < $16;

-- server/src/features/figures/fleet-store.ts countUnknownDisclosures
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4 and version.firmware_id = $5
    and version.line_id = $6
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $7 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $8 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $9 and entry.created_at < $10
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  counted as materialized (
    select day, (row_number() over (order by day))::int as place
    from (
      select distinct day
      from firmware_set_daily_devices
      where workspace_id = $11 and day < ($12::timestamptz at time zone 'UTC')::date
    ) as each
  ),
  running as materialized (
    select counted.place, counted.day, each.firmware_version_ids, running.id as firmware_version_id,
      each.devices
    from firmware_set_daily_devices as each
    join counted on counted.day = each.day
    cross join unnest(each.firmware_version_ids) as running (id)
    where each.workspace_id = $13 and running.id in (select firmware_version_id from version)
  ),
  span as materialized (
    select vulnerability_id, firmware_version_id, lower(span) as since, upper(span) as until
    from (
      select match.vulnerability_id, fact.firmware_version_id,
        range_agg(
          tsrange(
            greatest(fact.since, match.since) at time zone 'UTC',
              greatest(
                fact.since, match.since,
                  least(
                    fact.until, match.until, case
                      when state.assessment = 'Resolved' then state.created_at end, 'infinity'
                  )
              ) at time zone 'UTC'
          )
        ) as spans
      from (select distinct firmware_version_id from running) as ran
      join fact on fact.firmware_version_id = ran.firmware_version_id
      join match on (
        match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
          and (fact.until is null or match.since < fact.until)
      ) and true
      left join state on state.firmware_version_id = fact.firmware_version_id
        and state.package_id = fact.package_id and state.vulnerability_id = match.vulnerability_id
      where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
      group by 1, 2
    ) as each
    cross join unnest(each.spans) as span
  ),
  ran as materialized (
    select firmware_version_id, min(day) as since, max(day) as until
    from running
    where day >= ($14::timestamptz at time zone 'UTC')::date
    group by 1
  ),
  found as materialized (
    select distinct span.vulnerability_id
    from span
    join ran on ran.firmware_version_id = span.firmware_version_id and span.since < ran.until + 1
      and span.until >= ran.since + 1
  ),
  last as (
    select each.devices, each.firmware_version_ids
    from firmware_set_daily_devices as each
    where each.workspace_id = $15 and each.day = (select max(day) from counted)
  )
select (count(*) filter (where known.vulnerability_id is null))::int as undated,
  (
    count(*) filter (
      where (known.published_at at time zone 'UTC')::date < (select min(day) from counted)
    )
  )::int as early, (select min(day)::text from counted) as first_day,
  (select coalesce(sum(devices), 0)::int from last) as devices,
  (select coalesce(sum(devices), 0)::int from last where firmware_version_ids = '{}') as strangers
from found
left join disclosures as known on known.workspace_id = $16
  and known.vulnerability_id = found.vulnerability_id and known.recorded_at < $17;

-- server/src/features/figures/fleet-store.ts listFleetDays
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $5 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $6 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $7 and entry.created_at < $8
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  counted as materialized (
    select day, (row_number() over (order by day))::int as place
    from (
      select distinct day
      from firmware_set_daily_devices
      where workspace_id = $9 and day < ($10::timestamptz at time zone 'UTC')::date
    ) as each
  ),
  running as materialized (
    select counted.place, counted.day, each.firmware_version_ids, running.id as firmware_version_id,
      each.devices
    from firmware_set_daily_devices as each
    join counted on counted.day = each.day
    cross join unnest(each.firmware_version_ids) as running (id)
    where each.workspace_id = $11 and running.id in (select firmware_version_id from version)
  ),
  disclosed as materialized (
    select vulnerability_id, published_at
    from disclosures
    where workspace_id = $12 and recorded_at < $13 and published_at < $14
      and (published_at at time zone 'UTC')::date >= (select min(day) from counted)
  ),
  rated as materialized (
    select match.vulnerability_id,
      max(
        array[
          extract(epoch from match.since)::float8,
            array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)::float8
        ]
      ) as rated
    from match
    join disclosed using (vulnerability_id)
    group by 1
  ),
  span as materialized (
    select vulnerability_id, firmware_version_id, lower(span) as since, upper(span) as until
    from (
      select match.vulnerability_id, fact.firmware_version_id,
        range_agg(
          tsrange(
            greatest(fact.since, match.since) at time zone 'UTC',
              greatest(
                fact.since, match.since,
                  least(
                    fact.until, match.until, case
                      when state.assessment = 'Resolved' then state.created_at end, 'infinity'
                  )
              ) at time zone 'UTC'
          )
        ) as spans
      from (select distinct firmware_version_id from running) as ran
      join fact on fact.firmware_version_id = ran.firmware_version_id
      join match on (
        match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
          and (fact.until is null or match.since < fact.until)
      )
        and match.vulnerability_id in (select vulnerability_id from disclosed) left join state on
        state.firmware_version_id = fact.firmware_version_id and state.package_id = fact.package_id
        and state.vulnerability_id = match.vulnerability_id
      where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
      group by 1, 2
    ) as each
    cross join unnest(each.spans) as span
  ),
  affected_day as materialized (
    select span.vulnerability_id, running.place, running.day, running.firmware_version_ids,
      running.devices
    from span
    join disclosed on disclosed.vulnerability_id = span.vulnerability_id
    join running on running.firmware_version_id = span.firmware_version_id
      and running.day >= (disclosed.published_at at time zone 'UTC')::date
      and span.since < running.day + 1 and span.until >= running.day + 1
  ),
  affected as materialized (
    select vulnerability_id, place, day, sum(devices)::int as devices
    from (
      select vulnerability_id, place, day, devices
      from affected_day
      where cardinality(firmware_version_ids) = 1
      union all select vulnerability_id, place, day, devices
      from (select distinct * from affected_day where cardinality(firmware_version_ids) > 1) as each
    ) as each
    group by 1, 2, 3
  ),
  walked as (
    select vulnerability_id, day, devices,
      max(devices) over (partition by vulnerability_id order by place) as peak, case
      when lead(place) over (partition by vulnerability_id order by place) is distinct from place +
      1 then place + 1 end as empty_place
    from affected
  ),
  ended as (
    select walked.vulnerability_id, max(walked.peak) as peak, min(counted.day) as empty_day,
      min(walked.day) filter (where walked.devices <= walked.peak * 0.5) as day50,
      min(walked.day) filter (where walked.devices <= walked.peak * 0.1) as day90,
      min(walked.day) filter (where walked.devices <= walked.peak * 0.01) as day99
    from walked
    left join counted on counted.place = walked.empty_place
    group by 1
  )
select ended.vulnerability_id, rated.rated[2]::int as severity, disclosed.published_at,
  ended.peak::int, least(day50, empty_day)::text as reached50,
  least(day90, empty_day)::text as reached90, least(day99, empty_day)::text as reached99
from ended
join disclosed using (vulnerability_id)
join rated using (vulnerability_id);

-- server/src/features/figures/fleet-store.ts listFleetDays
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4 and version.firmware_id = $5
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $6 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $7 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $8 and entry.created_at < $9
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  counted as materialized (
    select day, (row_number() over (order by day))::int as place
    from (
      select distinct day
      from firmware_set_daily_devices
      where workspace_id = $10 and day < ($11::timestamptz at time zone 'UTC')::date
    ) as each
  ),
  running as materialized (
    select counted.place, counted.day, each.firmware_version_ids, running.id as firmware_version_id,
      each.devices
    from firmware_set_daily_devices as each
    join counted on counted.day = each.day
    cross join unnest(each.firmware_version_ids) as running (id)
    where each.workspace_id = $12 and running.id in (select firmware_version_id from version)
  ),
  disclosed as materialized (
    select vulnerability_id, published_at
    from disclosures
    where workspace_id = $13 and recorded_at < $14 and published_at < $15
      and (published_at at time zone 'UTC')::date >= (select min(day) from counted)
  ),
  rated as materialized (
    select match.vulnerability_id,
      max(
        array[
          extract(epoch from match.since)::float8,
            array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)::float8
        ]
      ) as rated
    from match
    join disclosed using (vulnerability_id)
    group by 1
  ),
  span as materialized (
    select vulnerability_id, firmware_version_id, lower(span) as since, upper(span) as until
    from (
      select match.vulnerability_id, fact.firmware_version_id,
        range_agg(
          tsrange(
            greatest(fact.since, match.since) at time zone 'UTC',
              greatest(
                fact.since, match.since,
                  least(
                    fact.until, match.until, case
                      when state.assessment = 'Resolved' then state.created_at end, 'infinity'
                  )
              ) at time zone 'UTC'
          )
        ) as spans
      from (select distinct firmware_version_id from running) as ran
      join fact on fact.firmware_version_id = ran.firmware_version_id
      join match on (
        match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
          and (fact.until is null or match.since < fact.until)
      )
        and match.vulnerability_id in (select vulnerability_id from disclosed) left join state on
        state.firmware_version_id = fact.firmware_version_id and state.package_id = fact.package_id
        and state.vulnerability_id = match.vulnerability_id
      where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
      group by 1, 2
    ) as each
    cross join unnest(each.spans) as span
  ),
  affected_day as materialized (
    select span.vulnerability_id, running.place, running.day, running.firmware_version_ids,
      running.devices
    from span
    join disclosed on disclosed.vulnerability_id = span.vulnerability_id
    join running on running.firmware_version_id = span.firmware_version_id
      and running.day >= (disclosed.published_at at time zone 'UTC')::date
      and span.since < running.day + 1 and span.until >= running.day + 1
  ),
  affected as materialized (
    select vulnerability_id, place, day, sum(devices)::int as devices
    from (
      select vulnerability_id, place, day, devices
      from affected_day
      where cardinality(firmware_version_ids) = 1
      union all select vulnerability_id, place, day, devices
      from (select distinct * from affected_day where cardinality(firmware_version_ids) > 1) as each
    ) as each
    group by 1, 2, 3
  ),
  walked as (
    select vulnerability_id, day, devices,
      max(devices) over (partition by vulnerability_id order by place) as peak, case
      when lead(place) over (partition by vulnerability_id order by place) is distinct from place +
      1 then place + 1 end as empty_place
    from affected
  ),
  ended as (
    select walked.vulnerability_id, max(walked.peak) as peak, min(counted.day) as empty_day,
      min(walked.day) filter (where walked.devices <= walked.peak * 0.5) as day50,
      min(walked.day) filter (where walked.devices <= walked.peak * 0.1) as day90,
      min(walked.day) filter (where walked.devices <= walked.peak * 0.01) as day99
    from walked
    left join counted on counted.place = walked.empty_place
    group by 1
  )
select ended.vulnerability_id, rated.rated[2]::int as severity, disclosed.published_at,
  ended.peak::int, least(day50, empty_day)::text as reached50,
  least(day90, empty_day)::text as reached90, least(day99, empty_day)::text as reached99
from ended
join disclosed using (vulnerability_id)
join rated using (vulnerability_id);

-- server/src/features/figures/fleet-store.ts listFleetDays
with held_package as materialized (
  select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since,
    held.until
  from firmware_versions as version
  cross join lateral (
    select fact.package_id, fact.since, case when fact.until < $1 then fact.until end as until
    from firmware_version_packages as fact
    where fact.workspace_id = $2 and fact.firmware_version_id = version.id
    offset 0
  ) as held
  where version.workspace_id = $3 and held.since < $4 and version.firmware_id = $5
    and version.line_id = $6
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at
      from held_package
      group by 1, 2
    ) as each
  ),
  match as materialized (
    select match.package_id, match.vulnerability_id, match.since, case
      when match.until < $7 then match.until end as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < $8 and match.confidence <> 'Low'
      and match.until is distinct from match.since
  ),
  fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ),
  entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id,
      entry.created_at, entry.source, entry.created_by_email, entry.assessment, entry.ignored,
      entry.batch_id, entry.undone_batch_id,
      (
        entry.ignored
          or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved')
      ) as is_decided,
      (entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved')) as
      is_closed
    from finding_timeline as entry
    where entry.workspace_id = $9 and entry.created_at < $10
      and entry.firmware_version_id in (select firmware_version_id from version)
  ),
  state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id,
      package_id, vulnerability_id, created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  counted as materialized (
    select day, (row_number() over (order by day))::int as place
    from (
      select distinct day
      from firmware_set_daily_devices
      where workspace_id = $11 and day < ($12::timestamptz at time zone 'UTC')::date
    ) as each
  ),
  running as materialized (
    select counted.place, counted.day, each.firmware_version_ids, running.id as firmware_version_id,
      each.devices
    from firmware_set_daily_devices as each
    join counted on counted.day = each.day
    cross join unnest(each.firmware_version_ids) as running (id)
    where each.workspace_id = $13 and running.id in (select firmware_version_id from version)
  ),
  disclosed as materialized (
    select vulnerability_id, published_at
    from disclosures
    where workspace_id = $14 and recorded_at < $15 and published_at < $16
      and (published_at at time zone 'UTC')::date >= (select min(day) from counted)
  ),
  rated as materialized (
    select match.vulnerability_id,
      max(
        array[
          extract(epoch from match.since)::float8,
            array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)::float8
        ]
      ) as rated
    from match
    join disclosed using (vulnerability_id)
    group by 1
  ),
  span as materialized (
    select vulnerability_id, firmware_version_id, lower(span) as since, upper(span) as until
    from (
      select match.vulnerability_id, fact.firmware_version_id,
        range_agg(
          tsrange(
            greatest(fact.since, match.since) at time zone 'UTC',
              greatest(
                fact.since, match.since,
                  least(
                    fact.until, match.until, case
                      when state.assessment = 'Resolved' then state.created_at end, 'infinity'
                  )
              ) at time zone 'UTC'
          )
        ) as spans
      from (select distinct firmware_version_id from running) as ran
      join fact on fact.firmware_version_id = ran.firmware_version_id
      join match on (
        match.package_id = fact.package_id and (match.until is null or fact.since < match.until)
          and (fact.until is null or match.since < fact.until)
      )
        and match.vulnerability_id in (select vulnerability_id from disclosed) left join state on
        state.firmware_version_id = fact.firmware_version_id and state.package_id = fact.package_id
        and state.vulnerability_id = match.vulnerability_id
      where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
      group by 1, 2
    ) as each
    cross join unnest(each.spans) as span
  ),
  affected_day as materialized (
    select span.vulnerability_id, running.place, running.day, running.firmware_version_ids,
      running.devices
    from span
    join disclosed on disclosed.vulnerability_id = span.vulnerability_id
    join running on running.firmware_version_id = span.firmware_version_id
      and running.day >= (disclosed.published_at at time zone 'UTC')::date
      and span.since < running.day + 1 and span.until >= running.day + 1
  ),
  affected as materialized (
    select vulnerability_id, place, day, sum(devices)::int as devices
    from (
      select vulnerability_id, place, day, devices
      from affected_day
      where cardinality(firmware_version_ids) = 1
      union all select vulnerability_id, place, day, devices
      from (select distinct * from affected_day where cardinality(firmware_version_ids) > 1) as each
    ) as each
    group by 1, 2, 3
  ),
  walked as (
    select vulnerability_id, day, devices,
      max(devices) over (partition by vulnerability_id order by place) as peak, case
      when lead(place) over (partition by vulnerability_id order by place) is distinct from place +
      1 then place + 1 end as empty_place
    from affected
  ),
  ended as (
    select walked.vulnerability_id, max(walked.peak) as peak, min(counted.day) as empty_day,
      min(walked.day) filter (where walked.devices <= walked.peak * 0.5) as day50,
      min(walked.day) filter (where walked.devices <= walked.peak * 0.1) as day90,
      min(walked.day) filter (where walked.devices <= walked.peak * 0.01) as day99
    from walked
    left join counted on counted.place = walked.empty_place
    group by 1
  )
select ended.vulnerability_id, rated.rated[2]::int as severity, disclosed.published_at,
  ended.peak::int, least(day50, empty_day)::text as reached50,
  least(day90, empty_day)::text as reached90, least(day99, empty_day)::text as reached99
from ended
join disclosed using (vulnerability_id)
join rated using (vulnerability_id);

-- server/src/features/figures/kept-store.ts listAcceptances
with concerned as materialized (
  select distinct entry.firmware_version_id, entry.package_id, entry.vulnerability_id,
    version.firmware_id
  from finding_timeline as entry
  join firmware_versions as version on version.workspace_id = entry.workspace_id
    and version.id = entry.firmware_version_id
  where entry.workspace_id = $1 and entry.acceptance is not null and entry.created_at < $2
),
  entry as materialized (
    select concerned.firmware_id, entry.vulnerability_id, entry.created_at, entry.acceptance,
      entry.ignored and entry.acceptance is not null
      and entry.acceptance -> 'ended' is null as holds,
      lead(entry.created_at) over (
        partition by entry.firmware_version_id, entry.package_id, entry.vulnerability_id
        order by entry.created_at, entry.id
      ) as replaced_at
    from finding_timeline as entry
    join concerned using (firmware_version_id, package_id, vulnerability_id)
    where entry.workspace_id = $3 and entry.created_at < $4
  )
select firmware_id, vulnerability_id, (acceptance ->> 'acceptedAt')::timestamptz as accepted_at,
  (array_agg(acceptance #>> '{owner,email}' order by created_at desc))[1] as owner,
  bool_or(holds and created_at < $5 and (replaced_at is null or replaced_at >= $6)) as was_open,
  bool_or(holds and replaced_at is null) as is_open,
  min((acceptance #>> '{ended,at}')::timestamptz) filter (
    where (acceptance #>> '{ended,at}')::timestamptz >= $7
      and (acceptance #>> '{ended,at}')::timestamptz < $8
  ) as ended_at,
  (array_agg(acceptance #> '{ended,causes}') filter (where acceptance -> 'ended' is not null))[1] as
  causes
from entry
where acceptance is not null
group by 1, 2, 3;

-- server/src/features/figures/kept-store.ts listAcceptances
with concerned as materialized (
  select distinct entry.firmware_version_id, entry.package_id, entry.vulnerability_id,
    version.firmware_id
  from finding_timeline as entry
  join firmware_versions as version on version.workspace_id = entry.workspace_id
    and version.id = entry.firmware_version_id
  where entry.workspace_id = $1 and entry.acceptance is not null and entry.created_at < $2
    and version.firmware_id = $3
),
  entry as materialized (
    select concerned.firmware_id, entry.vulnerability_id, entry.created_at, entry.acceptance,
      entry.ignored and entry.acceptance is not null
      and entry.acceptance -> 'ended' is null as holds,
      lead(entry.created_at) over (
        partition by entry.firmware_version_id, entry.package_id, entry.vulnerability_id
        order by entry.created_at, entry.id
      ) as replaced_at
    from finding_timeline as entry
    join concerned using (firmware_version_id, package_id, vulnerability_id)
    where entry.workspace_id = $4 and entry.created_at < $5
  )
select firmware_id, vulnerability_id, (acceptance ->> 'acceptedAt')::timestamptz as accepted_at,
  (array_agg(acceptance #>> '{owner,email}' order by created_at desc))[1] as owner,
  bool_or(holds and created_at < $6 and (replaced_at is null or replaced_at >= $7)) as was_open,
  bool_or(holds and replaced_at is null) as is_open,
  min((acceptance #>> '{ended,at}')::timestamptz) filter (
    where (acceptance #>> '{ended,at}')::timestamptz >= $8
      and (acceptance #>> '{ended,at}')::timestamptz < $9
  ) as ended_at,
  (array_agg(acceptance #> '{ended,causes}') filter (where acceptance -> 'ended' is not null))[1] as
  causes
from entry
where acceptance is not null
group by 1, 2, 3;

-- server/src/features/figures/kept-store.ts listAcceptances
with concerned as materialized (
  select distinct entry.firmware_version_id, entry.package_id, entry.vulnerability_id,
    version.firmware_id
  from finding_timeline as entry
  join firmware_versions as version on version.workspace_id = entry.workspace_id
    and version.id = entry.firmware_version_id
  where entry.workspace_id = $1 and entry.acceptance is not null and entry.created_at < $2
    and version.firmware_id = $3 and version.line_id = $4
),
  entry as materialized (
    select concerned.firmware_id, entry.vulnerability_id, entry.created_at, entry.acceptance,
      entry.ignored and entry.acceptance is not null
      and entry.acceptance -> 'ended' is null as holds,
      lead(entry.created_at) over (
        partition by entry.firmware_version_id, entry.package_id, entry.vulnerability_id
        order by entry.created_at, entry.id
      ) as replaced_at
    from finding_timeline as entry
    join concerned using (firmware_version_id, package_id, vulnerability_id)
    where entry.workspace_id = $5 and entry.created_at < $6
  )
select firmware_id, vulnerability_id, (acceptance ->> 'acceptedAt')::timestamptz as accepted_at,
  (array_agg(acceptance #>> '{owner,email}' order by created_at desc))[1] as owner,
  bool_or(holds and created_at < $7 and (replaced_at is null or replaced_at >= $8)) as was_open,
  bool_or(holds and replaced_at is null) as is_open,
  min((acceptance #>> '{ended,at}')::timestamptz) filter (
    where (acceptance #>> '{ended,at}')::timestamptz >= $9
      and (acceptance #>> '{ended,at}')::timestamptz < $10
  ) as ended_at,
  (array_agg(acceptance #> '{ended,causes}') filter (where acceptance -> 'ended' is not null))[1] as
  causes
from entry
where acceptance is not null
group by 1, 2, 3;

-- server/src/features/figures/kept-store.ts listOpenDays
select asked.day::text, version.firmware_id, sum(counters.critical)::int as critical
from unnest($1::date[]) as asked (day)
cross join lateral (
  select max(day) as day
  from firmware_version_daily_counters
  where workspace_id = $2 and day <= asked.day
) as counted
join firmware_version_daily_counters as counters on counters.workspace_id = $3
  and counters.day = counted.day
join firmware_versions as version on version.workspace_id = counters.workspace_id
  and version.id = counters.firmware_version_id
where true
group by 1, 2
order by 1, 2;

-- server/src/features/figures/kept-store.ts listOpenDays
select asked.day::text, version.firmware_id, sum(counters.critical)::int as critical
from unnest($1::date[]) as asked (day)
cross join lateral (
  select max(day) as day
  from firmware_version_daily_counters
  where workspace_id = $2 and day <= asked.day
) as counted
join firmware_version_daily_counters as counters on counters.workspace_id = $3
  and counters.day = counted.day
join firmware_versions as version on version.workspace_id = counters.workspace_id
  and version.id = counters.firmware_version_id
where true and version.firmware_id = $4
group by 1, 2
order by 1, 2;

-- server/src/features/figures/kept-store.ts listOpenDays
select asked.day::text, version.firmware_id, sum(counters.critical)::int as critical
from unnest($1::date[]) as asked (day)
cross join lateral (
  select max(day) as day
  from firmware_version_daily_counters
  where workspace_id = $2 and day <= asked.day
) as counted
join firmware_version_daily_counters as counters on counters.workspace_id = $3
  and counters.day = counted.day
join firmware_versions as version on version.workspace_id = counters.workspace_id
  and version.id = counters.firmware_version_id
where true and version.firmware_id = $4 and version.line_id = $5
group by 1, 2
order by 1, 2;

-- server/src/features/figures/kept-store.ts listOpenNow
select $1 as day, version.firmware_id, sum(counters.critical)::int as critical
from firmware_version_counters as counters
join firmware_versions as version on version.workspace_id = counters.workspace_id
  and version.id = counters.firmware_version_id
where counters.workspace_id = $2
group by 2
order by 2;

-- server/src/features/figures/kept-store.ts listOpenNow
select $1 as day, version.firmware_id, sum(counters.critical)::int as critical
from firmware_version_counters as counters
join firmware_versions as version on version.workspace_id = counters.workspace_id
  and version.id = counters.firmware_version_id
where counters.workspace_id = $2 and version.firmware_id = $3
group by 2
order by 2;

-- server/src/features/figures/kept-store.ts readGround
select (
  select json_agg(
    json_build_object('until', until, 'targetDays', target_days) order by until nulls last
  )
  from (
    select until, target_days
    from former_remediation_targets
    where workspace_id = $1
    union all select null, remediation_target_days
    from workspaces
    where id = $2
  ) as each
) as targets,
  (
    select coalesce(json_agg(json_build_object('id', id, 'name', name)), '[]')
    from firmwares
    where workspace_id = $3
  ) as firmwares,
  (select coalesce(vex_publications_since, created_at) from workspaces where id = $4) as
  published_since,
  (select coalesce(case_days_since, created_at) from workspaces where id = $5) as case_days_since,
  (
    select count(*)::int
    from audit_log
    where workspace_id = $6 and created_at >= $7
      and action in ('firmware.delete', 'firmware-version.delete')
  ) as deleted;

-- server/src/features/figures/kept-store.ts recordDisclosures
insert into disclosures (workspace_id, vulnerability_id, published_at, recorded_at)
select $1::uuid, vulnerability.id, vulnerability.published_at, $2
from (
  select distinct vulnerability_id from workspace_component_vulnerabilities where workspace_id = $3
) as held
join vulnerabilities as vulnerability on vulnerability.id = held.vulnerability_id
where vulnerability.published_at is not null
  and not exists (
    select
    from disclosures as known
    where known.workspace_id = $4 and known.vulnerability_id = held.vulnerability_id
  )
order by vulnerability.id
on conflict
do nothing;
