-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/judgements/store.ts isFindingHeld
select fact.package_id
from firmware_version_packages as fact
inner join package_matches as match on match.package_id = fact.package_id
where match.vulnerability_id = $1 and match.until is null and fact.workspace_id = $2
  and fact.firmware_version_id = $3 and fact.package_id = $4 and fact.until is null;

-- server/src/features/judgements/store.ts listKnownProducts
select key, count(*)::int as record_count
from advisory_affected
where product_key = any($1::text[]) and key like $2 and key not like $3
group by key
order by count(*) desc, key
limit $4;

-- server/src/features/judgements/store.ts listVulnerabilities
select named.vulnerability_id, known.is_disputed
from vulnerability_aliases as named
left join vulnerabilities as known on known.id = named.vulnerability_id
where named.alias = $1
order by named.vulnerability_id;
