-- Where a vulnerability is in the source code, and which source files components were compiled from: where none of the
-- former is among the latter, the vulnerable code is not present.

-- Files, and folders that end in '/', as the first statement has them; null where they are not known.
alter table advisory_affected add column vulnerable_code jsonb
  generated always as (nullif(jsonb_path_query_array(statements, '$[0].vulnerableCode[*]'), '[]'::jsonb)) stored;

create table source_file_lists (
  workspace_id uuid not null,
  sbom_id uuid not null,
  id uuid not null,
  -- The components it is of. A document parsed again may give a node to another component, so that an uploaded list
  -- counts only while the component has the id it was uploaded for.
  nodes integer[] not null,
  -- null: the SBOM itself lists the files.
  component_id uuid,
  files text[] not null,
  -- What they are compared by: last names of files and folders.
  keys text[] not null,
  created_at timestamptz(3) not null,
  primary key (workspace_id, sbom_id, id),
  foreign key (workspace_id, sbom_id) references sboms (workspace_id, id) on delete cascade
);
create unique index source_file_lists_component on source_file_lists (workspace_id, sbom_id, component_id)
  where component_id is not null;
