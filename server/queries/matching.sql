-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/matching/changed-packages-store.ts listChangedPackages
select package_id, case
  when bool_and(changed.vulnerability_id <> '*') then array_agg(distinct changed.vulnerability_id)
  end as vulnerability_ids
from (
  select package_keys.package_id, change.vulnerability_id
  from knowledge_changes as change
  inner join package_keys on package_keys.key = change.key
  where change.revision = $1
  union all select packages.id as package_id, change.vulnerability_id
  from knowledge_changes as change
  inner join packages on packages.distribution is not null
    and (
      packages.distribution = substr(change.key, $2)
        or packages.distribution = split_part(substr(change.key, $3), ':', 1)
        or split_part(packages.distribution, ':', 1) = substr(change.key, $4)
    )
  where change.revision = $5 and starts_with(change.key, $6)
  union all select addressed.package_id, change.vulnerability_id
  from knowledge_changes as change
  inner join lateral (
    select packages.id as package_id
    from packages
    where packages.identity ? 'addresses'
      and packages.identity -> 'addresses' ? substr(change.key, $7)
    offset $8
  ) as addressed on true
  where change.revision = $9 and change.key >= $10 and change.key < $11
  union all select registered.package_id, change.vulnerability_id
  from knowledge_changes as change
  inner join lateral (
    select packages.id as package_id
    from packages
    where packages.registry = substr(change.key, $12)
    offset $13
  ) as registered on true
  where change.revision = $14 and change.key >= $15 and change.key < $16
) as changed
group by package_id
order by package_id;

-- server/src/features/matching/checks-store.ts countMatchedPackages
select count(*)::int as count from packages where matched_at is not null;

-- server/src/features/matching/checks-store.ts listForgottenRevisions
select distinct revision from knowledge_changes order by revision;

-- server/src/features/matching/checks-store.ts listMisratedMatches
select match.package_id, match.vulnerability_id
from package_matches as match
left join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
where match.until is null
  and (match.severity, match.score, match.is_exploited) is distinct from (
    vulnerability.severity, vulnerability.primary_score, vulnerability.is_known_exploit
      or exists (select from eu_exploited_entries as listed where listed.cve_id = vulnerability.id)
  )
  and not exists (
    select from knowledge_changes as change where change.vulnerability_id = match.vulnerability_id
  )
order by match.package_id, match.vulnerability_id;

-- server/src/features/matching/checks-store.ts listPackagesAfter
select id, identity as identity, resolved as resolved
from packages
where id > $1 and matched_at is not null and match_rules_version = $2
order by id
limit $3;

-- server/src/features/matching/checks-store.ts listPendingVulnerabilities
select distinct vulnerability_id from knowledge_changes;

-- server/src/features/matching/checks-store.ts listStoredVerdicts
select package_id, vulnerability_id, confidence as verdict
from package_matches
where package_id = any($1::uuid[]) and until is null
union all select package_id, vulnerability_id, reason
from package_undecided
where package_id = any($2::uuid[]);

-- server/src/features/matching/matched-packages-store.ts analyzeMatches
analyze package_matches, packages, package_keys, firmware_version_packages;

-- server/src/features/matching/matched-packages-store.ts updatePackagesAsMatched
select last_value as revision from knowledge_revision;

-- server/src/features/matching/matched-packages-store.ts updatePackagesAsMatched
update packages
set matched_at = $1, match_rules_version = coalesce($2, match_rules_version), matched_revision = $3,
  is_named = matched."isNamed", registry = matched.registry, resolved = matched.resolved,
  gap = matched.gap, undecided = coalesce(counted.reasons, '{}')
from json_to_recordset($4::json) as matched (
  id uuid, resolved jsonb, "isNamed" boolean, registry text, gap text
) left join (
  select package_id, jsonb_object_agg(reason, count) as reasons
  from (
    select package_id, reason, count(*)::int as count
    from package_undecided
    where package_id = any($5::uuid[])
    group by package_id, reason
  ) as each
  group by package_id
) as counted on counted.package_id = matched.id
join (select id, gap from packages) as before on before.id = matched.id
where packages.id = matched.id
returning packages.id as package_id, before.gap is null as was_judged,
  packages.gap is null as is_judged;

-- server/src/features/matching/store.ts findIdentity
select identity as identity from packages where id = $1;

-- server/src/features/matching/store.ts flagExploited
update package_matches as match
set is_exploited = not match.is_exploited
from unnest($1::uuid[], $2::text[]) as flagged (package_id, vulnerability_id)
where match.package_id = flagged.package_id and match.vulnerability_id = flagged.vulnerability_id
  and match.until is null;

