-- A row says that a workspace reads the CSAF documents of a supplier. What they say counts in this workspace only (decision 91).
create table supplier_feeds (
  workspace_id uuid not null references workspaces (id) on delete cascade,
  id uuid not null,
  name text not null,
  -- A provider-metadata.json, a ROLIE feed, a directory with changes.csv, or a host.
  url text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- When it is read next.
  due_at timestamptz(3) not null,
  -- A worker reads it now, unless this time has passed.
  claimed_by uuid,
  claimed_until timestamptz(3),
  -- When its list was last asked for, and when it and all of its documents were last known to be current.
  checked_at timestamptz(3),
  completed_at timestamptz(3),
  -- Why the last run failed; null: it did not.
  error text,
  -- What of the last run people should know though it did not fail.
  notice text,
  -- How many documents the list had; null: it was never read.
  listed_count integer,
  primary key (workspace_id, id)
);
create unique index supplier_feeds_name on supplier_feeds (workspace_id, lower(name));
create unique index supplier_feeds_url on supplier_feeds (workspace_id, url);
create index supplier_feeds_due on supplier_feeds (due_at);

-- A row is a document that the list of a supplier had, as it was last fetched.
create table supplier_documents (
  workspace_id uuid not null,
  id uuid not null,
  feed_id uuid not null,
  url text not null,
  -- The time that the list gave it when it was last tried.
  listed_at timestamptz(3) not null,
  tried_at timestamptz(3) not null,
  etag text,
  -- Why the last attempt to fetch it failed, or why it was refused; what was fetched before stays in force.
  error text,
  -- The supplier has taken it back: it says nothing.
  is_withdrawn boolean not null,
  -- It was read, and firmware versions have not been told yet.
  is_pending boolean not null default false,
  -- To the letter; null: it was never fetched, or is withdrawn.
  document json,
  size_bytes integer not null,
  read_at timestamptz(3),
  title text,
  primary key (workspace_id, id),
  foreign key (workspace_id, feed_id) references supplier_feeds (workspace_id, id) on delete cascade
);
create unique index supplier_documents_url on supplier_documents (workspace_id, feed_id, url);

-- The document of a supplier that it was made from; null: somebody imported it, or it stands in an SBOM.
alter table vex_documents add column supplier_document_id uuid;
alter table vex_documents add foreign key (workspace_id, supplier_document_id)
  references supplier_documents (workspace_id, id) on delete cascade;
create index vex_documents_supplier on vex_documents (workspace_id, supplier_document_id)
  where supplier_document_id is not null;
