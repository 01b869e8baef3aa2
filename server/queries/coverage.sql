-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/coverage/store.ts countByReason
select coalesce(component.not_matched_reason, package.gap) as reason,
  coalesce(not package.is_named and package.has_cpe, false) as has_cpe, count(*)::int as count,
  count(*) filter (where undecided.records > 0)::int as undecided_components,
  coalesce(sum(undecided.records), 0)::int as undecided_records
from sboms as sbom
join sbom_components as component on component.workspace_id = sbom.workspace_id
  and component.sbom_id = sbom.id
left join packages as package on package.id = component.package_id
cross join lateral (
  select case when package.undecided is null or package.undecided = '{}' then 0
    else (select sum(each.value::int) from jsonb_each_text(package.undecided) as each) end as
    records
) as undecided
where sbom.workspace_id = $1 and sbom.firmware_version_id = $2 and sbom.parsing_state = 'Succeeded'
group by 1, 2;

-- server/src/features/coverage/store.ts countNotMatchedYet
select (
  select count(*)::int
  from sboms
  where workspace_id = $1 and firmware_version_id = $2 and parsing_state <> 'Failed'
    and vulnerabilities_parsed_at is null
) as sbom_count,
  (
    select count(*)::int
    from packages as package
    join firmware_version_packages as fact on fact.package_id = package.id
    where package.matched_at is null and fact.until is null and fact.workspace_id = $3
      and fact.firmware_version_id = $4
  ) as package_count;

-- server/src/features/coverage/store.ts countSboms
select count(*) as count from sboms where workspace_id = $1 and firmware_version_id = $2;
