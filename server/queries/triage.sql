-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/triage/acceptances/list-store.ts countAcceptances: the shortest and the longest of many variants
--   2ea7e695 3dd35102 4fd49502 5881bdb2 6f2e0915 bd09607e bd7e070a bde19b41 f56fd23f fb2e156f
select (
  count(*) filter (
    where (decision.ignored and ((decision.acceptance ->> 'until') collate "C" <= $1) is not true)
  )
)::int as open,
  (
    count(*) filter (
      where (decision.ignored and (decision.acceptance ->> 'until') collate "C" <= $2)
    )
  )::int as ending_soon,
  (count(*) filter (where (not decision.ignored and decision.acceptance -> 'ended' is not null)))::int
  as ended,
  (
    count(*) filter (
      where decision.ignored
        and not exists (
          select
          from members as member
          where member.workspace_id = $3
            and member.subject_id = (decision.acceptance #>> '{owner,id}')::uuid
        )
    )
  )::int as without_owner
from finding_decisions as decision
join firmware_versions as version on version.workspace_id = decision.workspace_id
  and version.id = decision.firmware_version_id
join lateral (
  select fact.component_name, fact.component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $4 and fact.firmware_version_id = decision.firmware_version_id
    and fact.package_id = decision.package_id
  order by fact.since desc
  limit 1
) as held on true
where decision.workspace_id = $5 and decision.acceptance is not null
  and (decision.ignored or decision.acceptance -> 'ended' is not null);

select (
  count(*) filter (
    where (decision.ignored and ((decision.acceptance ->> 'until') collate "C" <= $1) is not true)
  )
)::int as open,
  (
    count(*) filter (
      where (decision.ignored and (decision.acceptance ->> 'until') collate "C" <= $2)
    )
  )::int as ending_soon,
  (count(*) filter (where (not decision.ignored and decision.acceptance -> 'ended' is not null)))::int
  as ended,
  (
    count(*) filter (
      where decision.ignored
        and not exists (
          select
          from members as member
          where member.workspace_id = $3
            and member.subject_id = (decision.acceptance #>> '{owner,id}')::uuid
        )
    )
  )::int as without_owner
from finding_decisions as decision
join firmware_versions as version on version.workspace_id = decision.workspace_id
  and version.id = decision.firmware_version_id
join lateral (
  select fact.component_name, fact.component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $4 and fact.firmware_version_id = decision.firmware_version_id
    and fact.package_id = decision.package_id
  order by fact.since desc
  limit 1
) as held on true
where decision.workspace_id = $5 and decision.acceptance is not null
  and (decision.ignored or decision.acceptance -> 'ended' is not null)
  and exists (
    select
    from members as member
    where member.workspace_id = $6
      and member.subject_id = (decision.acceptance #>> '{owner,id}')::uuid
  ) <> $7 and decision.ignored and (decision.acceptance ->> 'until') collate "C" < $8
  and not decision.ignored and decision.acceptance #>> '{ended,at}' >= $9 and not decision.ignored
  and decision.acceptance #> '{ended,causes}' ?| $10::text[]
  and decision.vulnerability_id in (
    select alias.vulnerability_id
    from vulnerability_aliases as alias
    where alias.alias = any($11::text[])
  ) and version.firmware_id::text = any($12::text[])
  and (
    strpos(lower(decision.vulnerability_id), lower($13)) > 0
      or strpos(lower(held.component_name), lower($14)) > 0
      or coalesce(strpos(lower(decision.acceptance ->> 'reason'), lower($15)) > 0, false)
  );

-- server/src/features/triage/acceptances/list-store.ts listAcceptances: the shortest and the longest of many variants
--   050ff01b 440b8adb 4bf4de77 58e24fbc 5a641fab 6184bb8d 64643160 919e4ba6 a7c82c1d aa647198
--   d574e594 d7420540 ebde1ba6 f81c620d fa162742
with page as materialized (
  select decision.firmware_version_id, decision.package_id, decision.vulnerability_id,
    decision.acceptance, decision.ignored, decision.assessment, held.component_name,
    held.component_version, version.name as firmware_version_name, version.firmware_id,
    (
      case
        when not decision.ignored then 2e13 - extract(
          epoch from (decision.acceptance #>> '{ended,at}')::timestamptz
        ) * 1000 when decision.acceptance ->> 'until' is null then 1e13
        else extract(epoch from (decision.acceptance ->> 'until')::timestamptz) * 1000 end
    )::float8 as place
  from finding_decisions as decision
  join firmware_versions as version on version.workspace_id = decision.workspace_id
    and version.id = decision.firmware_version_id
  join lateral (
    select fact.component_name, fact.component_version
    from firmware_version_packages as fact
    where fact.workspace_id = $1 and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id
    order by fact.since desc
    limit 1
  ) as held on true
  where decision.workspace_id = $2 and decision.acceptance is not null
    and (decision.ignored or decision.acceptance -> 'ended' is not null)
  order by place, decision.firmware_version_id, decision.package_id, decision.vulnerability_id
  limit $3
),
  running as materialized (
    select asked.firmware_version_id, sum(counts.devices)::int as devices
    from (select distinct firmware_version_id from page) as asked
    join firmware_set_device_counts as counts on counts.workspace_id = $4
      and counts.firmware_version_ids @> array[asked.firmware_version_id]
    group by asked.firmware_version_id
  )
select page.*, firmware.name as firmware_name, match.severity,
  coalesce(match.is_exploited, false) as is_exploited, epss.score as epss_score,
  coalesce(running.devices, 0) as affected_devices, owner.email as owner_email
from page
join firmwares as firmware on firmware.workspace_id = $5 and firmware.id = page.firmware_id
left join package_matches as match on match.package_id = page.package_id
  and match.vulnerability_id = page.vulnerability_id and match.until is null
left join epss_scores as epss on epss.cve_id = page.vulnerability_id
left join running on running.firmware_version_id = page.firmware_version_id
left join members as member on member.workspace_id = $6
  and member.subject_id = (page.acceptance #>> '{owner,id}')::uuid
left join people as owner on owner.id = member.subject_id
order by page.place, page.firmware_version_id, page.package_id, page.vulnerability_id;

with page as materialized (
  select decision.firmware_version_id, decision.package_id, decision.vulnerability_id,
    decision.acceptance, decision.ignored, decision.assessment, held.component_name,
    held.component_version, version.name as firmware_version_name, version.firmware_id,
    (
      case
        when not decision.ignored then 2e13 - extract(
          epoch from (decision.acceptance #>> '{ended,at}')::timestamptz
        ) * 1000 when decision.acceptance ->> 'until' is null then 1e13
        else extract(epoch from (decision.acceptance ->> 'until')::timestamptz) * 1000 end
    )::float8 as place
  from finding_decisions as decision
  join firmware_versions as version on version.workspace_id = decision.workspace_id
    and version.id = decision.firmware_version_id
  join lateral (
    select fact.component_name, fact.component_version
    from firmware_version_packages as fact
    where fact.workspace_id = $1 and fact.firmware_version_id = decision.firmware_version_id
      and fact.package_id = decision.package_id
    order by fact.since desc
    limit 1
  ) as held on true
  where decision.workspace_id = $2 and decision.acceptance is not null
    and (decision.ignored or decision.acceptance -> 'ended' is not null)
    and ((decision.ignored and (decision.acceptance ->> 'until') collate "C" <= $3))
    and exists (
      select
      from members as member
      where member.workspace_id = $4
        and member.subject_id = (decision.acceptance #>> '{owner,id}')::uuid
    ) <> $5 and decision.ignored and (decision.acceptance ->> 'until') collate "C" < $6
    and not decision.ignored and decision.acceptance #>> '{ended,at}' >= $7 and not decision.ignored
    and decision.acceptance #> '{ended,causes}' ?| $8::text[]
    and decision.vulnerability_id in (
      select alias.vulnerability_id
      from vulnerability_aliases as alias
      where alias.alias = any($9::text[])
    ) and version.firmware_id::text = any($10::text[])
    and (
      strpos(lower(decision.vulnerability_id), lower($11)) > 0
        or strpos(lower(held.component_name), lower($12)) > 0
        or coalesce(strpos(lower(decision.acceptance ->> 'reason'), lower($13)) > 0, false)
    )
  order by place, decision.firmware_version_id, decision.package_id, decision.vulnerability_id
  limit $14
),
  running as materialized (
    select asked.firmware_version_id, sum(counts.devices)::int as devices
    from (select distinct firmware_version_id from page) as asked
    join firmware_set_device_counts as counts on counts.workspace_id = $15
      and counts.firmware_version_ids @> array[asked.firmware_version_id]
    group by asked.firmware_version_id
  )
select page.*, firmware.name as firmware_name, match.severity,
  coalesce(match.is_exploited, false) as is_exploited, epss.score as epss_score,
  coalesce(running.devices, 0) as affected_devices, owner.email as owner_email
from page
join firmwares as firmware on firmware.workspace_id = $16 and firmware.id = page.firmware_id
left join package_matches as match on match.package_id = page.package_id
  and match.vulnerability_id = page.vulnerability_id and match.until is null
left join epss_scores as epss on epss.cve_id = page.vulnerability_id
left join running on running.firmware_version_id = page.firmware_version_id
left join members as member on member.workspace_id = $17
  and member.subject_id = (page.acceptance #>> '{owner,id}')::uuid
left join people as owner on owner.id = member.subject_id
order by page.place, page.firmware_version_id, page.package_id, page.vulnerability_id;

-- server/src/features/triage/acceptances/list-store.ts listAcceptedKeys: the shortest and the longest of many variants
--   29ec3f4a 37b5f989 61cd4bf8 9096e179 936256dd 9e4c9120 f7feb511
select decision.firmware_version_id, decision.package_id, decision.vulnerability_id
from finding_decisions as decision
join firmware_versions as version on version.workspace_id = decision.workspace_id
  and version.id = decision.firmware_version_id
join lateral (
  select fact.component_name, fact.component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $1 and fact.firmware_version_id = decision.firmware_version_id
    and fact.package_id = decision.package_id
  order by fact.since desc
  limit 1
) as held on true
where decision.workspace_id = $2 and decision.acceptance is not null
  and (decision.ignored or decision.acceptance -> 'ended' is not null)
  and decision.acceptance #>> '{owner,id}' = any($3::text[])
order by decision.firmware_version_id, decision.package_id, decision.vulnerability_id
limit $4;

select decision.firmware_version_id, decision.package_id, decision.vulnerability_id
from finding_decisions as decision
join firmware_versions as version on version.workspace_id = decision.workspace_id
  and version.id = decision.firmware_version_id
join lateral (
  select fact.component_name, fact.component_version
  from firmware_version_packages as fact
  where fact.workspace_id = $1 and fact.firmware_version_id = decision.firmware_version_id
    and fact.package_id = decision.package_id
  order by fact.since desc
  limit 1
) as held on true
where decision.workspace_id = $2 and decision.acceptance is not null
  and (decision.ignored or decision.acceptance -> 'ended' is not null)
  and (
    (decision.ignored and ((decision.acceptance ->> 'until') collate "C" <= $3) is not true)
      or (decision.ignored and (decision.acceptance ->> 'until') collate "C" <= $4)
  ) and decision.acceptance #>> '{owner,id}' = any($5::text[])
order by decision.firmware_version_id, decision.package_id, decision.vulnerability_id
limit $6;

-- server/src/features/triage/acceptances/list-store.ts listSaid
select asked.firmware_version_id, asked.package_id, asked.vulnerability_id,
  coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) as ignored, decision.acceptance
from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[]) as asked (
  place, firmware_version_id, package_id, vulnerability_id
) left join finding_decisions as decision on decision.workspace_id = $5
  and decision.firmware_version_id = asked.firmware_version_id
  and decision.package_id = asked.package_id and decision.vulnerability_id = asked.vulnerability_id
order by asked.place;

-- server/src/features/triage/acceptances/met-store.ts insertNotices
insert into acceptance_notices (
  workspace_id, id, created_at, is_ended, owner_id, firmware_version_id, package_id,
    vulnerability_id, acceptance
)
select $1::uuid, id, $2::timestamptz, $3::boolean, "ownerId", "firmwareVersionId", "packageId",
  "vulnerabilityId", acceptance
from json_to_recordset($4::json) as given (
  id uuid, "ownerId" uuid, "firmwareVersionId" uuid, "packageId" uuid, "vulnerabilityId" text,
    acceptance jsonb
);

-- server/src/features/triage/acceptances/met-store.ts listFixedPairs
select evidence.package_id, evidence.vulnerability_id,
  (
    select item ->> 'version'
    from jsonb_array_elements(evidence.evidence) as item
    where item ->> 'verdict' = 'affected'
    limit 1
  ) as version,
  (
    select coalesce(
      json_agg(
        json_build_object(
          'source', affected.source, 'advisoryId', affected.advisory_id, 'key', affected.key,
            'statements', affected.statements
        )
      ), '[]'
    )
    from advisory_affected as affected
    where (affected.source, affected.advisory_id, affected.key) in (
      select item ->> 'source', item ->> 'advisoryId', item ->> 'key'
      from jsonb_array_elements(evidence.evidence) as item
    )
  ) as affected
from unnest($1::uuid[], $2::text[]) as wanted (package_id, vulnerability_id)
join package_matches as match on match.package_id = wanted.package_id
  and match.vulnerability_id = wanted.vulnerability_id and match.until is null
join package_match_evidence as evidence on evidence.package_id = wanted.package_id
  and evidence.vulnerability_id = wanted.vulnerability_id;

-- server/src/features/triage/acceptances/met-store.ts listWorkspacesAwaitingFixes
select distinct workspace_id
from finding_decisions
where package_id = any($1::uuid[]) and ignored
  and acceptance -> 'conditions' ->> 'fixAvailable' = 'true'
order by workspace_id;

-- server/src/features/triage/acceptances/met-store.ts listWorkspacesDue
select distinct workspace_id
from finding_decisions
where ignored and (acceptance ->> 'until') collate "C" <= $1
order by workspace_id;

-- server/src/features/triage/acceptances/met-store.ts readMet: the shortest and the longest of many variants
--   047c9153 0e38d995 6ad5b6f0 7875df14 7ab9c439 ec790f4c
with accepted as materialized (
  select decision.firmware_version_id, decision.package_id, decision.vulnerability_id,
    decision.acceptance
  from finding_decisions as decision
  where decision.workspace_id = $1 and decision.ignored and decision.acceptance is not null
),
  running as materialized (
    select asked.firmware_version_id, sum(counts.devices) as devices
    from (
      select distinct firmware_version_id
      from accepted
      where accepted.acceptance -> 'conditions' ->> 'devicesAbove' is not null
    ) as asked
    join firmware_set_device_counts as counts on counts.workspace_id = $2
      and counts.firmware_version_ids @> array[asked.firmware_version_id]
    group by asked.firmware_version_id
  ),
  judged as (
    select accepted.*,
      array_remove(
        array[
          case when (accepted.acceptance ->> 'until') collate "C" <= $3 then 'Time' end, case
            when (accepted.acceptance -> 'conditions' ->> 'knownExploited')::boolean
            and exists (
              select
              from package_matches as match
              where match.package_id = accepted.package_id
                and match.vulnerability_id = accepted.vulnerability_id and match.until is null
                and match.is_exploited
            ) then 'KnownExploited' end, case
            when epss.score > (accepted.acceptance -> 'conditions' ->> 'epssAbove')::real then
            'EpssAbove' end, case
            when running.devices > (accepted.acceptance -> 'conditions' ->> 'devicesAbove')::bigint
            then 'DevicesAbove' end
        ], null
      ) as causes,
      coalesce((accepted.acceptance -> 'conditions' ->> 'fixAvailable')::boolean, false) as
      asks_for_fix
    from accepted
    left join epss_scores as epss on epss.cve_id = accepted.vulnerability_id
    left join running on running.firmware_version_id = accepted.firmware_version_id
  )
select firmware_version_id, package_id, vulnerability_id, acceptance, causes, asks_for_fix
from judged
where causes <> '{}' or asks_for_fix
order by firmware_version_id, package_id, vulnerability_id;

with accepted as materialized (
  select decision.firmware_version_id, decision.package_id, decision.vulnerability_id,
    decision.acceptance
  from (
    select distinct firmware_version_id, package_id, vulnerability_id
    from finding_timeline
    where workspace_id = $1 and batch_id = $2
  ) as asked
  cross join lateral (
    select *
    from finding_decisions as each
    where each.workspace_id = $3 and each.firmware_version_id = asked.firmware_version_id
      and each.package_id = asked.package_id and each.vulnerability_id = asked.vulnerability_id
    offset 0
  ) as decision
  where decision.workspace_id = $4 and decision.ignored and decision.acceptance is not null
),
  running as materialized (
    select asked.firmware_version_id, sum(counts.devices) as devices
    from (
      select distinct firmware_version_id
      from accepted
      where accepted.acceptance -> 'conditions' ->> 'devicesAbove' is not null
    ) as asked
    join firmware_set_device_counts as counts on counts.workspace_id = $5
      and counts.firmware_version_ids @> array[asked.firmware_version_id]
    group by asked.firmware_version_id
  ),
  judged as (
    select accepted.*,
      array_remove(
        array[
          case when (accepted.acceptance ->> 'until') collate "C" <= $6 then 'Time' end, case
            when (accepted.acceptance -> 'conditions' ->> 'knownExploited')::boolean
            and exists (
              select
              from package_matches as match
              where match.package_id = accepted.package_id
                and match.vulnerability_id = accepted.vulnerability_id and match.until is null
                and match.is_exploited
            ) then 'KnownExploited' end, case
            when epss.score > (accepted.acceptance -> 'conditions' ->> 'epssAbove')::real then
            'EpssAbove' end, case
            when running.devices > (accepted.acceptance -> 'conditions' ->> 'devicesAbove')::bigint
            then 'DevicesAbove' end
        ], null
      ) as causes,
      coalesce((accepted.acceptance -> 'conditions' ->> 'fixAvailable')::boolean, false) as
      asks_for_fix
    from accepted
    left join epss_scores as epss on epss.cve_id = accepted.vulnerability_id
    left join running on running.firmware_version_id = accepted.firmware_version_id
  )
select firmware_version_id, package_id, vulnerability_id, acceptance, causes, asks_for_fix
from judged
where causes <> '{}' or asks_for_fix
order by firmware_version_id, package_id, vulnerability_id;

-- server/src/features/triage/acceptances/notices-store.ts listVersionNames
select version.id, firmware.name || ' ' || version.name as name
from firmware_versions as version
join firmwares as firmware on firmware.workspace_id = version.workspace_id
  and firmware.id = version.firmware_id
where version.workspace_id = $1 and version.id = any($2::uuid[]);

-- server/src/features/triage/acceptances/notices-store.ts listWaitingOwners
select workspace_id, owner_id
from acceptance_notices
group by workspace_id, owner_id
having max(created_at) <= $1 or min(created_at) <= $2
order by workspace_id, owner_id;

-- server/src/features/triage/acceptances/notices-store.ts noteNearEnds
with near as materialized (
  select decision.workspace_id, decision.firmware_version_id, decision.package_id,
    decision.vulnerability_id
  from finding_decisions as decision
  join workspaces as workspace on workspace.id = decision.workspace_id
    and workspace.acceptance_notice_days > 0
  where decision.ignored and (decision.acceptance ->> 'until') collate "C" <= $1
    and decision.acceptance -> 'isEndAnnounced' is null
    and (decision.acceptance ->> 'until')::timestamptz - make_interval(
      days => workspace.acceptance_notice_days
    ) between (decision.acceptance ->> 'acceptedAt')::timestamptz and $2::timestamptz
),
  noted as (
    update finding_decisions as decision
    set acceptance = decision.acceptance || '{"isEndAnnounced": true}'
    from near
    where decision.workspace_id = near.workspace_id
      and decision.firmware_version_id = near.firmware_version_id
      and decision.package_id = near.package_id
      and decision.vulnerability_id = near.vulnerability_id and decision.ignored
      and decision.acceptance -> 'isEndAnnounced' is null
    returning decision.*
  )
insert into acceptance_notices (
  workspace_id, id, created_at, is_ended, owner_id, firmware_version_id, package_id,
    vulnerability_id, acceptance
)
select workspace_id, gen_random_uuid(), $3::timestamptz, false, (acceptance #>> '{owner,id}')::uuid,
  firmware_version_id, package_id, vulnerability_id, acceptance
from noted;

-- server/src/features/triage/acceptances/notices-store.ts takeNotices
with taken as (
  delete from acceptance_notices
  where workspace_id = $1
    and id in (
      select id
      from acceptance_notices
      where workspace_id = $2 and owner_id is not distinct from $3::uuid
      for update skip locked
    )
  returning *
)
select is_ended, firmware_version_id, package_id, vulnerability_id, acceptance
from taken
order by is_ended desc, acceptance ->> 'until', vulnerability_id, firmware_version_id, package_id;

-- server/src/features/triage/batches/runs-store.ts deleteRun
delete from decision_runs where workspace_id = $1 and id = $2;

-- server/src/features/triage/batches/runs-store.ts insertRun
delete from decision_runs where workspace_id = $1 and started_at < now() - interval '1 day';

-- server/src/features/triage/batches/runs-store.ts insertRun
insert into decision_runs (workspace_id, id, is_undo, act, assessment, created_by_email)
values ($1, $2, $3, $4, $5, $6)
on conflict (workspace_id, id)
do nothing;

-- server/src/features/triage/batches/runs-store.ts listRuns
select id, is_undo, act, assessment, created_by_email, started_at, finding_count, done_count,
  not pg_try_advisory_xact_lock_shared(hashtextextended('decision-run ' || id::text, 0))
  or started_at > now() - interval '5 seconds' as is_held
from decision_runs
where workspace_id = $1
order by started_at, id;

-- server/src/features/triage/batches/runs-store.ts listRuns
select id, is_undo, act, assessment, created_by_email, started_at, finding_count, done_count,
  not pg_try_advisory_xact_lock_shared(hashtextextended('decision-run ' || id::text, 0))
  or started_at > now() - interval '5 seconds' as is_held
from decision_runs
where workspace_id = $1 and created_by_email = $2
order by started_at, id;

-- server/src/features/triage/batches/runs-store.ts lockRun
select pg_advisory_xact_lock(hashtextextended('decision-run ' || $1::text, 0));

-- server/src/features/triage/batches/runs-store.ts updateRun
update decision_runs set finding_count = $1, done_count = $2 where workspace_id = $3 and id = $4;

-- server/src/features/triage/batches/store.ts findBatch
select id, created_at, source, created_by_email, act, assessment, finding_count, vulnerability_ids,
  vulnerability_count, undone_at, undone_by_email, left_count, standing as standing
from decision_batches
where workspace_id = $1 and id = $2;

-- server/src/features/triage/batches/store.ts insertBatch
insert into decision_batches (
  workspace_id, id, act, assessment, source, created_by_email, created_at, finding_count,
    vulnerability_ids, vulnerability_count, standing
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- server/src/features/triage/batches/store.ts listBatchSides
select coalesce(array_agg(distinct firmware_version_id), '{}') as firmware_version_ids,
  coalesce(array_agg(distinct package_id), '{}') as package_ids,
  coalesce(array_agg(distinct vulnerability_id), '{}') as vulnerability_ids
from finding_timeline
where workspace_id = $1 and batch_id = $2;

-- server/src/features/triage/batches/store.ts listBatches
select id, created_at, source, created_by_email, act, assessment, finding_count, vulnerability_ids,
  vulnerability_count, undone_at, undone_by_email, left_count, standing as standing
from decision_batches
where workspace_id = $1
order by created_at desc, id desc
limit $2;

-- server/src/features/triage/batches/store.ts listBatches
select id, created_at, source, created_by_email, act, assessment, finding_count, vulnerability_ids,
  vulnerability_count, undone_at, undone_by_email, left_count, standing as standing
from decision_batches
where workspace_id = $1 and created_by_email = $2
order by created_at desc, id desc
limit $3;

-- server/src/features/triage/batches/store.ts listDecidedFindings
select distinct on (entry.id) entry.id, entry.firmware_version_id, entry.package_id,
  entry.vulnerability_id, version.name as firmware_version_name, firmware.name as firmware_name,
  coalesce(entry.before ->> 'assessment', 'NotAssessed') as assessment_before,
  coalesce((entry.before ->> 'ignored')::boolean, false) as ignored_before, entry.assessment,
  entry.ignored
from finding_timeline as entry
join firmware_versions as version on version.workspace_id = $1
  and version.id = entry.firmware_version_id
join firmwares as firmware on firmware.workspace_id = $2 and firmware.id = version.firmware_id
where entry.workspace_id = $3 and entry.batch_id = $4 and ($5::uuid is null or entry.id > $6::uuid)
order by entry.id
limit $7;

-- server/src/features/triage/batches/store.ts lockBatch
select id, created_at, source, created_by_email, act, assessment, finding_count, vulnerability_ids,
  vulnerability_count, undone_at, undone_by_email, left_count, standing as standing
from decision_batches
where workspace_id = $1 and id = $2
for update;

-- server/src/features/triage/batches/store.ts updateUndone
update decision_batches
set undone_at = $1, undone_by_email = $2, left_count = $3
where workspace_id = $4 and id = $5;

-- server/src/features/triage/bulk/store.ts listPreviousDecisions
select named.firmware_version_id, named.package_id, named.vulnerability_id,
  coalesce(decision.assessment, 'NotAssessed') as assessment, decision.previous_decision
from unnest($1::int[], $2::uuid[], $3::uuid[], $4::text[]) as named (
  place, firmware_version_id, package_id, vulnerability_id
) left join finding_decisions as decision on decision.workspace_id = $5
  and decision.firmware_version_id = named.firmware_version_id
  and decision.package_id = named.package_id and decision.vulnerability_id = named.vulnerability_id
order by place;

-- server/src/features/triage/bulk/store.ts listStates
select coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) <> $1 or true
  or ($2 and decision.ignored_line_id is distinct from $3::uuid) as is_changed
from unnest($4::int[], $5::uuid[], $6::uuid[], $7::text[]) as named (
  place, firmware_version_id, package_id, vulnerability_id
) left join finding_decisions as decision on decision.workspace_id = $8
  and decision.firmware_version_id = named.firmware_version_id
  and decision.package_id = named.package_id and decision.vulnerability_id = named.vulnerability_id
order by place;

-- server/src/features/triage/bulk/store.ts listStates
select coalesce(decision.assessment, 'NotAssessed') as assessment,
  coalesce(decision.ignored, false) <> $1 or false
  or ($2 and decision.ignored_line_id is distinct from $3::uuid) as is_changed
from unnest($4::int[], $5::uuid[], $6::uuid[], $7::text[]) as named (
  place, firmware_version_id, package_id, vulnerability_id
) left join finding_decisions as decision on decision.workspace_id = $8
  and decision.firmware_version_id = named.firmware_version_id
  and decision.package_id = named.package_id and decision.vulnerability_id = named.vulnerability_id
order by place;

-- server/src/features/triage/bulk/store.ts listStates
select coalesce(decision.assessment, 'NotAssessed') as assessment,
  decision.recheck_reason is not null
  or (
    coalesce(decision.assessment, 'NotAssessed'), decision.justification, decision.detail,
      coalesce(decision.responses, '{}'), decision.assessed_line_id
  ) is distinct from ($1, $2, $3, $4::text[], $5::uuid) as is_changed
from unnest($6::int[], $7::uuid[], $8::uuid[], $9::text[]) as named (
  place, firmware_version_id, package_id, vulnerability_id
) left join finding_decisions as decision on decision.workspace_id = $10
  and decision.firmware_version_id = named.firmware_version_id
  and decision.package_id = named.package_id and decision.vulnerability_id = named.vulnerability_id
order by place;

-- server/src/features/triage/carry-over/store.ts listCarriedOver
with new_finding as materialized (
  select fact.firmware_version_id, fact.package_id, match.vulnerability_id, fact.component_name,
    fact.component_version
  from firmware_version_packages as fact
  join package_matches as match using (package_id)
  where fact.workspace_id = $1 and fact.firmware_version_id = $2 and fact.since = $3
    and fact.until is null and match.until is null
    and not exists (
      select
      from finding_decisions as decision
      where decision.workspace_id = $4 and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
    )
),
  origin as materialized (
    select version.id, version.line_id, origin.id as origin_id, origin.name as origin,
      origin.id = version.id as is_own
    from (select distinct firmware_version_id from new_finding) as each
    join firmware_versions as version on version.workspace_id = $5
      and version.id = each.firmware_version_id
    join workspaces as workspace on workspace.id = $6 and workspace.carry_over_assessments
    join firmware_versions as origin on origin.workspace_id = $7
      and origin.id in (
        version.id,
          coalesce(
            version.predecessor_id,
              (
                select earlier.id
                from firmware_versions as earlier
                where earlier.workspace_id = $8 and earlier.firmware_id = version.firmware_id
                  and (earlier.created_at, earlier.id) < (version.created_at, version.id)
                  and exists (
                    select
                    from sboms
                    where sboms.workspace_id = $9 and sboms.firmware_version_id = earlier.id
                      and sboms.parsing_state = 'Succeeded'
                  ) and earlier.line_id is not distinct from version.line_id
                order by earlier.created_at desc, earlier.id desc
                limit 1
              ),
              (
                select earlier.id
                from firmware_versions as earlier
                where earlier.workspace_id = $10 and earlier.firmware_id = version.firmware_id
                  and (earlier.created_at, earlier.id) < (version.created_at, version.id)
                  and exists (
                    select
                    from sboms
                    where sboms.workspace_id = $11 and sboms.firmware_version_id = earlier.id
                      and sboms.parsing_state = 'Succeeded'
                  )
                order by earlier.created_at desc, earlier.id desc
                limit 1
              )
          )
      )
  ),
  former as (
    select origin.id as firmware_version_id, origin.origin as predecessor, origin.is_own,
      decision.package_id, decision.vulnerability_id, decision.assessment, decision.ignored,
      decision.acceptance, decision.justification, decision.responses, decision.detail,
      decision.decided_by_email, decision.statement_id, decision.recheck_reason,
      (
        case when decision.assessed_at is null then null
          when decision.source in ('User', 'ApiKey') then 'Person'
          when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
          when decision.origin is not null then decision.origin
          when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
          and decision.statement_id is not null then 'Document' else 'Person' end
      ) as origin, decision.stated_in, decision.updated_at, decision.assessed_at,
      decision.evidence_hash, decision.assessed_line_id, decision.ignored_line_id,
      held.component_name, held.component_version, decision.previous_decision as pending_decision,
      case when decision.assessment = 'NotAssessed'
      and not decision.ignored then decision.previous_decision
      else jsonb_build_object(
        'firmwareVersion', jsonb_build_object('id', origin.origin_id, 'name', origin.origin),
          'componentVersion', held.component_version, 'assessment', decision.assessment, 'ignored',
          decision.ignored, 'acceptance', case when decision.ignored then decision.acceptance end,
          'justification', decision.justification, 'detail', decision.detail, 'responses',
          decision.responses, 'assessedLineId', decision.assessed_line_id, 'ignoredLineId',
          decision.ignored_line_id, 'decidedByEmail', decision.decided_by_email, 'decidedAt',
          coalesce(decision.assessed_at, decision.updated_at)
      ) end as previous_decision
    from (select distinct firmware_version_id, vulnerability_id from new_finding) as wanted
    join origin on origin.id = wanted.firmware_version_id
    join lateral (
      select package_id, vulnerability_id, each.ignored
        and not (
          not origin.is_own and each.ignored_line_id is not null
            and each.ignored_line_id is distinct from origin.line_id
        ) as ignored, case
        when not (
          not origin.is_own and each.ignored_line_id is not null
            and each.ignored_line_id is distinct from origin.line_id
        ) then acceptance end as acceptance, each.ignored_line_id, updated_at, source, origin,
        decided_by_email, evidence_hash, case
        when not (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then previous_decision end as previous_decision, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then 'NotAssessed' else each.assessment end as assessment, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.justification end as justification, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then '{}'::text[] else each.responses end as responses, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.detail end as detail, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.statement_id end as statement_id, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.recheck_reason end as recheck_reason, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.assessed_at end as assessed_at, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.stated_in end as stated_in, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.assessed_line_id end as assessed_line_id
      from finding_decisions as each
      where each.workspace_id = $12 and each.firmware_version_id = origin.origin_id
        and each.vulnerability_id = wanted.vulnerability_id
    ) as decision on true
    left join lateral (
      select fact.component_name, fact.component_version
      from firmware_version_packages as fact
      where fact.workspace_id = $13 and fact.firmware_version_id = origin.origin_id
        and fact.package_id = decision.package_id
      order by fact.since desc
      limit 1
    ) as held on true
    where decision.assessment <> 'NotAssessed' or decision.ignored
      or decision.recheck_reason is not null
  ),
  kept as (
    select new_finding.*, former.predecessor, former.assessment, former.ignored, former.acceptance,
      former.justification, former.responses, former.detail, former.decided_by_email,
      former.statement_id, former.recheck_reason, former.assessed_at, former.origin,
      former.stated_in, former.pending_decision, former.previous_decision, former.assessed_line_id,
      former.ignored_line_id, former.assessment = 'NotAssessed' or former.evidence_hash is null
      or former.evidence_hash = (
        select md5(evidence::text)
        from package_match_evidence as evidence
        where evidence.package_id = new_finding.package_id
          and evidence.vulnerability_id = new_finding.vulnerability_id
      ) as is_same
    from new_finding
    join former using (firmware_version_id, package_id, vulnerability_id)
    where not former.is_own
  ),
  changed as (
    select distinct on (
      new_finding.firmware_version_id, new_finding.package_id, new_finding.vulnerability_id
    ) new_finding.*, former.predecessor, former.assessment, former.ignored, former.recheck_reason,
      former.previous_decision, former.component_version as version_before
    from new_finding
    join former using (firmware_version_id, vulnerability_id)
    where former.package_id <> new_finding.package_id
      and (not former.is_own or former.component_version <> new_finding.component_version)
      and (
        former.component_name = new_finding.component_name
          or exists (
            select
            from package_keys as own
            join package_keys as other using (key)
            where own.package_id = new_finding.package_id and other.package_id = former.package_id
          )
      )
      and not exists (
        select
        from kept
        where kept.firmware_version_id = new_finding.firmware_version_id
          and kept.package_id = new_finding.package_id
          and kept.vulnerability_id = new_finding.vulnerability_id
      )
    order by new_finding.firmware_version_id, new_finding.package_id, new_finding.vulnerability_id,
      former.is_own desc, former.updated_at desc, former.package_id
  )
select firmware_version_id, package_id, vulnerability_id, case when not is_same then 'NotAssessed'
  when assessed_at is not null then assessment end as assessment, ignored and is_same as ignored,
  case when is_same then acceptance end as acceptance, case
  when is_same then justification end as justification, case when is_same then responses
  else '{}' end as responses, case when is_same then detail end as detail, 'CarriedOver' as source,
  case when is_same then origin end as origin, case when is_same then stated_in end as stated_in,
  decided_by_email as created_by_email, case when is_same then statement_id end as statement_id,
  case when is_same then recheck_reason end as recheck_reason, case when is_same then null
  else json_build_object(
    'code', $14::text, 'assessment', assessment, 'ignored', ignored, 'predecessor', predecessor
  ) end as recheck_cause, case when is_same then pending_decision
  else previous_decision end as previous_decision, case
  when is_same then assessed_line_id end as assessed_line_id, case
  when is_same then ignored_line_id end as ignored_line_id, case
  when is_same then assessed_at end as decided_at, true as needs_entry
from kept
union all select firmware_version_id, package_id, vulnerability_id, 'NotAssessed', false, null,
  null, '{}', null, 'CarriedOver', null, null, null, null, case
  when not (assessment <> 'NotAssessed' or ignored) then recheck_reason end, case
  when (assessment <> 'NotAssessed' or ignored) then json_build_object(
    'code', $15::text, 'assessment', assessment, 'ignored', ignored, 'predecessor', predecessor,
      'from', version_before, 'to', component_version
  ) end, previous_decision, null, null, null, true
from changed;

-- server/src/features/triage/carry-over/store.ts listCarriedOver
with new_finding as materialized (
  select fact.firmware_version_id, fact.package_id, match.vulnerability_id, fact.component_name,
    fact.component_version
  from unnest($1::uuid[], $2::text[]) as pair (package_id, vulnerability_id)
  join package_matches as match using (package_id, vulnerability_id)
  cross join lateral (
    select *
    from firmware_version_packages as each
    where each.workspace_id = $3 and each.package_id = pair.package_id and each.until is null
    offset 0
  ) as fact
  where match.until is null
    and not exists (
      select
      from finding_decisions as decision
      where decision.workspace_id = $4 and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id
        and decision.vulnerability_id = match.vulnerability_id
    )
),
  origin as materialized (
    select version.id, version.line_id, origin.id as origin_id, origin.name as origin,
      origin.id = version.id as is_own
    from (select distinct firmware_version_id from new_finding) as each
    join firmware_versions as version on version.workspace_id = $5
      and version.id = each.firmware_version_id
    join workspaces as workspace on workspace.id = $6 and workspace.carry_over_assessments
    join firmware_versions as origin on origin.workspace_id = $7
      and origin.id in (
        version.id,
          coalesce(
            version.predecessor_id,
              (
                select earlier.id
                from firmware_versions as earlier
                where earlier.workspace_id = $8 and earlier.firmware_id = version.firmware_id
                  and (earlier.created_at, earlier.id) < (version.created_at, version.id)
                  and exists (
                    select
                    from sboms
                    where sboms.workspace_id = $9 and sboms.firmware_version_id = earlier.id
                      and sboms.parsing_state = 'Succeeded'
                  ) and earlier.line_id is not distinct from version.line_id
                order by earlier.created_at desc, earlier.id desc
                limit 1
              ),
              (
                select earlier.id
                from firmware_versions as earlier
                where earlier.workspace_id = $10 and earlier.firmware_id = version.firmware_id
                  and (earlier.created_at, earlier.id) < (version.created_at, version.id)
                  and exists (
                    select
                    from sboms
                    where sboms.workspace_id = $11 and sboms.firmware_version_id = earlier.id
                      and sboms.parsing_state = 'Succeeded'
                  )
                order by earlier.created_at desc, earlier.id desc
                limit 1
              )
          )
      )
  ),
  former as (
    select origin.id as firmware_version_id, origin.origin as predecessor, origin.is_own,
      decision.package_id, decision.vulnerability_id, decision.assessment, decision.ignored,
      decision.acceptance, decision.justification, decision.responses, decision.detail,
      decision.decided_by_email, decision.statement_id, decision.recheck_reason,
      (
        case when decision.assessed_at is null then null
          when decision.source in ('User', 'ApiKey') then 'Person'
          when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
          when decision.origin is not null then decision.origin
          when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
          and decision.statement_id is not null then 'Document' else 'Person' end
      ) as origin, decision.stated_in, decision.updated_at, decision.assessed_at,
      decision.evidence_hash, decision.assessed_line_id, decision.ignored_line_id,
      held.component_name, held.component_version, decision.previous_decision as pending_decision,
      case when decision.assessment = 'NotAssessed'
      and not decision.ignored then decision.previous_decision
      else jsonb_build_object(
        'firmwareVersion', jsonb_build_object('id', origin.origin_id, 'name', origin.origin),
          'componentVersion', held.component_version, 'assessment', decision.assessment, 'ignored',
          decision.ignored, 'acceptance', case when decision.ignored then decision.acceptance end,
          'justification', decision.justification, 'detail', decision.detail, 'responses',
          decision.responses, 'assessedLineId', decision.assessed_line_id, 'ignoredLineId',
          decision.ignored_line_id, 'decidedByEmail', decision.decided_by_email, 'decidedAt',
          coalesce(decision.assessed_at, decision.updated_at)
      ) end as previous_decision
    from (select distinct firmware_version_id, vulnerability_id from new_finding) as wanted
    join origin on origin.id = wanted.firmware_version_id
    join lateral (
      select package_id, vulnerability_id, each.ignored
        and not (
          not origin.is_own and each.ignored_line_id is not null
            and each.ignored_line_id is distinct from origin.line_id
        ) as ignored, case
        when not (
          not origin.is_own and each.ignored_line_id is not null
            and each.ignored_line_id is distinct from origin.line_id
        ) then acceptance end as acceptance, each.ignored_line_id, updated_at, source, origin,
        decided_by_email, evidence_hash, case
        when not (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then previous_decision end as previous_decision, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then 'NotAssessed' else each.assessment end as assessment, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.justification end as justification, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then '{}'::text[] else each.responses end as responses, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.detail end as detail, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.statement_id end as statement_id, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.recheck_reason end as recheck_reason, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.assessed_at end as assessed_at, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.stated_in end as stated_in, case
        when (each.source in ('Vex', 'Build') and each.stated_in ->> 'sbomFileName' is not null)
        or (
          not origin.is_own and each.assessed_line_id is not null
            and each.assessed_line_id is distinct from origin.line_id
        )
        or (
          not origin.is_own and each.assessment = 'NotAssessed'
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            ) is not null
            and coalesce(
              each.previous_decision ->> 'assessedLineId',
                each.previous_decision ->> 'ignoredLineId'
            )::uuid is distinct from origin.line_id
        ) then null else each.assessed_line_id end as assessed_line_id
      from finding_decisions as each
      where each.workspace_id = $12 and each.firmware_version_id = origin.origin_id
        and each.vulnerability_id = wanted.vulnerability_id
    ) as decision on true
    left join lateral (
      select fact.component_name, fact.component_version
      from firmware_version_packages as fact
      where fact.workspace_id = $13 and fact.firmware_version_id = origin.origin_id
        and fact.package_id = decision.package_id
      order by fact.since desc
      limit 1
    ) as held on true
    where decision.assessment <> 'NotAssessed' or decision.ignored
      or decision.recheck_reason is not null
  ),
  kept as (
    select new_finding.*, former.predecessor, former.assessment, former.ignored, former.acceptance,
      former.justification, former.responses, former.detail, former.decided_by_email,
      former.statement_id, former.recheck_reason, former.assessed_at, former.origin,
      former.stated_in, former.pending_decision, former.previous_decision, former.assessed_line_id,
      former.ignored_line_id, former.assessment = 'NotAssessed' or former.evidence_hash is null
      or former.evidence_hash = (
        select md5(evidence::text)
        from package_match_evidence as evidence
        where evidence.package_id = new_finding.package_id
          and evidence.vulnerability_id = new_finding.vulnerability_id
      ) as is_same
    from new_finding
    join former using (firmware_version_id, package_id, vulnerability_id)
    where not former.is_own
  ),
  changed as (
    select distinct on (
      new_finding.firmware_version_id, new_finding.package_id, new_finding.vulnerability_id
    ) new_finding.*, former.predecessor, former.assessment, former.ignored, former.recheck_reason,
      former.previous_decision, former.component_version as version_before
    from new_finding
    join former using (firmware_version_id, vulnerability_id)
    where former.package_id <> new_finding.package_id
      and (not former.is_own or former.component_version <> new_finding.component_version)
      and (
        former.component_name = new_finding.component_name
          or exists (
            select
            from package_keys as own
            join package_keys as other using (key)
            where own.package_id = new_finding.package_id and other.package_id = former.package_id
          )
      )
      and not exists (
        select
        from kept
        where kept.firmware_version_id = new_finding.firmware_version_id
          and kept.package_id = new_finding.package_id
          and kept.vulnerability_id = new_finding.vulnerability_id
      )
    order by new_finding.firmware_version_id, new_finding.package_id, new_finding.vulnerability_id,
      former.is_own desc, former.updated_at desc, former.package_id
  )
select firmware_version_id, package_id, vulnerability_id, case when not is_same then 'NotAssessed'
  when assessed_at is not null then assessment end as assessment, ignored and is_same as ignored,
  case when is_same then acceptance end as acceptance, case
  when is_same then justification end as justification, case when is_same then responses
  else '{}' end as responses, case when is_same then detail end as detail, 'CarriedOver' as source,
  case when is_same then origin end as origin, case when is_same then stated_in end as stated_in,
  decided_by_email as created_by_email, case when is_same then statement_id end as statement_id,
  case when is_same then recheck_reason end as recheck_reason, case when is_same then null
  else json_build_object(
    'code', $14::text, 'assessment', assessment, 'ignored', ignored, 'predecessor', predecessor
  ) end as recheck_cause, case when is_same then pending_decision
  else previous_decision end as previous_decision, case
  when is_same then assessed_line_id end as assessed_line_id, case
  when is_same then ignored_line_id end as ignored_line_id, case
  when is_same then assessed_at end as decided_at, true as needs_entry
from kept
union all select firmware_version_id, package_id, vulnerability_id, 'NotAssessed', false, null,
  null, '{}', null, 'CarriedOver', null, null, null, null, case
  when not (assessment <> 'NotAssessed' or ignored) then recheck_reason end, case
  when (assessment <> 'NotAssessed' or ignored) then json_build_object(
    'code', $15::text, 'assessment', assessment, 'ignored', ignored, 'predecessor', predecessor,
      'from', version_before, 'to', component_version
  ) end, previous_decision, null, null, null, true
from changed;

-- server/src/features/triage/carry-over/taken-up-store.ts copyTimeline
insert into finding_timeline (
  workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at, source,
    created_by_email, assessment, ignored, justification, responses, detail, recheck_reason,
    statement_id, origin, stated_in, batch_id, before, undone_batch_id, acceptance, line_id
)
select distinct $1::uuid, entry.firmware_version_id, former.successor_package_id,
  former.successor_id, entry.id, entry.type, entry.created_at, entry.source, entry.created_by_email,
  entry.assessment, entry.ignored, entry.justification, entry.responses, entry.detail,
  entry.recheck_reason, entry.statement_id, entry.origin, entry.stated_in, entry.batch_id,
  entry.before, entry.undone_batch_id, entry.acceptance, entry.line_id
from (
  select decision.*, successor.successor_id as successor_package_id,
    decision.vulnerability_id as successor_id
  from firmware_version_package_successors as successor
  join finding_decisions as decision using (workspace_id, firmware_version_id, package_id)
  where workspace_id = $2 and firmware_version_id = $3 and successor.created_at = $4
) as former
join finding_timeline as entry on entry.workspace_id = $5
  and entry.firmware_version_id = former.firmware_version_id
  and entry.package_id = former.package_id and entry.vulnerability_id = former.vulnerability_id
order by 1, 2, 3, 4, 5
on conflict
do nothing;

-- server/src/features/triage/carry-over/taken-up-store.ts copyTimeline
insert into finding_timeline (
  workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at, source,
    created_by_email, assessment, ignored, justification, responses, detail, recheck_reason,
    statement_id, origin, stated_in, batch_id, before, undone_batch_id, acceptance, line_id
)
select distinct $1::uuid, entry.firmware_version_id, former.successor_package_id,
  former.successor_id, entry.id, entry.type, entry.created_at, entry.source, entry.created_by_email,
  entry.assessment, entry.ignored, entry.justification, entry.responses, entry.detail,
  entry.recheck_reason, entry.statement_id, entry.origin, entry.stated_in, entry.batch_id,
  entry.before, entry.undone_batch_id, entry.acceptance, entry.line_id
from (
  select decision.*, decision.package_id as successor_package_id,
    alias.vulnerability_id as successor_id
  from vulnerability_aliases as alias
  join finding_decisions as decision on decision.vulnerability_id = alias.alias
  where decision.workspace_id = $2
    and (alias.alias = any($3::text[]) or alias.vulnerability_id = any($4::text[]))
    and alias.vulnerability_id <> alias.alias and decision.package_id = any($5::uuid[])
  union select decision.*, decision.package_id, parting.part_id
  from vulnerability_partings as parting
  join finding_decisions as decision using (vulnerability_id)
  where decision.workspace_id = $6
    and (parting.vulnerability_id = any($7::text[]) or parting.part_id = any($8::text[]))
    and decision.package_id = any($9::uuid[])
    and exists (
      select
      from finding_timeline as entry
      where entry.workspace_id = $10 and entry.firmware_version_id = decision.firmware_version_id
        and entry.package_id = decision.package_id
        and entry.vulnerability_id = decision.vulnerability_id
        and entry.created_at <= parting.parted_at
    )
    and not exists (
      select
      from finding_decisions as own
      where own.workspace_id = $11 and own.firmware_version_id = decision.firmware_version_id
        and own.package_id = decision.package_id and own.vulnerability_id = parting.part_id
    )
) as former
join finding_timeline as entry on entry.workspace_id = $12
  and entry.firmware_version_id = former.firmware_version_id
  and entry.package_id = former.package_id and entry.vulnerability_id = former.vulnerability_id
order by 1, 2, 3, 4, 5
on conflict
do nothing;

-- server/src/features/triage/carry-over/taken-up-store.ts listTakenUp
with given as (
  select decision.*, successor.successor_id as successor_package_id,
    decision.vulnerability_id as successor_id
  from firmware_version_package_successors as successor
  join finding_decisions as decision using (workspace_id, firmware_version_id, package_id)
  where workspace_id = $1 and firmware_version_id = $2 and successor.created_at = $3
),
  former as (
    select former.*, first_value(ignored) over by_people as is_ignored,
      first_value(
        (
          former.ignored
            or (
              case when former.assessed_at is null then null
                when former.source in ('User', 'ApiKey') then 'Person'
                when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
                when former.origin is not null then former.origin
                when former.assessment = 'NotAssessed' then null
                when former.decided_by_email is null
                and former.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true
      ) over by_people as is_touched, first_value(updated_at) over by_people as touched_at,
      first_value(acceptance) over by_people as its_acceptance,
      first_value(ignored_line_id) over by_people as its_line_id
    from given as former
    where exists (
      select
      from finding_timeline as entry
      where entry.workspace_id = $4 and entry.firmware_version_id = former.firmware_version_id
        and entry.package_id = former.package_id
        and entry.vulnerability_id = former.vulnerability_id
        and not exists (
          select
          from finding_timeline as copy
          where copy.workspace_id = $5 and copy.firmware_version_id = former.firmware_version_id
            and copy.package_id = former.successor_package_id
            and copy.vulnerability_id = former.successor_id and copy.id = entry.id
        )
    ) window by_people as (
      partition by firmware_version_id, successor_package_id, successor_id
      order by (
        former.ignored
          or (
            case when former.assessed_at is null then null
              when former.source in ('User', 'ApiKey') then 'Person'
              when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
              when former.origin is not null then former.origin
              when former.assessment = 'NotAssessed' then null when former.decided_by_email is null
              and former.statement_id is not null then 'Document' else 'Person' end
          ) = 'Person'
      ) is true desc, updated_at desc
    )
  )
select distinct on (former.firmware_version_id, former.successor_package_id, former.successor_id)
  former.firmware_version_id, former.successor_package_id as package_id,
  former.successor_id as vulnerability_id, case when case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.assessed_at else present.assessed_at end is not null then case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.assessment else present.assessment end end as assessment, case
  when (
    present.package_id is null
      or (
        (
          present.ignored
            or (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true, present.updated_at
      ) < (former.is_touched, former.touched_at)
  ) then former.is_ignored else present.ignored end as ignored, case
  when (
    present.package_id is null
      or (
        (
          present.ignored
            or (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true, present.updated_at
      ) < (former.is_touched, former.touched_at)
  ) then former.its_acceptance else present.acceptance end as acceptance, case
  when (
    present.package_id is null
      or (
        (
          present.ignored
            or (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true, present.updated_at
      ) < (former.is_touched, former.touched_at)
  ) then former.its_line_id else present.ignored_line_id end as ignored_line_id, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then (
    case when former.assessed_at is null then null
      when former.source in ('User', 'ApiKey') then 'Person'
      when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
      when former.origin is not null then former.origin
      when former.assessment = 'NotAssessed' then null when former.decided_by_email is null
      and former.statement_id is not null then 'Document' else 'Person' end
  )
  else (
    case when present.assessed_at is null then null
      when present.source in ('User', 'ApiKey') then 'Person'
      when present.source = 'Vex' then 'Document' when present.source = 'Build' then 'Build'
      when present.origin is not null then present.origin
      when present.assessment = 'NotAssessed' then null when present.decided_by_email is null
      and present.statement_id is not null then 'Document' else 'Person' end
  ) end as origin, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.justification else present.justification end as justification, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.responses else present.responses end as responses, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.detail else present.detail end as detail, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.statement_id else present.statement_id end as statement_id, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.previous_decision else present.previous_decision end as previous_decision, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.stated_in else present.stated_in end as stated_in, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.assessed_line_id else present.assessed_line_id end as assessed_line_id, case
  when (
    coalesce(
      present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
        and present.assessment <> former.assessment, false
    ) or coalesce(present.updated_at > former.updated_at, false)
  ) then 'System' else case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.source else present.source end end as source, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.decided_by_email else present.decided_by_email end as created_by_email, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.updated_at else present.updated_at end as decided_at,
  (
    coalesce(
      present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
        and present.assessment <> former.assessment, false
    ) or coalesce(present.updated_at > former.updated_at, false)
  ) as needs_entry, case
  when not coalesce(
    present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
      and present.assessment <> former.assessment, false
  ) then case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.recheck_reason else present.recheck_reason end end as recheck_reason, case
  when coalesce(
    present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
      and present.assessment <> former.assessment, false
  ) then json_build_object(
    'code', 'AssessmentsDisagree', 'formerVulnerabilityId', former.vulnerability_id,
      'formerAssessment', former.assessment, 'vulnerabilityId', former.successor_id, 'assessment',
      present.assessment
  ) end as recheck_cause
from former
left join finding_decisions as present on present.workspace_id = $6
  and present.firmware_version_id = former.firmware_version_id
  and present.package_id = former.successor_package_id
  and present.vulnerability_id = former.successor_id
where (
  present.package_id is null
    or (
      coalesce(
        array_position(
          '{Build,Document,Person}'::text[],
            (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            )
        ), 0
      ), present.updated_at
    ) < (
      coalesce(
        array_position(
          '{Build,Document,Person}'::text[],
            (
              case when former.assessed_at is null then null
                when former.source in ('User', 'ApiKey') then 'Person'
                when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
                when former.origin is not null then former.origin
                when former.assessment = 'NotAssessed' then null
                when former.decided_by_email is null
                and former.statement_id is not null then 'Document' else 'Person' end
            )
        ), 0
      ), former.updated_at
    )
)
  or coalesce(
    present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
      and present.assessment <> former.assessment, false
  ) or present.ignored <> case
  when (
    present.package_id is null
      or (
        (
          present.ignored
            or (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true, present.updated_at
      ) < (former.is_touched, former.touched_at)
  ) then former.is_ignored else present.ignored end
order by former.firmware_version_id, former.successor_package_id, former.successor_id,
  coalesce(
    array_position(
      '{Build,Document,Person}'::text[],
        (
          case when former.assessed_at is null then null
            when former.source in ('User', 'ApiKey') then 'Person'
            when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
            when former.origin is not null then former.origin
            when former.assessment = 'NotAssessed' then null when former.decided_by_email is null
            and former.statement_id is not null then 'Document' else 'Person' end
        )
    ), 0
  ) desc, former.updated_at desc, former.vulnerability_id;

-- server/src/features/triage/carry-over/taken-up-store.ts listTakenUp
with given as (
  select decision.*, decision.package_id as successor_package_id,
    alias.vulnerability_id as successor_id
  from vulnerability_aliases as alias
  join finding_decisions as decision on decision.vulnerability_id = alias.alias
  where decision.workspace_id = $1
    and (alias.alias = any($2::text[]) or alias.vulnerability_id = any($3::text[]))
    and alias.vulnerability_id <> alias.alias and decision.package_id = any($4::uuid[])
  union select decision.*, decision.package_id, parting.part_id
  from vulnerability_partings as parting
  join finding_decisions as decision using (vulnerability_id)
  where decision.workspace_id = $5
    and (parting.vulnerability_id = any($6::text[]) or parting.part_id = any($7::text[]))
    and decision.package_id = any($8::uuid[])
    and exists (
      select
      from finding_timeline as entry
      where entry.workspace_id = $9 and entry.firmware_version_id = decision.firmware_version_id
        and entry.package_id = decision.package_id
        and entry.vulnerability_id = decision.vulnerability_id
        and entry.created_at <= parting.parted_at
    )
    and not exists (
      select
      from finding_decisions as own
      where own.workspace_id = $10 and own.firmware_version_id = decision.firmware_version_id
        and own.package_id = decision.package_id and own.vulnerability_id = parting.part_id
    )
),
  former as (
    select former.*, first_value(ignored) over by_people as is_ignored,
      first_value(
        (
          former.ignored
            or (
              case when former.assessed_at is null then null
                when former.source in ('User', 'ApiKey') then 'Person'
                when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
                when former.origin is not null then former.origin
                when former.assessment = 'NotAssessed' then null
                when former.decided_by_email is null
                and former.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true
      ) over by_people as is_touched, first_value(updated_at) over by_people as touched_at,
      first_value(acceptance) over by_people as its_acceptance,
      first_value(ignored_line_id) over by_people as its_line_id
    from given as former
    where exists (
      select
      from finding_timeline as entry
      where entry.workspace_id = $11 and entry.firmware_version_id = former.firmware_version_id
        and entry.package_id = former.package_id
        and entry.vulnerability_id = former.vulnerability_id
        and not exists (
          select
          from finding_timeline as copy
          where copy.workspace_id = $12 and copy.firmware_version_id = former.firmware_version_id
            and copy.package_id = former.successor_package_id
            and copy.vulnerability_id = former.successor_id and copy.id = entry.id
        )
    ) window by_people as (
      partition by firmware_version_id, successor_package_id, successor_id
      order by (
        former.ignored
          or (
            case when former.assessed_at is null then null
              when former.source in ('User', 'ApiKey') then 'Person'
              when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
              when former.origin is not null then former.origin
              when former.assessment = 'NotAssessed' then null when former.decided_by_email is null
              and former.statement_id is not null then 'Document' else 'Person' end
          ) = 'Person'
      ) is true desc, updated_at desc
    )
  )
select distinct on (former.firmware_version_id, former.successor_package_id, former.successor_id)
  former.firmware_version_id, former.successor_package_id as package_id,
  former.successor_id as vulnerability_id, case when case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.assessed_at else present.assessed_at end is not null then case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.assessment else present.assessment end end as assessment, case
  when (
    present.package_id is null
      or (
        (
          present.ignored
            or (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true, present.updated_at
      ) < (former.is_touched, former.touched_at)
  ) then former.is_ignored else present.ignored end as ignored, case
  when (
    present.package_id is null
      or (
        (
          present.ignored
            or (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true, present.updated_at
      ) < (former.is_touched, former.touched_at)
  ) then former.its_acceptance else present.acceptance end as acceptance, case
  when (
    present.package_id is null
      or (
        (
          present.ignored
            or (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true, present.updated_at
      ) < (former.is_touched, former.touched_at)
  ) then former.its_line_id else present.ignored_line_id end as ignored_line_id, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then (
    case when former.assessed_at is null then null
      when former.source in ('User', 'ApiKey') then 'Person'
      when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
      when former.origin is not null then former.origin
      when former.assessment = 'NotAssessed' then null when former.decided_by_email is null
      and former.statement_id is not null then 'Document' else 'Person' end
  )
  else (
    case when present.assessed_at is null then null
      when present.source in ('User', 'ApiKey') then 'Person'
      when present.source = 'Vex' then 'Document' when present.source = 'Build' then 'Build'
      when present.origin is not null then present.origin
      when present.assessment = 'NotAssessed' then null when present.decided_by_email is null
      and present.statement_id is not null then 'Document' else 'Person' end
  ) end as origin, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.justification else present.justification end as justification, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.responses else present.responses end as responses, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.detail else present.detail end as detail, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.statement_id else present.statement_id end as statement_id, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.previous_decision else present.previous_decision end as previous_decision, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.stated_in else present.stated_in end as stated_in, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.assessed_line_id else present.assessed_line_id end as assessed_line_id, case
  when (
    coalesce(
      present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
        and present.assessment <> former.assessment, false
    ) or coalesce(present.updated_at > former.updated_at, false)
  ) then 'System' else case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.source else present.source end end as source, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.decided_by_email else present.decided_by_email end as created_by_email, case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.updated_at else present.updated_at end as decided_at,
  (
    coalesce(
      present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
        and present.assessment <> former.assessment, false
    ) or coalesce(present.updated_at > former.updated_at, false)
  ) as needs_entry, case
  when not coalesce(
    present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
      and present.assessment <> former.assessment, false
  ) then case
  when (
    present.package_id is null
      or (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when present.assessed_at is null then null
                  when present.source in ('User', 'ApiKey') then 'Person'
                  when present.source = 'Vex' then 'Document'
                  when present.source = 'Build' then 'Build'
                  when present.origin is not null then present.origin
                  when present.assessment = 'NotAssessed' then null
                  when present.decided_by_email is null
                  and present.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), present.updated_at
      ) < (
        coalesce(
          array_position(
            '{Build,Document,Person}'::text[],
              (
                case when former.assessed_at is null then null
                  when former.source in ('User', 'ApiKey') then 'Person'
                  when former.source = 'Vex' then 'Document'
                  when former.source = 'Build' then 'Build'
                  when former.origin is not null then former.origin
                  when former.assessment = 'NotAssessed' then null
                  when former.decided_by_email is null
                  and former.statement_id is not null then 'Document' else 'Person' end
              )
          ), 0
        ), former.updated_at
      )
  ) then former.recheck_reason else present.recheck_reason end end as recheck_reason, case
  when coalesce(
    present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
      and present.assessment <> former.assessment, false
  ) then json_build_object(
    'code', 'AssessmentsDisagree', 'formerVulnerabilityId', former.vulnerability_id,
      'formerAssessment', former.assessment, 'vulnerabilityId', former.successor_id, 'assessment',
      present.assessment
  ) end as recheck_cause
from former
left join finding_decisions as present on present.workspace_id = $13
  and present.firmware_version_id = former.firmware_version_id
  and present.package_id = former.successor_package_id
  and present.vulnerability_id = former.successor_id
where (
  present.package_id is null
    or (
      coalesce(
        array_position(
          '{Build,Document,Person}'::text[],
            (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            )
        ), 0
      ), present.updated_at
    ) < (
      coalesce(
        array_position(
          '{Build,Document,Person}'::text[],
            (
              case when former.assessed_at is null then null
                when former.source in ('User', 'ApiKey') then 'Person'
                when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
                when former.origin is not null then former.origin
                when former.assessment = 'NotAssessed' then null
                when former.decided_by_email is null
                and former.statement_id is not null then 'Document' else 'Person' end
            )
        ), 0
      ), former.updated_at
    )
)
  or coalesce(
    present.assessment <> 'NotAssessed' and former.assessment <> 'NotAssessed'
      and present.assessment <> former.assessment, false
  ) or present.ignored <> case
  when (
    present.package_id is null
      or (
        (
          present.ignored
            or (
              case when present.assessed_at is null then null
                when present.source in ('User', 'ApiKey') then 'Person'
                when present.source = 'Vex' then 'Document'
                when present.source = 'Build' then 'Build'
                when present.origin is not null then present.origin
                when present.assessment = 'NotAssessed' then null
                when present.decided_by_email is null
                and present.statement_id is not null then 'Document' else 'Person' end
            ) = 'Person'
        ) is true, present.updated_at
      ) < (former.is_touched, former.touched_at)
  ) then former.is_ignored else present.ignored end
order by former.firmware_version_id, former.successor_package_id, former.successor_id,
  coalesce(
    array_position(
      '{Build,Document,Person}'::text[],
        (
          case when former.assessed_at is null then null
            when former.source in ('User', 'ApiKey') then 'Person'
            when former.source = 'Vex' then 'Document' when former.source = 'Build' then 'Build'
            when former.origin is not null then former.origin
            when former.assessment = 'NotAssessed' then null when former.decided_by_email is null
            and former.statement_id is not null then 'Document' else 'Person' end
        )
    ), 0
  ) desc, former.updated_at desc, former.vulnerability_id;

-- server/src/features/triage/carry-over/taken-up-store.ts takeUpReidentified
insert into firmware_version_package_successors as stored (
  workspace_id, firmware_version_id, package_id, successor_id, created_at
)
select distinct $1::uuid, $2::uuid, gone.package_id, come.package_id, $3::timestamptz
from (
  select fact.package_id, fact.since, fact.until, pair ->> 'key' as key,
    pair ->> 'version' as version
  from firmware_version_packages as fact
  join packages as package on package.id = fact.package_id
  cross join jsonb_array_elements(package.identity -> 'pairs') as pair
  where workspace_id = $4 and firmware_version_id = $5 and until is not null
    and not exists (
      select
      from firmware_version_packages as open
      where open.workspace_id = $6 and open.firmware_version_id = fact.firmware_version_id
        and open.package_id = fact.package_id and open.until is null
    )
) as gone
join (
  select fact.package_id, fact.since, fact.until, pair ->> 'key' as key,
    pair ->> 'version' as version
  from firmware_version_packages as fact
  join packages as package on package.id = fact.package_id
  cross join jsonb_array_elements(package.identity -> 'pairs') as pair
  where workspace_id = $7 and firmware_version_id = $8 and until is null
    and exists (
      select
      from firmware_version_packages
      where workspace_id = $9 and firmware_version_id = $10 and until is not null
    )
) as come using (key, version)
where gone.since < come.since and (gone.until = $11 or come.since = $12)
order by 3, 4
on conflict (workspace_id, firmware_version_id, package_id, successor_id)
do update
set created_at = excluded.created_at;

-- server/src/features/triage/standing/store.ts deleteStandingDecision
delete from line_decisions
where workspace_id = $1 and id = $2
returning id, vulnerability_id, component_name, line_id, assessment, ignored, acceptance,
  justification, responses, detail, source, created_at, created_by_email;

-- server/src/features/triage/standing/store.ts deleteStandingDecision
delete from standing_decisions
where workspace_id = $1 and id = $2
returning id, vulnerability_id, component_name, null::uuid as line_id, assessment, ignored,
  acceptance, justification, responses, detail, source, created_at, created_by_email;

-- server/src/features/triage/standing/store.ts listApplied
with standing as materialized (
  select standing.*, alias.vulnerability_id as held_id
  from (
    select id, vulnerability_id, component_name, null::uuid as line_id, assessment, ignored,
      acceptance, justification, responses, detail, source, created_at, created_by_email
    from standing_decisions
    where workspace_id = $1
    union all select id, vulnerability_id, component_name, line_id, assessment, ignored, acceptance,
      justification, responses, detail, source, created_at, created_by_email
    from line_decisions
    where workspace_id = $2
  ) as standing
  join vulnerability_aliases as alias on alias.alias = standing.vulnerability_id
  where true
)
select distinct on (fact.firmware_version_id, fact.package_id, match.vulnerability_id) fact.firmware_version_id,
  fact.package_id, match.vulnerability_id, standing.component_name, standing.line_id,
  standing.assessment, standing.ignored, standing.acceptance, standing.justification,
  standing.responses, standing.detail, standing.source, standing.created_at,
  standing.created_by_email
from standing
join package_matches as match on match.vulnerability_id = standing.held_id and match.until is null
join firmware_version_packages as fact on fact.workspace_id = $3
  and fact.package_id = match.package_id and fact.until is null
join firmware_versions as version on version.workspace_id = $4
  and version.id = fact.firmware_version_id
  and (standing.line_id is null or standing.line_id = version.line_id) left join finding_decisions
  as decision on decision.workspace_id = fact.workspace_id
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where fact.firmware_version_id = $5 and fact.since = $6 and not coalesce(decision.ignored, false)
  and (
    coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed'
      or (
        case when decision.assessed_at is null then null
          when decision.source in ('User', 'ApiKey') then 'Person'
          when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
          when decision.origin is not null then decision.origin
          when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
          and decision.statement_id is not null then 'Document' else 'Person' end
      ) <> 'Person'
      or (
        decision.source = 'CarriedOver' and standing.line_id is not null
          and decision.assessed_line_id is distinct from standing.line_id
          and decision.assessed_at <= standing.created_at
      ) is true
  )
  and (
    decision.assessed_at is null
      or (
        decision.source = 'CarriedOver' and standing.line_id is not null
          and decision.assessed_line_id is distinct from standing.line_id
          and decision.assessed_at <= standing.created_at
      ) is true or (decision.previous_decision ->> 'decidedAt')::timestamptz <= standing.created_at
  )
  and (
    standing.component_name is null or standing.component_name = fact.component_name
      or exists (
        select
        from sbom_components as member
        join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
        where member.workspace_id = $7 and sbom.firmware_version_id = fact.firmware_version_id
          and member.package_id = fact.package_id and member.package_name = standing.component_name
      )
  )
order by fact.firmware_version_id, fact.package_id, match.vulnerability_id,
  standing.component_name is null, standing.created_at desc;

-- server/src/features/triage/standing/store.ts listApplied
with standing as materialized (
  select standing.*, alias.vulnerability_id as held_id
  from (
    select id, vulnerability_id, component_name, null::uuid as line_id, assessment, ignored,
      acceptance, justification, responses, detail, source, created_at, created_by_email
    from standing_decisions
    where workspace_id = $1
    union all select id, vulnerability_id, component_name, line_id, assessment, ignored, acceptance,
      justification, responses, detail, source, created_at, created_by_email
    from line_decisions
    where workspace_id = $2
  ) as standing
  join vulnerability_aliases as alias on alias.alias = standing.vulnerability_id
  where true and alias.vulnerability_id = any($3::text[])
)
select distinct on (fact.firmware_version_id, fact.package_id, match.vulnerability_id) fact.firmware_version_id,
  fact.package_id, match.vulnerability_id, standing.component_name, standing.line_id,
  standing.assessment, standing.ignored, standing.acceptance, standing.justification,
  standing.responses, standing.detail, standing.source, standing.created_at,
  standing.created_by_email
from standing
join package_matches as match on match.vulnerability_id = standing.held_id and match.until is null
join firmware_version_packages as fact on fact.workspace_id = $4
  and fact.package_id = match.package_id and fact.until is null
join firmware_versions as version on version.workspace_id = $5
  and version.id = fact.firmware_version_id
  and (standing.line_id is null or standing.line_id = version.line_id) left join finding_decisions
  as decision on decision.workspace_id = fact.workspace_id
  and decision.firmware_version_id = fact.firmware_version_id
  and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
where (match.package_id, match.vulnerability_id) in (select * from unnest($6::uuid[], $7::text[]))
  and not coalesce(decision.ignored, false)
  and (
    coalesce(decision.assessment, 'NotAssessed') = 'NotAssessed'
      or (
        case when decision.assessed_at is null then null
          when decision.source in ('User', 'ApiKey') then 'Person'
          when decision.source = 'Vex' then 'Document' when decision.source = 'Build' then 'Build'
          when decision.origin is not null then decision.origin
          when decision.assessment = 'NotAssessed' then null when decision.decided_by_email is null
          and decision.statement_id is not null then 'Document' else 'Person' end
      ) <> 'Person'
      or (
        decision.source = 'CarriedOver' and standing.line_id is not null
          and decision.assessed_line_id is distinct from standing.line_id
          and decision.assessed_at <= standing.created_at
      ) is true
  )
  and (
    decision.assessed_at is null
      or (
        decision.source = 'CarriedOver' and standing.line_id is not null
          and decision.assessed_line_id is distinct from standing.line_id
          and decision.assessed_at <= standing.created_at
      ) is true or (decision.previous_decision ->> 'decidedAt')::timestamptz <= standing.created_at
  )
  and (
    standing.component_name is null or standing.component_name = fact.component_name
      or exists (
        select
        from sbom_components as member
        join sboms as sbom on sbom.workspace_id = member.workspace_id and sbom.id = member.sbom_id
        where member.workspace_id = $8 and sbom.firmware_version_id = fact.firmware_version_id
          and member.package_id = fact.package_id and member.package_name = standing.component_name
      )
  )
order by fact.firmware_version_id, fact.package_id, match.vulnerability_id,
  standing.component_name is null, standing.created_at desc;

-- server/src/features/triage/standing/store.ts listStandingDecisions
select standing.id, standing.vulnerability_id, standing.component_name, standing.assessment,
  standing.ignored, standing.acceptance, standing.justification, standing.responses,
  standing.detail, standing.created_at, standing.created_by_email, case
  when line.id is not null then json_build_object(
    'id', line.id, 'name', line.name, 'firmware',
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
  ) end as line
from (
  select id, vulnerability_id, component_name, null::uuid as line_id, assessment, ignored,
    acceptance, justification, responses, detail, source, created_at, created_by_email
  from standing_decisions
  where workspace_id = $1
  union all select id, vulnerability_id, component_name, line_id, assessment, ignored, acceptance,
    justification, responses, detail, source, created_at, created_by_email
  from line_decisions
  where workspace_id = $2
) as standing
left join firmware_lines as line on line.workspace_id = $3 and line.id = standing.line_id
left join firmwares as firmware on firmware.workspace_id = $4 and firmware.id = line.firmware_id
order by standing.created_at desc, standing.id desc
limit 10000;

-- server/src/features/triage/standing/store.ts lockLine
select id from firmware_lines where workspace_id = $1 and id = $2 for key share;

-- server/src/features/triage/standing/store.ts putStandingDecision
select to_jsonb(standing) as before
from standing_decisions as standing
where workspace_id = $1 and vulnerability_id = $2 and component_name is not distinct from $3
for update;

-- server/src/features/triage/standing/store.ts putStandingDecision
select to_jsonb(standing) as before
from line_decisions as standing
where workspace_id = $1 and vulnerability_id = $2 and component_name is not distinct from $3
  and line_id = $4
for update;

-- server/src/features/triage/standing/store.ts putStandingDecision
insert into standing_decisions (
  workspace_id, id, vulnerability_id, component_name, assessment, ignored, acceptance,
    justification, responses, detail, source, created_at, created_by_email
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
on conflict (workspace_id, vulnerability_id, component_name)
do update
set assessment = $14, ignored = $15, acceptance = $16, justification = $17, responses = $18,
  detail = $19, source = $20, created_at = $21, created_by_email = $22
returning id, created_at;

-- server/src/features/triage/standing/store.ts putStandingDecision
insert into line_decisions (
  workspace_id, id, vulnerability_id, component_name, assessment, ignored, acceptance,
    justification, responses, detail, source, created_at, created_by_email, line_id
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
on conflict (workspace_id, line_id, vulnerability_id, component_name)
do update
set assessment = $15, ignored = $16, acceptance = $17, justification = $18, responses = $19,
  detail = $20, source = $21, created_at = $22, created_by_email = $23
returning id, created_at;

-- server/src/features/triage/standing/store.ts resolveVulnerability
select vulnerability_id as id
from vulnerability_aliases
where alias = $1
order by vulnerability_id = alias desc, vulnerability_id
limit 1;

-- server/src/features/triage/standing/store.ts restoreStandingDecision
delete from line_decisions as standing
where standing.workspace_id = $1 and standing.id = $2 and standing.created_at = $3::timestamptz;

-- server/src/features/triage/standing/store.ts restoreStandingDecision
delete from standing_decisions as standing
where standing.workspace_id = $1 and standing.id = $2 and standing.created_at = $3::timestamptz;

-- server/src/features/triage/standing/store.ts restoreStandingDecision
update line_decisions as standing
set assessment = earlier.assessment, ignored = earlier.ignored, acceptance = earlier.acceptance,
  justification = earlier.justification, responses = earlier.responses, detail = earlier.detail,
  source = earlier.source, created_at = earlier.created_at,
  created_by_email = earlier.created_by_email
from jsonb_populate_record(null::line_decisions, $1::jsonb) as earlier
where standing.workspace_id = $2 and standing.id = $3 and standing.created_at = $4::timestamptz;

-- server/src/features/triage/standing/store.ts restoreStandingDecision
update standing_decisions as standing
set assessment = earlier.assessment, ignored = earlier.ignored, acceptance = earlier.acceptance,
  justification = earlier.justification, responses = earlier.responses, detail = earlier.detail,
  source = earlier.source, created_at = earlier.created_at,
  created_by_email = earlier.created_by_email
from jsonb_populate_record(null::standing_decisions, $1::jsonb) as earlier
where standing.workspace_id = $2 and standing.id = $3 and standing.created_at = $4::timestamptz;

-- server/src/features/triage/store.ts listAbsentSaid
select package_id, vulnerability_id
from finding_decisions
where workspace_id = $1 and firmware_version_id = $2 and assessment = 'NotAffected'
  and recheck_reason is null
  and justification in ('vulnerable_code_not_present', 'code_not_present')
  and (
    source not in ('User', 'ApiKey')
      or assessed_at <= (
        select greatest(max(list.created_at), $3::timestamptz)
        from sboms as sbom
        join source_file_lists as list on list.workspace_id = sbom.workspace_id
          and list.sbom_id = sbom.id
        where sbom.workspace_id = $4 and sbom.firmware_version_id = $5
      )
  );

-- server/src/features/triage/store.ts markContradicted
update finding_decisions
set recheck_reason = $1, updated_at = $2
where workspace_id = $3 and firmware_version_id = $4
  and (package_id, vulnerability_id) in (select * from unnest($5::uuid[], $6::text[]));

-- server/src/features/triage/store.ts markContradicted
insert into finding_timeline (
  workspace_id, firmware_version_id, package_id, vulnerability_id, id, type, created_at, source,
    created_by_email, assessment, ignored, justification, responses, detail, recheck_reason,
    statement_id, origin, stated_in, acceptance, line_id
)
select workspace_id, firmware_version_id, package_id, vulnerability_id, gen_random_uuid(),
  'Assessment', $1::timestamptz, 'System', null, assessment, ignored, justification, responses,
  detail, recheck_reason, statement_id,
  (
    case when finding_decisions.assessed_at is null then null
      when finding_decisions.source in ('User', 'ApiKey') then 'Person'
      when finding_decisions.source = 'Vex' then 'Document'
      when finding_decisions.source = 'Build' then 'Build'
      when finding_decisions.origin is not null then finding_decisions.origin
      when finding_decisions.assessment = 'NotAssessed' then null
      when finding_decisions.decided_by_email is null
      and finding_decisions.statement_id is not null then 'Document' else 'Person' end
  ), stated_in, acceptance, assessed_line_id
from finding_decisions
where workspace_id = $2 and firmware_version_id = $3
  and (package_id, vulnerability_id) in (select * from unnest($4::uuid[], $5::text[]))
order by package_id, vulnerability_id;
