-- A row is an advisory of the workspace about its own products: what people write, and when it may leave the house (decision 99).
create table security_advisories (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  -- `<prefix>-<year>-<n>`: given at the first publication, and kept for ever. null before, so that numbers tell nobody of drafts.
  tracking_id text collate "C",
  title text not null,
  -- What people wrote, and the products as they were called then: `AdvisoryContent` in security-advisories/content.ts.
  content jsonb not null,
  -- Whether the content differs from what the last revision was made of.
  is_changed boolean not null,
  -- The case that it came from. The advisory stays without it.
  case_id uuid,
  -- Publishing waits until then (Annex I, part II, (4)).
  held_until timestamptz(3),
  held_reason text,
  created_at timestamptz(3) not null,
  created_by_email text,
  updated_at timestamptz(3) not null,
  primary key (workspace_id, id),
  check ((held_until is null) = (held_reason is null))
);
-- Names of files are in lower case.
create unique index security_advisories_tracking on security_advisories (workspace_id, lower(tracking_id));
create index security_advisories_newest on security_advisories (workspace_id, created_at, id);

-- A row is a revision as it was published, byte by byte. Rows are only added.
create table security_advisory_revisions (
  workspace_id uuid not null,
  advisory_id uuid not null,
  number integer not null,
  published_at timestamptz(3) not null,
  published_by_email text,
  -- What is new in it, for readers.
  summary text not null,
  title text not null,
  is_withdrawal boolean not null,
  -- `2026/acme-2026-0001.json`, below the public address.
  path text not null collate "C",
  document text not null,
  sha512 text not null,
  primary key (workspace_id, advisory_id, number),
  foreign key (workspace_id, advisory_id) references security_advisories (workspace_id, id) on delete cascade
);
create index security_advisory_revisions_path on security_advisory_revisions (workspace_id, path, number);

-- A row says how the workspace publishes its advisories. Without one it publishes nothing.
create table advisory_publishers (
  workspace_id uuid primary key references workspaces (id) on delete cascade,
  is_public boolean not null,
  prefix text not null,
  -- null: what the operator has set for VEX documents.
  name text,
  namespace text,
  contact text,
  -- Where a server of the manufacturer passes the public path on; null: the path of this service.
  public_address text,
  -- Of security.txt, the preferred one first.
  contacts text[] not null,
  policy_address text,
  updated_at timestamptz(3) not null
);
