-- What a workspace says its components are, where their documents say nothing or something wrong; and by which rules
-- components were identified, so that an upgrade can do it again.

create table package_overrides (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  -- Which components it is for: those that meet all that is stated.
  selected_purl text,
  selected_cpe text,
  selected_name text,
  selected_version text,
  -- SHA-256 of the four: no two overrides are for the same.
  selector_hash text not null,
  purls text[] not null,
  cpes text[] not null,
  version text,
  ignored boolean not null,
  reason text,
  created_at timestamptz(3) not null,
  created_by_email text,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, selector_hash)
);

-- Grows with every change of the overrides. Who writes components holds it shared, so that none are identified by
-- overrides that have just changed.
create table package_override_revisions (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  revision integer not null
);

alter table sboms
  add column identity_version integer,
  -- How many components are not matched, by reason.
  add column not_matched jsonb not null default '{}';

alter table sbom_components
  -- The identifiers of what it is built from, where they count as its own.
  add column built_from jsonb,
  add column override_id uuid;
create index sbom_components_override on sbom_components (workspace_id, override_id) where override_id is not null;

update sboms set not_matched = counts.by_reason
from (
  select workspace_id, sbom_id, jsonb_object_agg(reason, amount) as by_reason
  from (
    select workspace_id, sbom_id,
      case when not_matched_reason like 'invalid identifier %' then 'invalid identifier' else not_matched_reason end as reason,
      count(*) as amount
    from sbom_components where not_matched_reason is not null
    group by 1, 2, 3
  ) as reasons
  group by workspace_id, sbom_id
) as counts
where sboms.workspace_id = counts.workspace_id and sboms.id = counts.sbom_id;
