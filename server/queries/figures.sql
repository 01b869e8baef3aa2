-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/figures/cases-store.ts listCases
with fact as materialized (
  select fact.firmware_version_id, version.firmware_id, fact.package_id, fact.since,
    tstzrange(fact.since, case when fact.until < $1 then fact.until end) as span
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = fact.workspace_id
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $2 and fact.since < $3
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at from fact group by 1, 2
    ) as each
  ),
  held as materialized (
    select fact.firmware_version_id, match.vulnerability_id, fact.package_id, match.severity,
      fact.span * tstzrange(match.since, case when match.until < $4 then match.until end) as span
    from fact
    join package_matches as match on match.package_id = fact.package_id
    where match.since < $5 and match.confidence <> 'Low'
      and fact.span && tstzrange(match.since, case when match.until < $6 then match.until end)
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
      package_id, vulnerability_id, created_at, assessment, ignored, source
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
  pair as materialized (
    select version.firmware_id, version.place, held.vulnerability_id,
      min(lower(held.span)) as detected_at,
      max(
        array[
          extract(epoch from lower(held.span))::float8,
            array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], held.severity)::float8
        ]
      ) as rated, range_agg(held.span) as spans,
      bool_or(
        upper_inf(held.span)
          and not coalesce(
            state.ignored or state.assessment in ('NotAffected', 'FalsePositive', 'Resolved'), false
          )
      ) as is_open,
      bool_and(coalesce(state.assessment in ('NotAffected', 'FalsePositive'), false)) as
      is_judged_away, bool_and(coalesce(state.assessment = 'Resolved', false)) as is_resolved,
      max(state.created_at) as resolved_at
    from held
    join version on version.firmware_version_id = held.firmware_version_id
    left join state on state.firmware_version_id = held.firmware_version_id
      and state.package_id = held.package_id and state.vulnerability_id = held.vulnerability_id
    group by version.firmware_id, version.place, held.vulnerability_id
  ),
  found as materialized (
    select pair.firmware_id, pair.vulnerability_id, (max(pair.rated))[2]::int as severity,
      min(pair.detected_at) as detected_at, array_agg(pair.place) as places,
      bool_or(pair.is_open) as is_open, bool_and(pair.is_judged_away) as is_judged_away,
      bool_and(pair.is_resolved) as is_resolved,
      min(greatest(pair.resolved_at, pair.detected_at)) filter (where pair.is_resolved) as
      resolved_at, min(returned.at) as returned_at
    from pair
    left join lateral (
      select min(lower(each)) as at
      from unnest(pair.spans) as each
      where lower(each) > pair.detected_at and lower(each) >= $10
        and range_merge(pair.spans)::tstzmultirange <> pair.spans
    ) as returned on true
    group by 1, 2
    limit $11
  )
select found.*, decided.decided_at, first.created_by_email as decided_by, first.decided_as,
  decided.stated_at, decided.carried_at, reopened.reopened_at,
  (
    select min(publication.published_at)
    from vex_publications as publication
    where publication.workspace_id = $12
      and publication.firmware_version_id = first.firmware_version_id
      and publication.published_at >= decided.decided_at and publication.published_at < $13
  ) as published_at
from found
left join decided using (firmware_id, vulnerability_id) left join first using (
  firmware_id, vulnerability_id
) left join reopened using (firmware_id, vulnerability_id);

-- server/src/features/figures/cases-store.ts listCases
with fact as materialized (
  select fact.firmware_version_id, version.firmware_id, fact.package_id, fact.since,
    tstzrange(fact.since, case when fact.until < $1 then fact.until end) as span
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = fact.workspace_id
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $2 and fact.since < $3 and version.firmware_id = $4
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at from fact group by 1, 2
    ) as each
  ),
  held as materialized (
    select fact.firmware_version_id, match.vulnerability_id, fact.package_id, match.severity,
      fact.span * tstzrange(match.since, case when match.until < $5 then match.until end) as span
    from fact
    join package_matches as match on match.package_id = fact.package_id
    where match.since < $6 and match.confidence <> 'Low'
      and fact.span && tstzrange(match.since, case when match.until < $7 then match.until end)
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
      package_id, vulnerability_id, created_at, assessment, ignored, source
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
  pair as materialized (
    select version.firmware_id, version.place, held.vulnerability_id,
      min(lower(held.span)) as detected_at,
      max(
        array[
          extract(epoch from lower(held.span))::float8,
            array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], held.severity)::float8
        ]
      ) as rated, range_agg(held.span) as spans,
      bool_or(
        upper_inf(held.span)
          and not coalesce(
            state.ignored or state.assessment in ('NotAffected', 'FalsePositive', 'Resolved'), false
          )
      ) as is_open,
      bool_and(coalesce(state.assessment in ('NotAffected', 'FalsePositive'), false)) as
      is_judged_away, bool_and(coalesce(state.assessment = 'Resolved', false)) as is_resolved,
      max(state.created_at) as resolved_at
    from held
    join version on version.firmware_version_id = held.firmware_version_id
    left join state on state.firmware_version_id = held.firmware_version_id
      and state.package_id = held.package_id and state.vulnerability_id = held.vulnerability_id
    group by version.firmware_id, version.place, held.vulnerability_id
  ),
  found as materialized (
    select pair.firmware_id, pair.vulnerability_id, (max(pair.rated))[2]::int as severity,
      min(pair.detected_at) as detected_at, array_agg(pair.place) as places,
      bool_or(pair.is_open) as is_open, bool_and(pair.is_judged_away) as is_judged_away,
      bool_and(pair.is_resolved) as is_resolved,
      min(greatest(pair.resolved_at, pair.detected_at)) filter (where pair.is_resolved) as
      resolved_at, min(returned.at) as returned_at
    from pair
    left join lateral (
      select min(lower(each)) as at
      from unnest(pair.spans) as each
      where lower(each) > pair.detected_at and lower(each) >= $11
        and range_merge(pair.spans)::tstzmultirange <> pair.spans
    ) as returned on true
    group by 1, 2
    limit $12
  )
