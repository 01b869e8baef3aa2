-- The archives that were read before completion was kept: an ecosystem of OSV is a part of its name.
insert into complete_ecosystems (source, ecosystem, completed_at)
select source, part, snapshot_read_at from vulnerability_source_parts
where source = 'osv' and snapshot_read_at is not null
union all
select source, ecosystem, snapshot_read_at from vulnerability_source_parts
join (values ('redhat', 'Red Hat'), ('suse', 'SUSE'), ('suse', 'openSUSE')) as published (publisher, ecosystem)
  on published.publisher = part
where source = 'csaf' and snapshot_read_at is not null;

-- Until new rules match the packages again, at the next start.
update packages set gap = case
  when unknown_distribution is not null then '#release ' || unknown_distribution
  when registry ~ '^purl:(deb|rpm|apk|alpm)/' then null
  when not is_named and registry is null then '#unknown'
end
where is_named is not null;
