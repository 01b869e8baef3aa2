-- The files that an SBOM says it describes: [{"name", "algorithm", "value"}], read by parsers from version 9 on.
alter table sboms add column described_hashes jsonb not null default '[]';
-- SHA-256 of its JSON in one way of writing it, by which a copy inside a statement is known; null: it is no JSON, or too large for one.
alter table sboms add column content_digest text collate "C";

-- A row is an in-toto statement about files of a firmware version, as it was uploaded: by itself, or in a DSSE envelope with signatures.
-- What was read of it and which key made each signature is kept in facts; whether that key is trusted is computed when it is asked for.
create table provenance_statements (
  workspace_id uuid not null,
  firmware_version_id uuid not null,
  id uuid not null,
  file_name text not null,
  -- Of the content, in hexadecimal.
  sha256 text collate "C" not null,
  size_bytes integer not null,
  content bytea not null,
  facts jsonb not null,
  -- None of the keys at hand made one of its signatures: a key that is added later may have.
  awaits_key boolean not null,
  created_at timestamptz(3) not null,
  created_by_email text,
  primary key (workspace_id, id),
  unique (workspace_id, firmware_version_id, sha256),
  foreign key (workspace_id, firmware_version_id) references firmware_versions (workspace_id, id) on delete cascade
);
create index provenance_statements_awaiting on provenance_statements (workspace_id) where awaits_key;
