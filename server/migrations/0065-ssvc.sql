-- SSVC with the fleet in it (docs/design/ssvc.md). What decisions depend on is two numbers: the class of a vulnerability, by what its records
-- publish (0: nothing), and the contexts that a firmware version may stand in, as bits (-1: all, as nobody counted yet).

alter table advisories add column ssvc_class smallint not null default 0;
alter table vulnerabilities add column ssvc_class smallint not null default 0;
-- A copy of that of the vulnerability.
alter table workspace_component_vulnerabilities add column ssvc_class smallint not null default 0;
alter table workspace_versions add column ssvc_contexts bigint not null default -1;
-- Those of all versions that hold the package.
alter table workspace_packages add column ssvc_contexts bigint not null default -1;

-- A row is what a workspace stated, from one change to the next. Of a workspace without a row the product's defaults hold.
create table ssvc_settings (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  revision integer not null,
  -- Fleet, Cisa, or the number of a tree of the workspace.
  tree text collate "C" not null,
  -- So many devices are many.
  many_devices integer not null,
  -- {firmware id: {missionPrevalence, publicWellBeing}} and {cohort id: exposure}, as keys of values.
  products jsonb not null,
  exposures jsonb not null,
  changed_at timestamptz(3) not null,
  primary key (workspace_id, revision)
);

-- A row is a tree that somebody added: decision tables in the form of CERT/CC, of which the first decides. It never changes.
create table ssvc_trees (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  number integer not null,
  tables json not null,
  added_at timestamptz(3) not null,
  added_by text,
  primary key (workspace_id, number)
);

-- What stored records publish. The newest decision of a record counts; later records are read by the program.
with published as (
  select stored.source, stored.advisory_id, decision.value as decision,
    row_number() over (
      partition by stored.source, stored.advisory_id order by decision.value ->> 'decidedAt' desc nulls last) as place
  from advisory_records as stored
  cross join lateral json_array_elements(stored.record -> 'ssvc') as decision
  where stored.source in ('cvelist', 'nvd') and json_typeof(stored.record -> 'ssvc') = 'array'
)
update advisories as advisory set ssvc_class =
  9 * coalesce(array_position(array['none', 'poc', 'active'], lower(decision ->> 'exploitation')), 0)
  + 3 * coalesce(array_position(array['no', 'yes'], lower(decision ->> 'automatable')), 0)
  + coalesce(array_position(array['partial', 'total'], lower(decision ->> 'technicalImpact')), 0)
from published
where published.place = 1 and advisory.source = published.source and advisory.id = published.advisory_id;

update vulnerabilities as known set ssvc_class = rated.ssvc_class
from (
  select link.vulnerability_id, (array_agg(advisory.ssvc_class order by advisory.source))[1] as ssvc_class
  from advisories as advisory
  join advisory_vulnerabilities as link on link.source = advisory.source and link.advisory_id = advisory.id
  where advisory.ssvc_class > 0 group by link.vulnerability_id
) as rated
where known.id = rated.vulnerability_id;

update workspace_component_vulnerabilities as pair set ssvc_class = known.ssvc_class
from vulnerabilities as known where known.id = pair.vulnerability_id and known.ssvc_class > 0;
