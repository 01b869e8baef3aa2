-- Statements as the tests execute them. Written by `npm run queries` (docs/decisions/0020-collected-queries.md).

-- server/src/features/coverage/store.ts countByReason
select case when component.not_matched_reason is not null then component.not_matched_reason
  when package.unknown_distribution is not null then $1 || package.unknown_distribution
  when package.registry ~ '^purl:(deb|rpm|apk|alpm)/'
  and not package.registry = any(
    array(
      select asked.registry
      from unnest($2::text[]) as asked (registry)
      where exists (
        select
        from advisory_affected as affected
        where affected.key >= asked.registry and affected.key < left(asked.registry, -1) || '0'
      )
    )
  ) then $3 when not package.is_named
  and (
    package.registry is null
      or not package.registry = any(
        array(
          select asked.registry
          from unnest($4::text[]) as asked (registry)
          where exists (
            select
            from advisory_affected as affected
            where affected.key >= asked.registry and affected.key < left(asked.registry, -1) || '0'
          )
        )
      )
  ) then $5 end as reason, component.has_cpe, component.count, component.undecided_components,
  component.undecided_records
from (
  select component.not_matched_reason, package.unknown_distribution, package.registry,
    package.is_named, coalesce(not package.is_named and package.has_cpe, false) as has_cpe,
    count(*)::int as count,
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
  where sbom.workspace_id = $6 and sbom.firmware_version_id = $7
    and sbom.parsing_state = 'Succeeded'
  group by component.not_matched_reason, package.unknown_distribution, package.registry,
    package.is_named, coalesce(not package.is_named and package.has_cpe, false)
) as component
cross join lateral (select component.unknown_distribution, component.registry, component.is_named)
  as package;

-- server/src/features/coverage/store.ts countSboms
select count(*) as count from sboms where workspace_id = $1 and firmware_version_id = $2;