-- server/src/features/matching/store.ts listCandidates
select affected.source, affected.advisory_id, affected.key, affected.statements,
  array(
    select link.vulnerability_id
    from advisory_vulnerabilities as link
    where link.source = affected.source and link.advisory_id = affected.advisory_id
  ) as vulnerability_ids
from advisory_affected as affected
where affected.key = any($1::text[])
order by affected.source, affected.advisory_id, affected.key;

-- server/src/features/matching/store.ts listCandidates
select affected.source, affected.advisory_id, affected.key, affected.statements,
  array(
    select link.vulnerability_id
    from advisory_vulnerabilities as link
    where link.source = affected.source and link.advisory_id = affected.advisory_id
  ) as vulnerability_ids
from advisory_affected as affected
where affected.key = any($1::text[])
  and (affected.source, affected.advisory_id) in (
    select link.source, link.advisory_id
    from advisory_vulnerabilities as link
    where link.vulnerability_id = any($2::text[])
  )
order by affected.source, affected.advisory_id, affected.key;

-- server/src/features/matching/store.ts listKnownKeys
select asked.key
from unnest($1::text[]) as asked (key)
where exists (select from advisory_affected as affected where affected.key = asked.key);

-- server/src/features/matching/store.ts listKnownProducts
select key, count(*)::int as records
from advisory_affected
where product_key = any($1::text[])
group by product_key, key;

-- server/src/features/matching/store.ts listOutdatedPackageIds
select id from packages where match_rules_version < $1 order by id limit $2;

-- server/src/features/matching/store.ts listPackages
select id, matched_at, identity as identity, resolved as resolved
from packages
where id = any($1::uuid[])
order by id;

-- server/src/features/matching/store.ts listReferences
select substr(reference.key, $1) as address, named.key, count(*)::int as records
from advisory_affected as reference
join advisory_affected as named using (source, advisory_id)
where reference.key = any($2::text[]) and named.key = any($3::text[])
group by reference.key, named.key
order by reference.key, named.key;

-- server/src/features/matching/store.ts listVulnerabilityRecords
select link.source, link.advisory_id, advisory.withdrawn_at is not null as is_withdrawn,
  array(
    select affected.key
    from advisory_affected as affected
    where affected.source = link.source and affected.advisory_id = link.advisory_id
      and not starts_with(affected.key, $1)
    order by affected.key
    limit 100
  ) as keys
from advisory_vulnerabilities as link
join advisories as advisory on advisory.source = link.source and advisory.id = link.advisory_id
where link.vulnerability_id = $2
order by link.source, link.advisory_id;

-- server/src/features/matching/store.ts readLoadedKnowledge
select stated from known_distributions;

-- server/src/features/matching/store.ts readLoadedKnowledge
select distinct ecosystem from complete_ecosystems;

-- server/src/features/matching/store.ts replaceMatches
update package_matches as match
set until = greatest($1, since), ended_cause = $2
from json_to_recordset($3::json) as changed (
  "packageId" uuid, "vulnerabilityId" text, "newConfidence" text, "newSeverity" text,
    "newScore" real, "newExploited" boolean
)
where match.package_id = changed."packageId" and match.vulnerability_id = changed."vulnerabilityId"
  and match.until is null;

-- server/src/features/matching/store.ts replaceMatches
insert into package_matches (
  package_id, vulnerability_id, since, cause, confidence, severity, score, is_exploited
)
select changed."packageId", changed."vulnerabilityId", $1, $2, changed."newConfidence",
  changed."newSeverity", changed."newScore", changed."newExploited"
from json_to_recordset($3::json) as changed (
  "packageId" uuid, "vulnerabilityId" text, "newConfidence" text, "newSeverity" text,
    "newScore" real, "newExploited" boolean
)
where changed."newConfidence" is not null
on conflict (package_id, vulnerability_id, since)
do update
set until = null, ended_cause = null, confidence = excluded.confidence,
  severity = excluded.severity, score = excluded.score, is_exploited = excluded.is_exploited;

-- server/src/features/matching/store.ts replaceUndecided
delete from package_undecided as stored
where package_id = any($1::uuid[])
  and not exists (
    select
    from unnest($2::uuid[], $3::text[], $4::text[]) as news (package_id, vulnerability_id, reason)
    where news.package_id = stored.package_id and news.vulnerability_id = stored.vulnerability_id
  );