select found.*, decided.decided_at, first.created_by_email as decided_by, first.decided_as,
  decided.stated_at, decided.carried_at, reopened.reopened_at,
  (
    select min(publication.published_at)
    from vex_publications as publication
    where publication.workspace_id = $13
      and publication.firmware_version_id = first.firmware_version_id
      and publication.published_at >= decided.decided_at and publication.published_at < $14
  ) as published_at
from found
left join decided using (firmware_id, vulnerability_id) left join first using (
  firmware_id, vulnerability_id
) left join reopened using (firmware_id, vulnerability_id);

-- server/src/features/figures/cases-store.ts listVersions
select firmware_id, inventory_at,
  (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int as
  place
from (
  select version.firmware_id, fact.firmware_version_id, min(fact.since) as inventory_at
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = fact.workspace_id
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $1 and fact.since < $2
  group by 1, 2
) as each
order by firmware_id, place;

-- server/src/features/figures/cases-store.ts listVersions
select firmware_id, inventory_at,
  (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int as
  place
from (
  select version.firmware_id, fact.firmware_version_id, min(fact.since) as inventory_at
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = fact.workspace_id
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $1 and fact.since < $2 and version.firmware_id = $3
  group by 1, 2
) as each
order by firmware_id, place;

-- server/src/features/figures/fleet-store.ts countUnknownDisclosures
with fact as materialized (
  select fact.firmware_version_id, version.firmware_id, fact.package_id, fact.since,
    tstzrange(fact.since, case when fact.until < $1 then fact.until end) as span
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = fact.workspace_id
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $2 and fact.since < $3
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at from fact group by 1, 2
    ) as each
  ),
  held as materialized (
    select fact.firmware_version_id, match.vulnerability_id, fact.package_id, match.severity,
      fact.span * tstzrange(match.since, case when match.until < $4 then match.until end) as span
    from fact
    join package_matches as match on match.package_id = fact.package_id
    where match.since < $5 and match.confidence <> 'Low'
      and fact.span && tstzrange(match.since, case when match.until < $6 then match.until end)
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
      package_id, vulnerability_id, created_at, assessment, ignored, source
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  span as materialized (
    select held.vulnerability_id, held.firmware_version_id,
      (lower(held.span) at time zone 'UTC') as since,
      (
        least(
          coalesce(upper(held.span), 'infinity'), case
            when state.assessment = 'Resolved' then state.created_at else 'infinity' end
        ) at time zone 'UTC'
      ) as until
    from held
    left join state on state.firmware_version_id = held.firmware_version_id
      and state.package_id = held.package_id and state.vulnerability_id = held.vulnerability_id
    where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
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
with fact as materialized (
  select fact.firmware_version_id, version.firmware_id, fact.package_id, fact.since,
    tstzrange(fact.since, case when fact.until < $1 then fact.until end) as span
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = fact.workspace_id
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $2 and fact.since < $3 and version.firmware_id = $4
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at from fact group by 1, 2
    ) as each
  ),
  held as materialized (
    select fact.firmware_version_id, match.vulnerability_id, fact.package_id, match.severity,
      fact.span * tstzrange(match.since, case when match.until < $5 then match.until end) as span
    from fact
    join package_matches as match on match.package_id = fact.package_id
    where match.since < $6 and match.confidence <> 'Low'
      and fact.span && tstzrange(match.since, case when match.until < $7 then match.until end)
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
      package_id, vulnerability_id, created_at, assessment, ignored, source
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  span as materialized (
    select held.vulnerability_id, held.firmware_version_id,
      (lower(held.span) at time zone 'UTC') as since,
      (
        least(
          coalesce(upper(held.span), 'infinity'), case
            when state.assessment = 'Resolved' then state.created_at else 'infinity' end
        ) at time zone 'UTC'
      ) as until
    from held
    left join state on state.firmware_version_id = held.firmware_version_id
      and state.package_id = held.package_id and state.vulnerability_id = held.vulnerability_id
    where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
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

-- server/src/features/figures/fleet-store.ts listFleetDays
with fact as materialized (
  select fact.firmware_version_id, version.firmware_id, fact.package_id, fact.since,
    tstzrange(fact.since, case when fact.until < $1 then fact.until end) as span
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = fact.workspace_id
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $2 and fact.since < $3
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at from fact group by 1, 2
    ) as each
  ),
  held as materialized (
    select fact.firmware_version_id, match.vulnerability_id, fact.package_id, match.severity,
      fact.span * tstzrange(match.since, case when match.until < $4 then match.until end) as span
    from fact
    join package_matches as match on match.package_id = fact.package_id
    where match.since < $5 and match.confidence <> 'Low'
      and fact.span && tstzrange(match.since, case when match.until < $6 then match.until end)
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
      package_id, vulnerability_id, created_at, assessment, ignored, source
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  span as materialized (
    select held.vulnerability_id, held.firmware_version_id,
      (lower(held.span) at time zone 'UTC') as since,
      (
        least(
          coalesce(upper(held.span), 'infinity'), case
            when state.assessment = 'Resolved' then state.created_at else 'infinity' end
        ) at time zone 'UTC'
      ) as until
    from held
    left join state on state.firmware_version_id = held.firmware_version_id
      and state.package_id = held.package_id and state.vulnerability_id = held.vulnerability_id
    where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
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
    select held.vulnerability_id,
      max(
        array[
          extract(epoch from lower(held.span))::float8,
            array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], held.severity)::float8
        ]
      ) as rated
    from held
    join disclosed using (vulnerability_id)
    group by 1
  ),
  affected as materialized (
    select vulnerability_id, place, day, sum(devices)::int as devices
    from (
      select distinct span.vulnerability_id, running.place, running.day,
        running.firmware_version_ids, running.devices
      from span
      join disclosed on disclosed.vulnerability_id = span.vulnerability_id
      join running on running.firmware_version_id = span.firmware_version_id
        and running.day >= (disclosed.published_at at time zone 'UTC')::date
        and span.since < running.day + 1 and span.until >= running.day + 1
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
with fact as materialized (
  select fact.firmware_version_id, version.firmware_id, fact.package_id, fact.since,
    tstzrange(fact.since, case when fact.until < $1 then fact.until end) as span
  from firmware_version_packages as fact
  join firmware_versions as version on version.workspace_id = fact.workspace_id
    and version.id = fact.firmware_version_id
  where fact.workspace_id = $2 and fact.since < $3 and version.firmware_id = $4
),
  version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int
      as place
    from (
      select firmware_version_id, firmware_id, min(since) as inventory_at from fact group by 1, 2
    ) as each
  ),
  held as materialized (
    select fact.firmware_version_id, match.vulnerability_id, fact.package_id, match.severity,
      fact.span * tstzrange(match.since, case when match.until < $5 then match.until end) as span
    from fact
    join package_matches as match on match.package_id = fact.package_id
    where match.since < $6 and match.confidence <> 'Low'
      and fact.span && tstzrange(match.since, case when match.until < $7 then match.until end)
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
      package_id, vulnerability_id, created_at, assessment, ignored, source
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  ),
  span as materialized (
    select held.vulnerability_id, held.firmware_version_id,
      (lower(held.span) at time zone 'UTC') as since,
      (
        least(
          coalesce(upper(held.span), 'infinity'), case
            when state.assessment = 'Resolved' then state.created_at else 'infinity' end
        ) at time zone 'UTC'
      ) as until
    from held
    left join state on state.firmware_version_id = held.firmware_version_id
      and state.package_id = held.package_id and state.vulnerability_id = held.vulnerability_id
    where coalesce(state.assessment, '') not in ('NotAffected', 'FalsePositive')
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
    select held.vulnerability_id,
      max(
        array[
          extract(epoch from lower(held.span))::float8,
            array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], held.severity)::float8
        ]
      ) as rated
    from held
    join disclosed using (vulnerability_id)
    group by 1
  ),
  affected as materialized (
    select vulnerability_id, place, day, sum(devices)::int as devices
    from (
      select distinct span.vulnerability_id, running.place, running.day,
        running.firmware_version_ids, running.devices
      from span
      join disclosed on disclosed.vulnerability_id = span.vulnerability_id
      join running on running.firmware_version_id = span.firmware_version_id
        and running.day >= (disclosed.published_at at time zone 'UTC')::date
        and span.since < running.day + 1 and span.until >= running.day + 1
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
  (
    select count(*)::int
    from audit_log
    where workspace_id = $5 and created_at >= $6
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
