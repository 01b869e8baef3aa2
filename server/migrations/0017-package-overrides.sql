-- A row is what a workspace says that components are, where their documents say nothing or something wrong.
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
  -- An override that states a version is made for the declared versions that it first met, unless it is for any version. '' stands for
  -- components without a declared version; null: not made for particular versions (yet).
  made_for text[],
  any_version boolean not null default false,
  ignored boolean not null,
  reason text,
  created_at timestamptz(3) not null,
  created_by_email text,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  unique (workspace_id, selector_hash)
);

-- A row counts the changes of a workspace's overrides. Who writes components holds it shared, so that none are identified by overrides
-- that have just changed.
create table package_override_revisions (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  revision integer not null
);