-- server/src/features/matching/store.ts replaceUndecided
insert into package_undecided as stored (package_id, vulnerability_id, reason)
select package_id, vulnerability_id, reason
from unnest($1::uuid[], $2::text[], $3::text[]) as news (package_id, vulnerability_id, reason)
on conflict (package_id, vulnerability_id)
do update
set reason = excluded.reason
where stored.reason <> excluded.reason;

-- server/src/features/matching/store.ts replaceUndecided
delete from package_undecided as stored
where (package_id, vulnerability_id) in (select * from unnest($1::uuid[], $2::text[]))
  and not exists (
    select
    from unnest($3::uuid[], $4::text[], $5::text[]) as news (package_id, vulnerability_id, reason)
    where news.package_id = stored.package_id and news.vulnerability_id = stored.vulnerability_id
  );

-- server/src/features/matching/store.ts writeEvidence
with input as materialized (
  select "packageId" as package_id, "vulnerabilityId" as vulnerability_id, confidence, evidence
  from json_to_recordset($1::json) as input (
    "packageId" uuid, "vulnerabilityId" text, confidence text, evidence jsonb
  )
),
  written as (
    insert into package_match_evidence as stored (package_id, vulnerability_id, evidence)
    select package_id, vulnerability_id, evidence
    from input
    on conflict (package_id, vulnerability_id)
    do update
    set evidence = excluded.evidence
    where stored.evidence is distinct from excluded.evidence
  ), stored as (select * from package_matches where package_id = any($2::uuid[]) and until is null),
  current as (
    select input.package_id, input.vulnerability_id, input.confidence, vulnerability.severity,
      vulnerability.primary_score as score, vulnerability.is_known_exploit
      or exists (select from eu_exploited_entries as listed where listed.cve_id = vulnerability.id)
      as is_exploited
    from input
    join vulnerabilities as vulnerability on vulnerability.id = input.vulnerability_id
  )
select coalesce(current.package_id, stored.package_id) as package_id,
  coalesce(current.vulnerability_id, stored.vulnerability_id) as vulnerability_id,
  stored.confidence as old_confidence, stored.severity as old_severity,
  stored.is_exploited as old_exploited, current.confidence as new_confidence,
  current.severity as new_severity, current.score as new_score,
  current.is_exploited as new_exploited,
  (current.confidence, current.severity, current.score) is distinct from (
    stored.confidence, stored.severity, stored.score
  ) as is_rerated
from stored
full join current on current.package_id = stored.package_id
  and current.vulnerability_id = stored.vulnerability_id
where (current.confidence, current.severity, current.score, current.is_exploited) is distinct from (
  stored.confidence, stored.severity, stored.score, stored.is_exploited
)
order by 1, 2;

-- server/src/features/matching/store.ts writeEvidence
with input as materialized (
  select "packageId" as package_id, "vulnerabilityId" as vulnerability_id, confidence, evidence
  from json_to_recordset($1::json) as input (
    "packageId" uuid, "vulnerabilityId" text, confidence text, evidence jsonb
  )
),
  written as (
    insert into package_match_evidence as stored (package_id, vulnerability_id, evidence)
    select package_id, vulnerability_id, evidence
    from input
    on conflict (package_id, vulnerability_id)
    do update
    set evidence = excluded.evidence
    where stored.evidence is distinct from excluded.evidence
  ),
  stored as (
    select *
    from package_matches
    where (package_id, vulnerability_id) in (select * from unnest($2::uuid[], $3::text[]))
      and until is null
  ),
  current as (
    select input.package_id, input.vulnerability_id, input.confidence, vulnerability.severity,
      vulnerability.primary_score as score, vulnerability.is_known_exploit
      or exists (select from eu_exploited_entries as listed where listed.cve_id = vulnerability.id)
      as is_exploited
    from input
    join vulnerabilities as vulnerability on vulnerability.id = input.vulnerability_id
  )
select coalesce(current.package_id, stored.package_id) as package_id,
  coalesce(current.vulnerability_id, stored.vulnerability_id) as vulnerability_id,
  stored.confidence as old_confidence, stored.severity as old_severity,
  stored.is_exploited as old_exploited, current.confidence as new_confidence,
  current.severity as new_severity, current.score as new_score,
  current.is_exploited as new_exploited,
  (current.confidence, current.severity, current.score) is distinct from (
    stored.confidence, stored.severity, stored.score
  ) as is_rerated
from stored
full join current on current.package_id = stored.package_id
  and current.vulnerability_id = stored.vulnerability_id
where (current.confidence, current.severity, current.score, current.is_exploited) is distinct from (
  stored.confidence, stored.severity, stored.score, stored.is_exploited
)
order by 1, 2;
